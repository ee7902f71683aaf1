// How does a person take the proxy out of a client's file again? Each entry gets back what stood there, byte for byte where nobody changed it
// since. The policies stay in the manifest.
import { applyDisconnect, type DisconnectPlan, forgettable, planDisconnect } from "../../clients/disconnect.ts";
import type { ClientServer } from "../../clients/find-clients.ts";
import { CLIENTS } from "../../clients/registry.ts";
import { chooseClient } from "../clients/choose-client.ts";
import { CHOOSING_OPTIONS, type Chosen, chooseServers } from "../clients/choose-servers.ts";
import { forgetEntries, readKeptEntries } from "../clients/kept-entries.ts";
import { showAndAsk } from "../clients/show-and-ask.ts";
import { type Context, defineCommand, JSON_OPTION } from "../command.ts";
import { type Disconnection, disconnectDocument, disconnectedText, disconnectPlanText } from "../render/disconnect.ts";

export default defineCommand({
  name: "disconnect",
  usage: "disconnect [CLIENT]",
  about:
    "Takes the proxy out of an MCP client's file again: each entry gets back what stood there before `synartesis connect`, byte for byte,\n" +
    "also where other parts of the file were changed since. The manifest with its policies, and the record, stay.",
  example: "disconnect claude-code",
  options: {
    ...CHOOSING_OPTIONS,
    all: {
      kind: "flag",
      about: "of every client that is found, and of every project's file where it was put in front, in whichever folder",
    },
    "dry-run": { kind: "flag", about: "show what would be done, and write nothing" },
    yes: { kind: "flag", about: "don't ask" },
    ...JSON_OPTION,
  },
  positionals: { min: 0, max: 1, choices: CLIENTS.map(({ id }) => id) },
  async run(context, { options, positionals }) {
    const { io } = context;
    const isNarrow = positionals.length > 0 || options.project || options.file !== undefined;
    const told = { ...options, everywhere: isNarrow ? undefined : readKeptEntries(io) };
    const client = await chooseClient(context, positionals[0], told, "disconnect");
    const chosen = await chooseServers(io, { ...told, client });
    const wrapped = chosen.servers.filter(({ wrapping }) => wrapping !== undefined);
    const plans = await planAll(context, wrapped);
    const hasWork = plans.some(({ plan }) => plan.kind === "planned" && plan.unwrapped.length > 0);
    await showAndAsk(context, disconnectPlanText(io, plans, chosen), hasWork, options);
    const done = hasWork && !options["dry-run"] ? await takeOut(context, plans) : undefined;
    if (options.json) context.printJson(disconnectDocument(done ?? plans, done !== undefined, chosen));
    else if (done !== undefined) context.print(disconnectedText(io, done));
    return hasTrouble(done ?? plans, chosen) ? 1 : 0;
  },
});

async function planAll({ io }: Context, wrapped: readonly ClientServer[]): Promise<readonly Disconnection[]> {
  const keptEntries = readKeptEntries(io);
  const paths = [...new Set(wrapped.map(({ file }) => file.path))];
  return Promise.all(
    paths.map(async (path) => {
      const servers = wrapped.filter(({ file }) => file.path === path);
      return { path, servers, plan: await planDisconnect(path, servers, keptEntries), backupGone: false };
    }),
  );
}

async function takeOut({ io }: Context, plans: readonly Disconnection[]): Promise<readonly Disconnection[]> {
  const done: Disconnection[] = [];
  for (const each of plans) {
    if (each.plan.kind === "refused") {
      done.push(each);
      continue;
    }
    const keptEntries = readKeptEntries(io);
    const applied = await applyDisconnect(each.plan, keptEntries);
    if (applied.kind === "written") {
      forgetEntries(io, forgettable(applied.plan, keptEntries));
      done.push({ ...each, plan: applied.plan, backupGone: applied.backupGone });
    } else done.push({ ...each, plan: applied });
  }
  return done;
}

function hasTrouble(plans: readonly Disconnection[], { unreadable }: Chosen): boolean {
  const isPartial = (plan: DisconnectPlan) => plan.refused.length > 0;
  return unreadable.length > 0 || plans.some(({ plan }) => plan.kind === "refused" || isPartial(plan));
}

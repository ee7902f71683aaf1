// How does the proxy get in front of the servers in a client's file? Plans on the file's bytes, and only then writes them. Each entry keeps
// its name, its place and whatever else it says. Never writes over what somebody wrote meanwhile.
import { canonicalJson, isJsonObject } from "../core/json.ts";
import type { Backup, FileRefused } from "./edit-file.ts";
import { documentChange, type FilePlan, openFile, type PlanWritten, serverAt, writePlan } from "./file-plan.ts";
import { type ClientServer, troubleText } from "./find-clients.ts";
import type { Change, Patch } from "./formats/document.ts";
import { commandChanges } from "./shapes.ts";
import { type Wrapping, wrap } from "./wrapping.ts";

/** A server to be wrapped, and what the proxy is told. */
export interface Wish {
  readonly server: ClientServer;
  readonly wrapping: Wrapping;
  /** What the manifest's headers refer to, where the server is at an address: goes into the entry's variables. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A change of one file: every wish that could be planned, and the others with the reason. */
export interface ConnectPlan extends FilePlan {
  readonly wrapped: readonly { readonly wish: Wish; readonly patch: Patch }[];
  readonly refused: readonly { readonly wish: Wish; readonly reason: string }[];
}

/** What became of a plan. `keep` has been called with the plan that was carried out, before the file was written. */
export type Applied = PlanWritten<ConnectPlan>;

/** Plans the wishes for one file; they all have the same path. */
export async function planConnect(path: string, wishes: readonly Wish[]): Promise<ConnectPlan | FileRefused> {
  const read = await openFile(path, wishes[0]?.server.file.format ?? "json");
  if (read.kind === "refused") return read;
  const wrapped: { wish: Wish; patch: Patch }[] = [];
  const refused: { wish: Wish; reason: string }[] = [];
  let document = read.document;
  for (const wish of wishes) {
    const now = serverAt(document, wish.server);
    const reason =
      now === undefined
        ? "it is no longer there"
        : canonicalJson(now.entry) !== canonicalJson(wish.server.entry)
          ? "it was changed meanwhile"
          : undefined;
    const edited = reason === undefined ? document.edit(wish.server.path, changesFor(wish)) : undefined;
    if (edited === undefined || edited.kind === "refused") {
      refused.push({ wish, reason: edited === undefined ? (reason ?? "") : troubleText(edited.problem) });
      continue;
    }
    document = edited.document;
    wrapped.push({ wish, patch: edited.patch });
  }
  return { kind: "planned", seen: read.seen, before: read.document, after: document, wrapped, refused };
}

/** Writes a plan. Where the file was changed meanwhile, the same is planned on what is there now. Reads back what the client will read. */
export async function applyPlan(plan: ConnectPlan, backup: Backup, keep: (plan: ConnectPlan) => void): Promise<Applied> {
  const written = await writePlan<ConnectPlan>(plan, {
    ...{ backup, keep, hasWork: ({ wrapped }) => wrapped.length > 0 },
    again: ({ seen, wrapped, refused }) =>
      planConnect(
        seen.path,
        [...wrapped, ...refused].map(({ wish }) => wish),
      ),
  });
  if (written.kind === "refused" || written.plan.wrapped.length === 0) return written;
  return { ...written, plan: await readBack(written.plan) };
}

/** An entry counts as wrapped only where it is found so, by the way in which the client looks for it. */
async function readBack(plan: ConnectPlan): Promise<ConnectPlan> {
  const wishes = plan.wrapped.map(({ wish }) => wish);
  const read = await openFile(plan.seen.path, plan.after.format);
  const document = read.kind === "opened" ? read.document : undefined;
  const isThere = ({ server, wrapping }: Wish) =>
    document !== undefined && serverAt(document, server)?.wrapping?.server === wrapping.server;
  const lost = wishes
    .filter((wish) => !isThere(wish))
    .map((wish) => ({ wish, reason: "it was taken out again at once by something else" }));
  return { ...plan, wrapped: plan.wrapped.filter(({ wish }) => isThere(wish)), refused: [...plan.refused, ...lost] };
}

function changesFor({ server, wrapping, secrets }: Wish): readonly Change[] {
  const { reach, entry, file } = server;
  if (!isJsonObject(entry) || (reach.kind !== "command" && reach.kind !== "url")) return [];
  const words = wrap(wrapping, reach.kind === "url" ? undefined : [reach.command, ...reach.args]);
  const passed = reach.kind === "url" ? reach.fromVariables.map(({ variable }) => variable) : [];
  return commandChanges(entry, file.client.shape, words, { env: secrets, passed }).map(documentChange);
}

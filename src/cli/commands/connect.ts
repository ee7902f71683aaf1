// How does a person put the proxy in front of the servers that a client has? Shows what will be done, asks at a terminal, does it. Prints no
// secret, and never half of it: what can't be wrapped is named, and stays as it was.
import { CLIENTS } from "../../clients/registry.ts";
import { chooseClient } from "../clients/choose-client.ts";
import { CHOOSING_OPTIONS, type Chosen, chooseServers } from "../clients/choose-servers.ts";
import { type Connected, type ConnectPlans, carryOut, planFiles } from "../clients/connect-servers.ts";
import { prepareServers } from "../clients/prepare-servers.ts";
import { showAndAsk } from "../clients/show-and-ask.ts";
import { defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";
import { connectDocument, connectedText, planText } from "../render/connect.ts";
import { manifestToWrite } from "../write-manifest.ts";

export default defineCommand({
  name: "connect",
  usage: "connect [CLIENT]",
  about:
    "Puts the proxy in front of the servers that an MCP client has: each entry in the client's own file keeps its name, its place and its\n" +
    "secrets, and gets a policy in the manifest. Starts each server once to see its tools. `synartesis disconnect` takes it all out again.",
  example: "connect claude-code",
  options: {
    ...CHOOSING_OPTIONS,
    root: {
      kind: "list",
      value: "DIR",
      about: "a folder that a policy's companion may read and change, where a server's command names none",
    },
    "dry-run": { kind: "flag", about: "show what would be done, and write nothing" },
    yes: { kind: "flag", about: "don't ask" },
    ...JSON_OPTION,
    ...MANIFEST_OPTION,
  },
  positionals: { min: 0, max: 1, choices: CLIENTS.map(({ id }) => id) },
  async run(context, { options, positionals }) {
    const { io } = context;
    const client = await chooseClient(context, positionals[0], options, "connect");
    const chosen = await chooseServers(io, { ...options, client });
    const manifest = manifestToWrite(io, options.manifest);
    const prepared = await prepareServers(context, chosen.servers, { manifest, roots: options.root, canAsk: false });
    const planned = await planFiles(io, prepared, manifest);
    const isDry = options["dry-run"];
    const hasWork = planned.plans.some(({ wrapped }) => wrapped.length > 0);
    await showAndAsk(context, planText(io, { chosen, prepared, planned, manifest }), hasWork, options);
    const done = hasWork && !isDry ? await carryOut(context, prepared, planned.plans, manifest) : undefined;
    if (options.json) context.printJson(connectDocument({ chosen, prepared, planned, manifest }, done));
    else if (done !== undefined) context.print(connectedText(io, done, manifest));
    const isPartial = prepared.some(({ kind }) => kind === "skipped") || hasTrouble(chosen, planned, done);
    return isPartial ? 1 : 0;
  },
});

function hasTrouble(chosen: Chosen, planned: ConnectPlans, done: Connected | undefined): boolean {
  return chosen.unreadable.length > 0 || planned.refused.length > 0 || (done?.refused.length ?? 0) > 0;
}

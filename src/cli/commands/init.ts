// How does a server come under guard? The command's words, and who is asked: a person at a terminal, or the options alone. Never calls a tool, never
// overwrites what somebody wrote meanwhile.
import { CLIENTS } from "../../clients/registry.ts";
import { ACCEPTS } from "../../draft/told-answers.ts";
import { SynartesisError } from "../../errors.ts";
import { givenOptions } from "../args.ts";
import { type Context, defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";
import type { InitOptions } from "../wizard/options.ts";

export default defineCommand({
  name: "init",
  usage: "init [NAME [-- COMMAND [ARGS...] | --url URL | --tools FILE]]",
  about:
    "Starts a server or connects to one, lists its tools, and writes a policy for it: a shipped one where it fits, else a draft\n" +
    "in which everything but certain reads is held. Writes to the manifest it finds, else to the one in the home. At a terminal it asks what\n" +
    "is to be decided about its tools; options answer beforehand. NAME alone, of a server that the manifest has: the tools that were left for\n" +
    "later. Without NAME: the servers of the MCP clients on this machine.\n" +
    "With --tools nothing is started or written: the rules are printed, or with --json what is proposed for each tool, and how sure it is.",
  example: "init files -- npx -y @modelcontextprotocol/server-filesystem .",
  options: {
    url: { kind: "text", value: "URL", about: "the address of a server that is reached by HTTP" },
    header: {
      kind: "list",
      value: "'NAME: VALUE'",
      about: `a header for it, written down as it is; \${NAME} in it keeps a secret out of the file`,
    },
    tools: { kind: "text", value: "FILE", about: "a saved answer to tools/list, for which a draft is printed" },
    root: {
      kind: "list",
      value: "DIR",
      about: "a folder that the policy's companion may read and change, where the server's command doesn't name it",
    },
    accept: { kind: "text", value: "WHICH", choices: ACCEPTS, about: "accept the suggestions for tools: sure, all, or none" },
    rule: { kind: "list", value: "TOOL=WHAT", about: "what becomes of one tool: accept, gate, leave or readonly" },
    client: {
      kind: "text",
      value: "CLIENT",
      choices: CLIENTS.map(({ id }) => id),
      about: "without NAME: look at this client's servers only",
    },
    guard: { kind: "list", value: "SERVER", from: "client-servers", about: "without NAME: guard this server, by the client's name for it" },
    connect: { kind: "flag", about: "without NAME: put the proxy in front of them in the clients' files" },
    "no-connect": { kind: "flag", about: "don't" },
    yes: { kind: "flag", about: "ask nothing: what isn't said has its usual answer, and tools stay held" },
    ...JSON_OPTION,
    ...MANIFEST_OPTION,
  },
  positionals: { min: 0, max: 1 },
  rest: true,
  async run(context, { options, positionals, rest }) {
    const [name] = positionals;
    refuseIdle(givenOptions(options), name);
    if (name === undefined) return initAll(context, { ...options, rest });
    if (options.tools !== undefined) return draftSaved(context, name, options.tools, { ...options, rest });
    const { initServer } = await import("../wizard/init-server.ts");
    return initServer(context, name, { ...options, rest });
  },
});

/** What says what becomes of clients' servers, and means nothing of one that is named. */
const OF_CLIENTS = ["client", "guard", "connect", "no-connect"];
/** What means nothing of a draft that is only printed. */
const OF_WRITTEN = [...OF_CLIENTS, "header", "root", "accept", "rule"];

/** An option that would do nothing was meant to do something. @throws usage */
function refuseIdle(given: readonly string[], name: string | undefined): void {
  const isSaved = given.includes("tools");
  const idle = name === undefined ? [] : isSaved ? OF_WRITTEN : OF_CLIENTS;
  const option = given.find((each) => idle.includes(each));
  if (option !== undefined)
    throw new SynartesisError("usage", `--${option} does nothing beside ${isSaved ? "--tools" : "NAME"}: leave it out`);
  if (given.includes("connect") && given.includes("no-connect"))
    throw new SynartesisError("usage", "--connect and --no-connect can't be given together");
}

async function initAll(context: Context, options: InitOptions & { readonly tools: string | undefined }): Promise<number> {
  const { rest, url, tools, header } = options;
  if (rest !== undefined || url !== undefined || tools !== undefined || header.length > 0)
    throw new SynartesisError("usage", "a server needs a name", { hint: "synartesis init NAME -- COMMAND [ARGS...]" });
  const { initClients } = await import("../wizard/init-clients.ts");
  return initClients(context, options);
}

interface Saved {
  readonly url: string | undefined;
  readonly rest: readonly string[] | undefined;
  readonly json: boolean;
}

async function draftSaved(context: Context, name: string, file: string, { url, rest, json }: Saved): Promise<number> {
  if (url !== undefined || rest !== undefined)
    throw new SynartesisError("usage", "--tools takes the place of a command and of --url: nothing is started");
  const [{ printSavedDraft }, { checkName }] = await Promise.all([import("../draft-saved.ts"), import("../wizard/named-server.ts")]);
  checkName(name);
  printSavedDraft(context, name, file, json);
  return 0;
}

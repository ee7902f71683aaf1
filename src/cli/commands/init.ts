// How does a server come under guard? Starts it as the proxy will, lists its tools, and writes a shipped policy or a draft for it into
// the manifest. Never calls a tool, never overwrites what somebody wrote meanwhile.
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { choosePolicy, type PolicyChoice } from "../../draft/choose-policy.ts";
import { SynartesisError } from "../../errors.ts";
import { type NewCommand, type NewServer, type NewUrl, newManifest } from "../../manifest/new-manifest.ts";
import { shippedPolicies } from "../../manifest/shipped.ts";
import type { ListedTool } from "../../upstream/upstream.ts";
import { type Context, defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { companionsOf } from "../companion-folders.ts";
import { toldManifest } from "../find-files.ts";
import { listServer, type ServerReach } from "../list-server.ts";
import { readManifest } from "../read-manifest.ts";
import { visible } from "../render/visible.ts";
import { contentOf } from "../replace-file.ts";
import { addToManifest, manifestToWrite } from "../write-manifest.ts";

export default defineCommand({
  name: "init",
  usage: "init NAME (-- COMMAND [ARGS...] | --url URL | --tools FILE)",
  about:
    "Starts a server or connects to one, lists its tools, and writes a policy for it: a shipped one where it fits, else a draft\n" +
    "in which everything but certain reads is held. Writes to the manifest it finds, else to the one in the home.\n" +
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
    ...JSON_OPTION,
    ...MANIFEST_OPTION,
  },
  positionals: { min: 1, max: 1 },
  rest: true,
  async run(context, { options, positionals, rest }) {
    if (options.tools !== undefined) return draftSaved(context, positionals[0] ?? "", options.tools, { ...options, rest });
    const file = manifestToWrite(context.io, options.manifest);
    const server = serverFrom(context, file, positionals[0] ?? "", { ...options, rest });
    const before = contentOf(file);
    const others = await declaredOthers(context, file, before, server.name);
    const tools = await toolsOf(context, file, server);
    const choice = choosePolicy(server.name, tools, shippedPolicies());
    const companions =
      choice.kind === "shipped" ? companionsOf(context, { args: [], ...server, cwd: dirname(file) }, choice.policy, options.root) : [];
    addToManifest(file, before, { server, companions, rulesYaml: choice.rulesYaml });
    tell(context, { file, created: before === undefined, server, others, tools, choice }, options.json);
    return 0;
  },
});

interface Given {
  readonly url: string | undefined;
  readonly header: readonly string[];
  readonly rest: readonly string[] | undefined;
}

async function draftSaved(context: Context, name: string, file: string, { url, rest, json }: Given & { json: boolean }): Promise<number> {
  if (url !== undefined || rest !== undefined)
    throw new SynartesisError("usage", "--tools takes the place of a command and of --url: nothing is started");
  checkName(name);
  const { printSavedDraft } = await import("../draft-saved.ts");
  printSavedDraft(context, name, file, json);
  return 0;
}

function serverFrom(context: Context, file: string, name: string, { url, header, rest }: Given): NewCommand | NewUrl {
  const [command, ...args] = rest ?? [];
  if (url !== undefined && rest !== undefined) throw new SynartesisError("usage", "a server has a command after --, or a --url; not both");
  if (url === undefined && header.length > 0) throw new SynartesisError("usage", "--header goes with --url only");
  if (url !== undefined || command !== undefined) checkName(name);
  if (url !== undefined) return { name, url, headers: Object.fromEntries(header.map(headerFrom)) };
  if (command === undefined) {
    const hint = `synartesis init ${name} -- COMMAND [ARGS...], or synartesis init ${name} --url URL`;
    throw new SynartesisError("usage", "which command starts the server, or where is it?", { hint });
  }
  return placed(context, file, { name, command, args });
}

function headerFrom(text: string): readonly [string, string] {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new SynartesisError("usage", "--header takes a name and a value", { hint: `--header 'Authorization: Bearer \${TOKEN}'` });
  return [name, value];
}

function checkName(name: string): void {
  if (!/^[A-Za-z0-9_-]+$/.test(name) || name.includes("__")) {
    throw new SynartesisError("usage", `a server can't be called "${name}"`, {
      hint: "letters, digits, - and _ (not two of these in a row)",
    });
  }
}

function placed({ io }: Context, file: string, server: NewCommand): NewCommand {
  if (io.cwd === dirname(file)) return server;
  // The server will be started in the manifest's folder, where a path that is relative to this one would lead elsewhere.
  const place = (word: string) => (existsSync(resolve(io.cwd, word)) ? resolve(io.cwd, word) : word);
  const { command, args } = server;
  return { ...server, command: command.includes("/") ? place(command) : command, args: args.map(place) };
}

/** Gives how many other servers that a client can have the manifest names. @throws usage where it has this one already */
async function declaredOthers({ io }: Context, file: string, before: Uint8Array | undefined, name: string): Promise<number> {
  if (before === undefined) return 0;
  const { policy } = await readManifest(io, file);
  if (!policy.servers.some((server) => server.name === name)) return policy.servers.filter(({ hidden }) => hidden !== true).length;
  throw new SynartesisError("usage", `${file} has a server "${name}" already`, { hint: "choose another name, or edit the manifest" });
}

async function toolsOf(context: Context, file: string, server: NewCommand | NewUrl): Promise<readonly ListedTool[]> {
  const folder = dirname(file);
  const cwd = existsSync(folder) ? folder : context.io.cwd;
  const listed = await listServer(context, "url" in server ? await urlReach(context, folder, server) : { ...server, env: {}, cwd });
  if (listed.kind === "tools") return listed.tools;
  const { reason, hint } = listed;
  throw new SynartesisError("server-unavailable", `the server can't be listed: ${reason}`, hint === undefined ? {} : { hint });
}

/** What is wrong with the address or its headers is said as the manifest's loader would say it, before anything is sent. */
async function urlReach({ io }: Context, directory: string, server: NewUrl): Promise<ServerReach> {
  const [{ loadManifestText }, { expandUrl }] = await Promise.all([
    import("../../manifest/load.ts"),
    import("../../manifest/expand-source.ts"),
  ]);
  const loading = loadManifestText(newManifest({ server, rulesYaml: [] }), { directory, env: io.env });
  if (loading.kind === "invalid") throw new SynartesisError("usage", loading.problems.map(({ message }) => message).join("\n"));
  return { name: server.name, ...expandUrl(server.name, { kind: "url", ...server }, io.env) };
}

interface Written {
  readonly file: string;
  readonly created: boolean;
  readonly server: NewServer;
  /** How many servers for clients were in the manifest before. */
  readonly others: number;
  readonly tools: readonly ListedTool[];
  readonly choice: PolicyChoice;
}

function tell(context: Context, { file, created, server, others, tools, choice }: Written, json: boolean): void {
  const { io } = context;
  const [command = "", ...first] = io.executable;
  const entry = { command, args: [...first, "proxy", "--server", server.name, "--manifest", file] };
  const drafted = choice.kind === "shipped" ? choice.beside : choice.draft;
  if (json) {
    const policy = choice.kind === "shipped" ? choice.policy.name : null;
    context.printJson({ manifest: file, created, server: server.name, policy, tools: tools.length, held: drafted.summary.held, entry });
    return;
  }
  const told = toldManifest(io, file);
  context.print(
    [
      `${created ? "wrote" : "added to"} ${visible(file)}: ${server.name}, ${tools.length === 1 ? "1 tool" : `${tools.length} tools`}`,
      `  ${policyText(choice)}`,
      "",
      "Next:",
      `  1. read the manifest, and check it: ${commandLine(io, ["check"], told)}`,
      "  2. in your client's configuration, put this in place of the server's own entry:",
      `     ${JSON.stringify(server.name)}: ${visible(JSON.stringify(entry))}`,
      ...(others === 0
        ? []
        : [
            `     (or one entry for all ${others + 1} servers: the same without --server ${server.name}; their tools are named SERVER__TOOL then)`,
          ]),
      `  3. restart the client; then see what it does: ${commandLine(io, ["list"], told)}`,
    ].join("\n"),
  );
}

function policyText(choice: PolicyChoice): string {
  if (choice.kind === "drafted") {
    const { reads, held } = choice.draft.summary;
    return `a draft: ${reads} that only read, ${held} held for a person until you say how they are undone (look for TODO)`;
  }
  const { reads, held } = choice.beside.summary;
  const beside = reads + held === 0 ? "" : `; drafted beside it: ${reads} that only read, ${held} held (look for TODO)`;
  return `the policy for ${choice.policy.title}, which fits every rule${beside}`;
}

// How does a server come under guard? Starts it as the proxy will, lists its tools, and writes a shipped policy or a draft for it into
// the manifest. Never calls a tool, never overwrites what somebody wrote meanwhile.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { choosePolicy, type PolicyChoice } from "../../draft/choose-policy.ts";
import { SynartesisError } from "../../errors.ts";
import { extendManifest } from "../../manifest/extend-manifest.ts";
import { type NewServer, newManifest } from "../../manifest/new-manifest.ts";
import { shippedPolicies } from "../../manifest/shipped.ts";
import type { ListedTool } from "../../upstream/upstream.ts";
import { type Context, defineCommand, JSON_OPTION, MANIFEST_OPTION } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { homeFolder, lookForManifest, MANIFEST_NAME, toldManifest } from "../find-files.ts";
import { listServer } from "../list-server.ts";
import { readManifest } from "../read-manifest.ts";
import { visible } from "../render/visible.ts";
import { contentOf, replaceFile } from "../replace-file.ts";

export default defineCommand({
  name: "init",
  usage: "init NAME -- COMMAND [ARGS...]",
  about:
    "Starts a server, lists its tools, and writes a policy for it: a shipped one where it fits, else a draft in which\n" +
    "everything but certain reads is held. Writes to the manifest it finds, else to the one in the home.",
  example: "init files -- npx -y @modelcontextprotocol/server-filesystem .",
  options: { ...JSON_OPTION, ...MANIFEST_OPTION },
  positionals: { min: 1, max: 1 },
  rest: true,
  async run(context, { options, positionals, rest }) {
    const file = manifestToWrite(context, options.manifest);
    const server = serverFrom(context, file, positionals[0] ?? "", rest);
    const before = contentOf(file);
    await refuseDeclared(context, file, before, server.name);
    const tools = await toolsOf(context, file, server);
    const choice = choosePolicy(server.name, tools, shippedPolicies());
    write(file, before, server, choice);
    tell(context, { file, created: before === undefined, server, tools, choice }, options.json);
    return 0;
  },
});

function manifestToWrite({ io }: Context, told: string | undefined): string {
  if (told !== undefined) return inFolder(resolve(io.cwd, told));
  return lookForManifest(io, {}) ?? join(homeFolder(io), MANIFEST_NAME);
}

/** A folder that was named by mistake must not come to be. */
function inFolder(file: string): string {
  if (existsSync(dirname(file))) return file;
  throw new SynartesisError("usage", `there is no folder ${dirname(file)} for the manifest`, {
    hint: "make it first, or name another place",
  });
}

function serverFrom({ io }: Context, file: string, name: string, rest: readonly string[] | undefined): NewServer {
  const [command, ...args] = rest ?? [];
  if (command === undefined) {
    throw new SynartesisError("usage", "which command starts the server?", { hint: `synartesis init ${name} -- COMMAND [ARGS...]` });
  }
  if (!/^[A-Za-z0-9_-]+$/.test(name) || name.includes("__")) {
    throw new SynartesisError("usage", `a server can't be called "${name}"`, {
      hint: "letters, digits, - and _ (not two of these in a row)",
    });
  }
  if (io.cwd === dirname(file)) return { name, command, args };
  // The server will be started in the manifest's folder, where a path that is relative to this one would lead elsewhere.
  const placed = (word: string) => (existsSync(resolve(io.cwd, word)) ? resolve(io.cwd, word) : word);
  return { name, command: command.includes("/") ? placed(command) : command, args: args.map(placed) };
}

async function refuseDeclared({ io }: Context, file: string, before: Uint8Array | undefined, name: string): Promise<void> {
  if (before === undefined) return;
  const { policy } = await readManifest(io, file);
  if (!policy.servers.some((server) => server.name === name)) return;
  throw new SynartesisError("usage", `${file} has a server "${name}" already`, { hint: "choose another name, or edit the manifest" });
}

async function toolsOf(context: Context, file: string, server: NewServer): Promise<readonly ListedTool[]> {
  const folder = dirname(file);
  const cwd = existsSync(folder) ? folder : context.io.cwd;
  const listed = await listServer(context, { ...server, env: {}, cwd });
  if (listed.kind === "tools") return listed.tools;
  const { reason, hint } = listed;
  throw new SynartesisError("server-unavailable", `the server can't be listed: ${reason}`, hint === undefined ? {} : { hint });
}

function write(file: string, before: Uint8Array | undefined, server: NewServer, choice: PolicyChoice): void {
  const addition = { server, rulesYaml: choice.rulesYaml };
  const replaced = replaceFile(file, before, before === undefined ? newManifest(addition) : extended(file, before, addition));
  if (replaced.kind === "replaced") return;
  throw new SynartesisError("refused", `${file} was changed meanwhile, and was left as it is`, { hint: "run the command again" });
}

function extended(file: string, before: Uint8Array, addition: Parameters<typeof extendManifest>[1]): string {
  const extension = extendManifest(new TextDecoder("utf-8", { ignoreBOM: true }).decode(before), addition);
  if (extension.kind === "extended") return extension.text;
  throw new SynartesisError("manifest-invalid", `${file} can't be extended: ${extension.reason}`);
}

interface Written {
  readonly file: string;
  readonly created: boolean;
  readonly server: NewServer;
  readonly tools: readonly ListedTool[];
  readonly choice: PolicyChoice;
}

function tell(context: Context, { file, created, server, tools, choice }: Written, json: boolean): void {
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

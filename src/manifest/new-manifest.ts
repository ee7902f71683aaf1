// How are a server and its rules written in a manifest? In block style, texts in quotes, so that nothing in them can be taken for YAML.

/** A server to be written; texts as they are to stand in the file, `${NAME}` included. */
export type NewServer = NewCommand | NewUrl | NewVia;
export interface NewCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Used by snapshots and inverses only; the agent never sees it. */
  readonly hidden?: true;
}
export interface NewUrl {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}
/** One that a client starts, with the proxy in front: its command stays in the client's file. */
export interface NewVia {
  readonly name: string;
  readonly via: { readonly client: string; readonly file: string; readonly name: string };
}

/** What is added: a server with its companions, and rules as texts that begin in the first column with `- match:`, or with comments before it. */
export interface Addition {
  readonly server: NewServer;
  readonly companions?: readonly NewCommand[];
  readonly rulesYaml: readonly string[];
}

/** Writes a whole manifest for one server. */
export function newManifest({ server, companions = [], rulesYaml }: Addition): string {
  const servers = [server, ...companions].flatMap((each) => serverLines(each, 2)).map((line) => `  ${line}`);
  const tools = hasRule(rulesYaml) ? ["tools:", ...ruleLines(rulesYaml, "  ")] : ["tools: []", ...ruleLines(rulesYaml, "")];
  return `${["version: 1", "", "servers:", ...servers, "", ...tools].join("\n")}\n`;
}

/** The lines of a server's entry, its name in the first column. */
export function serverLines(server: NewServer, indent: number): readonly string[] {
  const inside =
    "via" in server ? mapLines("via", server.via, indent) : "url" in server ? urlLines(server, indent) : commandLines(server, indent);
  return [`${plainOrQuoted(server.name)}:`, ...inside.map((line) => " ".repeat(indent) + line)];
}

function commandLines({ command, args, env = {}, hidden }: NewCommand, indent: number): readonly string[] {
  const list = args.length === 0 ? [] : [`args: [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`];
  return [`command: ${JSON.stringify(command)}`, ...list, ...mapLines("env", env, indent), ...(hidden ? ["hidden: true"] : [])];
}

function urlLines({ url, headers }: NewUrl, indent: number): readonly string[] {
  return [`url: ${JSON.stringify(url)}`, ...mapLines("headers", headers, indent)];
}

function mapLines(key: string, entries: Readonly<Record<string, string>>, indent: number): readonly string[] {
  const lines = Object.entries(entries).map(([name, value]) => `${" ".repeat(indent)}${plainOrQuoted(name)}: ${JSON.stringify(value)}`);
  return lines.length === 0 ? [] : [`${key}:`, ...lines];
}

/** A server's entry in one line, for a place between braces. */
export function flowServer(server: NewServer): string {
  const inside = "via" in server ? flowMap("via", server.via) : "url" in server ? flowUrl(server) : flowCommand(server);
  return `${plainOrQuoted(server.name)}: { ${inside.join(", ")} }`;
}

function flowCommand({ command, args, env = {}, hidden }: NewCommand): readonly string[] {
  const list = args.length === 0 ? [] : [`args: [${args.map((arg) => JSON.stringify(arg)).join(", ")}]`];
  return [`command: ${JSON.stringify(command)}`, ...list, ...flowMap("env", env), ...(hidden ? ["hidden: true"] : [])];
}

function flowUrl({ url, headers }: NewUrl): readonly string[] {
  return [`url: ${JSON.stringify(url)}`, ...flowMap("headers", headers)];
}

function flowMap(key: string, entries: Readonly<Record<string, string>>): readonly string[] {
  const members = Object.entries(entries).map(([name, value]) => `${plainOrQuoted(name)}: ${JSON.stringify(value)}`);
  return members.length === 0 ? [] : [`${key}: { ${members.join(", ")} }`];
}

/** The lines of rules, each indented, with an empty line between two of them. */
export function ruleLines(rulesYaml: readonly string[], indent: string): readonly string[] {
  return rulesYaml.flatMap((rule, index) => {
    const lines = rule.replace(/\s+$/, "").split(/\r?\n/);
    return [...(index === 0 ? [] : [""]), ...lines.map((line) => (line === "" ? "" : indent + line))];
  });
}

/** Tells whether the texts hold a rule at all: some are comments only. */
export function hasRule(rulesYaml: readonly string[]): boolean {
  return rulesYaml.some((rule) => /^- /m.test(rule));
}

/** Names that every YAML reader takes for text stay bare. */
function plainOrQuoted(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(name) ? name : JSON.stringify(name);
}

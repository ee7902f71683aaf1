// Which servers does a manifest declare, and how is each reached? Texts stay as written: variables are looked up, never filled in.
import { resolve } from "node:path";
import type { ServerPolicy, ServerSource } from "../core/policy.ts";
import { itemsOf, type Located, type LocatedEntry, type LocatedMap, memberOf, recordOf, textOf, textsOf } from "./located.ts";
import type { Problem, ProblemList } from "./problem.ts";
import { type Environment, expandVariables, unsendableIn } from "./variables.ts";

/** What the servers are read with; `env` "any": variables are checked for their form only. */
export interface ServerContext {
  /** Absolute; relative paths start here. */
  readonly directory: string;
  readonly env: Environment | "any";
  readonly problems: ProblemList;
  /** Takes the variables that aren't set. */
  readonly unset: UnsetVariable[];
}

/** A variable that isn't set: wrong for whoever starts this server, and for nobody else. */
export interface UnsetVariable extends Problem {
  readonly server: string;
}

/** Which keys go with which way of reaching a server. */
const COMPANY: Readonly<Record<ServerSource["kind"], readonly string[]>> = { command: ["args", "env", "cwd"], url: ["headers"], via: [] };
const SOURCES = ["command", "url", "via"] as const;

/** Reads the declared servers; what is wrong is said, and left out. */
export function readServers(servers: Located | undefined, context: ServerContext): readonly ServerPolicy[] {
  if (servers?.kind !== "map") return [];
  if (servers.entries.length === 0) context.problems.add(servers.offset, "at least one server must be declared under `servers`");
  else if (servers.entries.every(({ value }) => memberOf(value, "hidden") !== undefined))
    context.problems.add(servers.offset, "every server is `hidden`, so there is nothing for an agent to use");
  return servers.entries.flatMap((entry) => {
    checkName(entry, context.problems);
    const source = readSource(entry, context);
    if (source === undefined) return [];
    const hidden = readHidden(entry.value, source, context.problems);
    const scratch = memberOf(entry.value, "scratch") === undefined ? {} : { scratch: true as const };
    return [{ name: entry.name, source, ...hidden, ...scratch, position: context.problems.positionAt(entry.offset) }];
  });
}

function readHidden(server: Located, source: ServerSource, problems: ProblemList): Pick<ServerPolicy, "hidden"> {
  const hidden = memberOf(server, "hidden");
  if (hidden === undefined) return {};
  if (source.kind === "via")
    problems.add(hidden.offset, "a server that a client starts can't be `hidden`", "give its `command` or `url` instead of `via`");
  return { hidden: true };
}

function checkName({ name, offset }: LocatedEntry, problems: ProblemList): void {
  if (name.includes(".")) problems.add(offset, `a server's name can't contain a dot: \`${name}\``, "tools are named `server.tool`");
  else if (name.includes("__"))
    problems.add(offset, `a server's name can't contain \`__\`: \`${name}\``, "clients see tools as `server__tool`");
  else if (!/^[A-Za-z0-9_-]+$/.test(name))
    problems.add(offset, `a server's name consists of letters, digits, \`-\` and \`_\`; found \`${name}\``);
}

function readSource(entry: LocatedEntry, context: ServerContext): ServerSource | undefined {
  const { value: server } = entry;
  if (server.kind !== "map") return undefined;
  const given = SOURCES.filter((kind) => memberOf(server, kind) !== undefined);
  const [kind, second] = given;
  if (kind === undefined || second !== undefined) {
    const found = given.length === 0 ? "none of them" : given.map((name) => `\`${name}\``).join(" and ");
    context.problems.add(entry.offset, `server \`${entry.name}\` must have exactly one of \`command\`, \`url\`, \`via\`; found ${found}`);
    return undefined;
  }
  checkCompany(server, kind, context.problems);
  checkVariables(entry.name, server, context);
  if (kind === "command") return readCommand(server, context);
  if (kind === "url") return readUrl(server, context.problems);
  const [client, file, name] = ["client", "file", "name"].map((key) => textOf(memberOf(memberOf(server, "via"), key)));
  if (client === undefined || file === undefined || name === undefined) return undefined;
  return { kind: "via", client, file: file.startsWith("~/") ? file : resolve(context.directory, file), name };
}

function checkCompany(server: LocatedMap, kind: ServerSource["kind"], problems: ProblemList): void {
  const strangers = Object.values(COMPANY).flat();
  for (const entry of server.entries) {
    if (strangers.includes(entry.name) && !COMPANY[kind].includes(entry.name))
      problems.add(entry.offset, `\`${entry.name}\` doesn't go with \`${kind}\``);
  }
}

function checkVariables(name: string, server: LocatedMap, { env, problems, unset }: ServerContext): void {
  const places = ["env", "headers"].flatMap((key) => {
    const node = memberOf(server, key);
    return node?.kind === "map" ? node.entries.map((entry) => entry.value) : [];
  });
  for (const node of [...itemsOf(memberOf(server, "args")), ...places]) {
    const text = textOf(node);
    if (text === undefined) continue;
    const expansion = expandVariables(text, env === "any" ? EVERY_VARIABLE : env);
    if (expansion.kind === "unset") {
      const message = `the environment variable \`${expansion.name}\` is not set`;
      unset.push({ server: name, ...problems.problemAt(node.offset, message, "set it where this is started; empty is fine") });
    }
    if (expansion.kind === "malformed")
      problems.add(node.offset, `malformed variable \`${expansion.written}\``, `write \`\${NAME}\`: letters, digits and \`_\``);
  }
}

const EVERY_VARIABLE: Environment = new Proxy({}, { get: () => "", getOwnPropertyDescriptor: () => ({ value: "", configurable: true }) });

function readCommand(server: LocatedMap, { directory, problems }: ServerContext): ServerSource | undefined {
  const command = textOf(memberOf(server, "command"));
  if (command === undefined) return undefined;
  const cwdNode = memberOf(server, "cwd");
  const cwd = textOf(cwdNode) ?? ".";
  if (cwdNode !== undefined && cwd.startsWith("~"))
    problems.add(cwdNode.offset, "`~` isn't expanded in `cwd`", "write the path out, or relative to the manifest");
  return {
    kind: "command",
    command,
    args: textsOf(memberOf(server, "args")),
    env: recordOf(memberOf(server, "env")),
    cwd: resolve(directory, cwd),
  };
}

/** Headers that the protocol needs for itself. */
const OUR_HEADERS = /^(?:accept|content-type|content-length|transfer-encoding|connection|host|last-event-id|mcp-.*)$/i;

function checkHeader({ name, offset, value }: LocatedEntry, problems: ProblemList): void {
  const unsendable = unsendableIn(textOf(value) ?? "");
  if (unsendable) problems.add(value.offset, `the value of the header \`${name}\` has characters that a header can't hold`);
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) problems.add(offset, `this can't be the name of a header: \`${name}\``);
  else if (OUR_HEADERS.test(name)) problems.add(offset, `the header \`${name}\` is set by the protocol itself`, "leave it out");
}

function readUrl(server: LocatedMap, problems: ProblemList): ServerSource | undefined {
  const node = memberOf(server, "url");
  const url = textOf(node);
  if (node === undefined || url === undefined) return undefined;
  const parsed = /^https?:\/\//i.test(url) ? URL.parse(url) : null;
  if (parsed === null) problems.add(node.offset, `\`url\` must be an http or https address; found \`${url}\``);
  else if (parsed.username !== "" || parsed.password !== "")
    problems.add(
      node.offset,
      "`url` can't hold a name and a password",
      `put them into \`headers\`, as \`Authorization: "Basic \${NAME}"\``,
    );
  else if (parsed.hash !== "") problems.add(node.offset, "`url` can't have a fragment: it would never be sent");
  const headers = memberOf(server, "headers");
  if (headers?.kind === "map") for (const entry of headers.entries) checkHeader(entry, problems);
  return { kind: "url", url, headers: recordOf(headers) };
}

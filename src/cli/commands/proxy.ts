// What does the client start? Finds manifest and journal, chooses the server, and hands over to the proxy. stdout is the protocol:
// nothing of ours is ever printed there.
import { sha256 } from "../../core/digest.ts";
import type { JsonObject } from "../../core/json.ts";
import { LOG_LEVELS } from "../../core/log.ts";
import type { Policy, ServerPolicy, ServerSource } from "../../core/policy.ts";
import { SynartesisError } from "../../errors.ts";
import { type Context, defineCommand, JOURNAL_OPTIONS } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { findManifest, journalOf } from "../find-files.ts";
import { endNow, type Io } from "../io.ts";
import { createLog, isLogLevel } from "../log.ts";
import { durationOf, sizeOf } from "../quantities.ts";
import { readManifest, requireVariables } from "../read-manifest.ts";

/** How often it is looked whether the client's process is still there, in milliseconds: an EOF may never come from one that was killed. */
const PARENT_CHECK = 2000;

export default defineCommand({
  name: "proxy",
  usage: "proxy [--server NAME] [-- COMMAND ARGS...]",
  about:
    "Stands between an MCP client and a server, over stdio. This is what the client starts.\nWith a command after --, that command is the server and the manifest has only its policy.",
  example: "proxy --server files --manifest ~/project/synartesis.yaml",
  options: {
    server: { kind: "text", value: "NAME", about: "which server of the manifest (may be left out where there is one)" },
    ...JOURNAL_OPTIONS,
    "read-timeout": { kind: "text", value: "TIME", about: "how long a read of our own may take (default 30s)" },
    "max-message": { kind: "text", value: "SIZE", about: "the largest message taken (default 64MiB)" },
    "log-level": { kind: "text", value: "LEVEL", about: "what is logged on stderr, as JSON lines (default warn)", choices: LOG_LEVELS },
    "gate-timeout": { kind: "text", value: "TIME", about: "has no effect: a held call is answered at once", hidden: true },
  },
  rest: true,
  ownsSignals: true,
  async run(context, { options, rest }) {
    const { io } = context;
    const level = options["log-level"] ?? "warn";
    const log = createLog((line) => io.stderr.write(line), isLogLevel(level) ? level : "warn", io.now);
    if (options["gate-timeout"] !== undefined)
      log.log("warn", "--gate-timeout has no effect: a held call is answered at once and never kept waiting");
    const readTimeout = durationOf("--read-timeout", options["read-timeout"]) ?? 30_000;
    const maxMessage = sizeOf("--max-message", options["max-message"]) ?? 64 * 1024 * 1024;
    const file = findManifest(io, options);
    const manifest = await readManifest(io, file);
    const { policy, text } = manifest;
    const server = chooseServer(policy, options.server, rest);
    if (rest === undefined) requireVariables(file, manifest, server.name);
    const started = await startOf(context, server, rest);
    const guarded = guardAgainstItself(io.env, file, server.name);
    const place = journalOf(io, file, options);
    if (place.moved !== undefined) log.log("warn", `${place.moved}, so the journal is in ${place.file}`);
    const [{ runProxy }, { killAllServers }, { openJournal }, { isAlive, parentIdentity }, { standardStreams }] = await Promise.all([
      import("../../proxy/run-proxy.ts"),
      import("../../upstream/stdio.ts"),
      import("../../journal/open.ts"),
      import("../../journal/process-identity.ts"),
      import("../../wire/stdio.ts"),
    ]);
    context.defer(killAllServers); // whatever stopped us: nothing that we started stays
    const ending = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) context.defer(io.onSignal(signal, () => ending.abort()));
    const parent = parentIdentity();
    const watch = setInterval(() => parent && !isAlive(parent) && ending.abort(), PARENT_CHECK);
    context.defer(() => clearInterval(watch));
    const isRead = await runProxy({
      policy,
      policyText: text,
      start: { name: server.name, ...started.start, env: { ...started.start.env, ...guarded }, maxMessage, readTimeout },
      source: started.source,
      openJournal: () => openJournal({ file: place.file, mode: "create", clock: io.now }),
      joinKey: io.env["CLAUDE_CODE_SESSION_ID"] ?? (parent ? `${parent.pid}:${parent.startTicks}:${parent.bootId}` : null),
      clientProcess: parent ?? null,
      streams: standardStreams(() => ending.abort()),
      signal: ending.signal,
      log,
      clock: io.now,
      readTimeout,
      maxMessage,
      // The person may type it anywhere, so it always names the journal.
      commandLine: (words) => commandLine(io, words, { journal: place.file }),
    });
    if (!isRead) endNow(0); // everything of ours is settled, and nobody waits for the rest
    return 0;
  },
});

/** A proxy whose server is this very proxy would start itself without end: each leaves its mark for those below it. */
function guardAgainstItself(env: Io["env"], manifest: string, server: string): Record<string, string> {
  const mark = sha256(JSON.stringify([manifest, server])).slice(0, 16);
  const above = (env["SYNARTESIS_PROXIES"] ?? "").split(" ").filter((word) => word !== "");
  if (above.includes(mark)) {
    const message = `the proxy of "${server}" (${manifest}) would start itself again and again`;
    throw new SynartesisError("usage", message, { hint: "its command in the manifest, or after --, has to be the server itself" });
  }
  return { SYNARTESIS_PROXIES: [...above, mark].join(" ") };
}

function chooseServer(policy: Policy, name: string | undefined, command: readonly string[] | undefined): ServerPolicy {
  const names = policy.servers.map((server) => server.name).join(", ");
  if (name === undefined) {
    const [only, ...more] = policy.servers;
    if (only !== undefined && more.length === 0 && command === undefined) return only;
    const message =
      command === undefined ? "the manifest has several servers" : "a command after -- needs --server NAME, which says whose policy it has";
    throw new SynartesisError("usage", message, { hint: `name one with --server: ${names}` });
  }
  const found = policy.servers.find((server) => server.name === name);
  if (found === undefined)
    throw new SynartesisError("server-unknown", `the manifest has no server "${name}"`, { hint: `it has: ${names}` });
  return found;
}

type Started = {
  readonly start: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Record<string, string>;
    readonly cwd: string;
  };
  readonly source: (journal: { mark(text: string): Promise<string> }) => Promise<JsonObject>;
};

async function startOf({ io }: Context, server: ServerPolicy, wrapped: readonly string[] | undefined): Promise<Started> {
  const { serverEnvironment } = await import("../../upstream/environment.ts");
  if (wrapped !== undefined) {
    const [command, ...args] = wrapped;
    if (command === undefined) throw new SynartesisError("usage", "there is no command after --");
    const source = async (journal: { mark(text: string): Promise<string> }) => ({
      kind: "wrapped",
      mark: await journal.mark(JSON.stringify(wrapped)),
      cwd: io.cwd,
    });
    return { start: { command, args, env: serverEnvironment(io.env, {}), cwd: io.cwd }, source };
  }
  if (server.source.kind !== "command") throw notStartable(server.name, server.source);
  const { commandText, expandSource } = await import("../../manifest/expand-source.ts");
  const expanded = expandSource(server.name, server.source, io.env);
  const { env, ...start } = expanded;
  const written = { ...server.source, args: [...server.source.args], env: { ...server.source.env } };
  const source: Started["source"] = async (journal) => ({ ...written, mark: await journal.mark(commandText(expanded)) });
  return { start: { ...start, env: serverEnvironment(io.env, env) }, source };
}

function notStartable(name: string, source: ServerSource): SynartesisError {
  if (source.kind === "url")
    return new SynartesisError("usage", `the server "${name}" is reached by URL; this version speaks to servers over stdio only`);
  return new SynartesisError("usage", `the command of "${name}" stands in the client's own file`, {
    hint: `give it after --: synartesis proxy --server ${name} -- COMMAND ARGS...`,
  });
}

// What does the client start? Finds manifest and journal, chooses the server or all of them, and hands over to the proxy. stdout is the
// protocol: nothing of ours is ever printed there.
import { confusableServers, confusableText } from "../../core/client-names.ts";
import { LOG_LEVELS, type Log } from "../../core/log.ts";
import type { Policy, ServerPolicy } from "../../core/policy.ts";
import { SynartesisError } from "../../errors.ts";
import type { GuardedServer, MissingServer } from "../../proxy/guarded-server.ts";
import type { ClientEnd } from "../../proxy/http/http-parts.ts";
import type { CommonParts } from "../../proxy/run-proxy.ts";
import { type Context, defineCommand, JOURNAL_OPTIONS } from "../command.ts";
import { commandLine } from "../command-line.ts";
import { findManifest, journalOf } from "../find-files.ts";
import { guardedServers, isHidden } from "../guarded-servers.ts";
import { HTTP_OPTIONS, readHttpOptions } from "../http-options.ts";
import { endNow, type Io } from "../io.ts";
import { createLog, isLogLevel } from "../log.ts";
import { durationOf, sizeOf } from "../quantities.ts";
import { readManifest } from "../read-manifest.ts";
import { readScopes, scopesFor } from "../scopes.ts";
import { VERSION } from "../version.ts";

/** How often it is looked whether the client's process is still there, in milliseconds: an EOF may never come from one that was killed. */
const PARENT_CHECK = 2000;

export default defineCommand({
  name: "proxy",
  usage: "proxy [--server NAME] [--http PORT] [-- COMMAND ARGS...]",
  about:
    "Stands between an MCP client, over stdio, and its servers: processes, or servers at a URL. This is what the client starts.\n" +
    "Without --server it stands before all servers of the manifest: their tools are named SERVER__TOOL then,\n" +
    "unless there is only one server.\n" +
    "With --http it serves clients by HTTP instead, each with servers and a run of its own (docs/http.md).\n" +
    "With a command after --, that command is the server and the manifest has only its policy.",
  example: "proxy --server files --manifest ~/project/synartesis.yaml",
  options: {
    server: { kind: "text", value: "NAME", from: "servers", about: "only this server of the manifest; its tools keep their names" },
    ...JOURNAL_OPTIONS,
    scopes: {
      kind: "text",
      value: "A,B",
      about: "what the client is allowed where rules have `scopes` (default: nothing; by HTTP, what its token says)",
    },
    "read-timeout": { kind: "text", value: "TIME", about: "how long a read of our own may take (default 30s)" },
    "max-message": { kind: "text", value: "SIZE", about: "the largest message taken (default 64MiB)" },
    "log-level": { kind: "text", value: "LEVEL", about: "what is logged on stderr, as JSON lines (default warn)", choices: LOG_LEVELS },
    ...HTTP_OPTIONS,
    "gate-timeout": { kind: "text", value: "TIME", about: "has no effect: a held call is answered at once", hidden: true },
  },
  rest: true,
  ownsSignals: true,
  async run(context, { options, rest }) {
    const { io } = context;
    const log = startLog(io, options);
    const readTimeout = durationOf("--read-timeout", options["read-timeout"]) ?? 30_000;
    const maxMessage = sizeOf("--max-message", options["max-message"]) ?? 64 * 1024 * 1024;
    const file = findManifest(io, options);
    const manifest = await readManifest(io, file);
    const { policy, text } = manifest;
    const scopes = readScopes(options.scopes);
    const http = readHttpOptions(io, options, policy, log);
    const chosen = chooseServers(policy, options.server, rest);
    const limits = { maxMessage, readTimeout };
    const { servers, hidden } = await guardedServers(context, { file, ...manifest }, { ...chosen, wrapped: rest }, limits);
    logLeftOut(log, [...servers, ...hidden]);
    const place = journalOf(io, file, options);
    if (place.moved !== undefined) log.log("warn", `${place.moved}, so the journal is in ${place.file}`);
    const [start, { killAllServers }, { isAlive, parentIdentity }, { standardStreams }] = await Promise.all([
      chosen.kind === "one" ? starterOfOne() : starterOfAll(),
      import("../../upstream/stdio.ts"),
      import("../../journal/process-identity.ts"),
      import("../../wire/stdio.ts"),
    ]);
    context.defer(killAllServers); // whatever stopped us: nothing that we started stays
    const ending = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) context.defer(io.onSignal(signal, () => ending.abort()));
    // Clients that come by HTTP haven't started us: whoever has may go.
    const parent = http === undefined ? parentIdentity() : undefined;
    const watch = setInterval(() => parent && !isAlive(parent) && ending.abort(), PARENT_CHECK);
    context.defer(() => clearInterval(watch));
    const common = {
      policy,
      scopes,
      policyText: text,
      ...(await recordParts(context, place.file, log)),
      clock: io.now,
      readTimeout,
      maxMessage,
      hidden,
      // The person may type it anywhere, so it always names the journal.
      commandLine: (words: readonly string[]) => commandLine(io, words, { journal: place.file }),
    };
    if (http !== undefined) {
      const { serveHttp } = await import("../../proxy/http/serve.ts");
      const anonymous = { joinKey: null, clientProcess: null };
      const startProxy = async (client: ClientEnd) =>
        void (await start(servers, { ...common, ...client, ...anonymous, scopes: scopesFor(policy, client.identity, scopes) }));
      const onListening = (url: string) => context.note(`listening on ${url}`);
      await serveHttp({ ...http, maxMessage, startProxy, onListening, signal: ending.signal, log });
      return 0;
    }
    const joinKey = io.env["CLAUDE_CODE_SESSION_ID"] ?? (parent ? `${parent.pid}:${parent.startTicks}:${parent.bootId}` : null);
    const streams = standardStreams(() => ending.abort());
    const isRead = await start(servers, { ...common, joinKey, clientProcess: parent ?? null, streams, signal: ending.signal, log });
    if (!isRead) endNow(0); // everything of ours is settled, and nobody waits for the rest
    return 0;
  },
});

function startLog(io: Io, options: { readonly "log-level": string | undefined; readonly "gate-timeout": string | undefined }): Log {
  const level = options["log-level"] ?? "warn";
  const log = createLog((line) => io.stderr.write(line), isLogLevel(level) ? level : "warn", io.now);
  if (options["gate-timeout"] !== undefined)
    log.log("warn", "--gate-timeout has no effect: a held call is answered at once and never kept waiting");
  return log;
}

/** What opens the journal, and the socket by which undos reach the sessions from then on. */
async function recordParts({ io, defer }: Context, file: string, log: Log): Promise<Pick<CommonParts, "openJournal" | "control">> {
  const [{ openJournal }, { ControlSocket }] = await Promise.all([
    import("../../journal/open.ts"),
    import("../../proxy/control/control-socket.ts"),
  ]);
  const control = new ControlSocket(log);
  defer(() => control.close());
  const open = async () => {
    const journal = await openJournal({ file, mode: "create", clock: io.now });
    control.listen(journal.path);
    return journal;
  };
  return { openJournal: open, control };
}

/** What stands behind this entry: one server under its own names, or several. */
interface Chosen {
  readonly kind: "one" | "several";
  readonly servers: readonly ServerPolicy[];
}

function chooseServers(policy: Policy, name: string | undefined, command: readonly string[] | undefined): Chosen {
  const seen = policy.servers.filter((server) => !isHidden(server));
  const names = seen.map((server) => server.name).join(", ");
  if (name === undefined && command !== undefined) {
    const message = "a command after -- needs --server NAME, which says whose policy it has";
    throw new SynartesisError("usage", message, { hint: `name one with --server: ${names}` });
  }
  if (name !== undefined || seen.length === 1) {
    const found = name === undefined ? seen[0] : seen.find((server) => server.name === name);
    if (found !== undefined) return { kind: "one", servers: [found] };
    throw new SynartesisError("server-unknown", `the manifest has no server "${name}"`, { hint: `it has: ${names}` });
  }
  const confusable = confusableServers(seen.map((server) => server.name));
  if (confusable !== undefined)
    throw new SynartesisError("usage", confusableText(confusable), {
      hint: "rename one of them in the manifest, or name one with --server",
    });
  return { kind: "several", servers: seen };
}

function logLeftOut(log: Log, servers: readonly (GuardedServer | MissingServer)[]): void {
  for (const server of servers)
    if ("missing" in server) log.log("error", `left out: ${server.missing.message}`, { server: server.name, hint: server.missing.hint });
}

type Starter = (servers: readonly (GuardedServer | MissingServer)[], parts: CommonParts) => Promise<boolean>;

async function starterOfOne(): Promise<Starter> {
  const { runProxy } = await import("../../proxy/run-proxy.ts");
  return async ([server], parts) => server === undefined || "missing" in server || runProxy({ ...parts, server });
}

async function starterOfAll(): Promise<Starter> {
  const { runRouter } = await import("../../proxy/router/run-router.ts");
  return (servers, parts) => runRouter({ ...parts, servers, version: VERSION });
}

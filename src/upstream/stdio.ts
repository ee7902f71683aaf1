// How is a guarded server run as a child process? In a session of its own, so that all of it can be ended. Nothing that it prints,
// and no way in which it dies, may harm us.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Log } from "../core/log.ts";
import { SynartesisError, systemCode } from "../errors.ts";
import { type ByteSink, type LineWriter, lineWriter, type Reading, readMessages } from "../wire/peer.ts";
import { ConnectedServer } from "./connected-server.ts";
import { Connection } from "./connection.ts";
import { registerDoor } from "./door.ts";
import { guard } from "./guardian.ts";
import { MARK, ProcessTree } from "./process-tree.ts";
import { StderrRelay } from "./stderr-relay.ts";
import type { Upstream, UpstreamEvents } from "./upstream.ts";
import { within } from "./within.ts";

/** How to start a server, and who listens to it. */
export interface ServerStart {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment, as `serverEnvironment` gives it. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. A command with a slash is relative to it. */
  readonly cwd: string;
  /** In bytes; 64 MiB by default. */
  readonly maxMessage?: number;
  /** How long a request of ours may take, in milliseconds; 30,000 by default. */
  readonly readTimeout?: number;
  readonly events: UpstreamEvents;
  readonly log: Log;
  /** Where the server's stderr goes, byte for byte; our own by default. */
  readonly stderr?: ByteSink;
}

/** Keeps what a server says on stderr away from ours; its last words are kept all the same. */
export const SILENT: ByteSink = { write: () => 0, flush: () => 0, end: () => 0 };

type Child = Bun.Subprocess<"pipe", "pipe", "pipe">;

const CLOSE_GRACE = 2_000;
/** How long output may still come after the process has ended (a grandchild may hold the pipe for ever), in milliseconds. */
const LAST_OUTPUT = 1_000;
const LAST_ERRORS = 200;

const running = new Set<StdioServer>();

/** Starts a server. @throws server-unavailable where the command can't be run; a server that starts and dies is reported by `onExit`. */
export async function startServer(start: ServerStart): Promise<Upstream> {
  const mark = crypto.randomUUID();
  const server = new StdioServer(start, spawn(start, mark), mark);
  registerDoor(server, server.door);
  running.add(server);
  return server;
}

/** Ends every server that is still there, at once and without waiting: the last thing a process does before it exits. */
export function killAllServers(): void {
  for (const server of running) server.kill();
}

function spawn(start: ServerStart, mark: string): Child {
  const path = start.command.includes("/")
    ? resolve(start.cwd, start.command)
    : (Bun.which(start.command, { PATH: start.env["PATH"] ?? "", cwd: start.cwd }) ?? start.command);
  try {
    return Bun.spawn([path, ...start.args], {
      cwd: start.cwd,
      env: { ...start.env, [MARK]: mark },
      argv0: start.command,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  } catch (cause) {
    throw cannotRun(start, cause);
  }
}

function cannotRun({ name, command, cwd }: ServerStart, cause: unknown): SynartesisError {
  const code = systemCode(cause) ?? "unknown error";
  const isMissing = code === "ENOENT" && existsSync(cwd);
  const what = isMissing ? `command not found: ${command}` : `can't run ${JSON.stringify(command)} (${code})`;
  const hint = /\s/.test(command)
    ? "write the command unquoted, as separate words: the program, then each of its arguments"
    : isMissing
      ? "is it installed, and on PATH where this is started?"
      : `is it executable, and does ${cwd} exist?`;
  return new SynartesisError("server-unavailable", `server "${name}": ${what}`, { hint, cause });
}

class StdioServer extends ConnectedServer implements Upstream {
  readonly name: string;
  readonly takesBatches = true;
  readonly #start: ServerStart;
  readonly #child: Child;
  readonly #tree: ProcessTree;
  readonly #dismissGuardian: () => void;
  readonly #writer: LineWriter;
  protected override readonly connection: Connection;
  readonly #reading: Reading;
  readonly #stderr: StderrRelay;
  readonly #outputEnded = Promise.withResolvers<void>();
  #isOver = false;
  #isClosing = false;

  constructor(start: ServerStart, child: Child, mark: string) {
    super(start.readTimeout);
    this.name = start.name;
    this.#start = start;
    this.#child = child;
    this.#tree = new ProcessTree(child.pid, mark);
    this.#dismissGuardian = guard(child.pid, mark);
    this.#writer = lineWriter(child.stdin, () => start.log.log("debug", "the server takes no more input", { server: start.name }));
    this.connection = new Connection({
      write: (message) => this.alive && this.#writer.write(message.bytes),
      onMessage: (message) => start.events.onMessage(message, this),
      onTooLong: (known, line) => start.events.onTooLong?.(known, line),
      log: start.log,
    });
    this.#reading = readMessages(child.stdout, {
      ...(start.maxMessage === undefined ? {} : { maxMessage: start.maxMessage }),
      onMessage: (message) => this.connection.receive(message),
      onTooLong: (line) => {
        start.log.log("warn", "passed over a message above the size limit", { server: start.name, bytes: line.length });
        this.connection.receiveTooLong(line);
      },
      onEnd: () => this.#outputEnded.resolve(),
    });
    this.#stderr = new StderrRelay(child.stderr, start.stderr);
    void this.#watch();
  }

  get pid(): number {
    return this.#child.pid;
  }

  get alive(): boolean {
    return !this.#isOver && !this.#isClosing && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  drained(): Promise<void> {
    return this.#writer.drained();
  }

  lastWords(): string {
    return this.#stderr.lastWords();
  }

  /** Works on one that ended by itself too: it may have left descendants. */
  async close(options: { grace?: number } = {}): Promise<readonly number[]> {
    const grace = options.grace ?? CLOSE_GRACE;
    const begun = performance.now();
    this.#isClosing = true;
    this.connection.end();
    this.#tree.living(); // finds descendants whose parents end first
    void this.#writer.end();
    await within(grace, this.#child.exited);
    let left = await this.#tree.gone(grace - (performance.now() - begun));
    for (const name of ["SIGTERM", "SIGKILL"] as const) {
      if (left.length === 0) break;
      this.#tree.signal(name);
      left = await this.#tree.gone(grace);
    }
    await within(LAST_ERRORS, Promise.all([this.#outputEnded.promise, this.#stderr.ended]));
    this.#letGo();
    return left;
  }

  /** Ends it at once, without waiting. */
  kill(): void {
    this.#tree.signal("SIGKILL");
  }

  async #watch(): Promise<void> {
    await Promise.race([this.#child.exited, this.#outputEnded.promise]);
    // A server that has closed its output can't answer any more, alive or not.
    if (!(await within(LAST_OUTPUT, this.#child.exited)) && !this.#isClosing) {
      this.#start.log.log("warn", "the server closed its output but went on running; it is ended", { server: this.name });
      this.#isOver = true;
      this.#tree.signal("SIGTERM");
      if (!(await within(CLOSE_GRACE, this.#child.exited))) this.#tree.signal("SIGKILL");
      await this.#child.exited;
    }
    await within(LAST_OUTPUT, this.#outputEnded.promise);
    await within(LAST_ERRORS, this.#stderr.ended);
    if (this.#isClosing) return;
    this.#isOver = true;
    this.connection.end();
    this.#reading.stop();
    const { exitCode: code, signalCode: signal } = this.#child;
    this.#start.events.onExit({ code, signal: signal === null ? null : String(signal), lastWords: this.lastWords() });
  }

  #letGo(): void {
    this.#isOver = true;
    this.#dismissGuardian();
    this.#reading.stop();
    this.#stderr.stop();
    running.delete(this);
  }
}

// What does the world outside look like to a command? The only user of process.*; everything else is handed an Io, so that
// a test can hand it another one. Never exits: an exit code is set, and pending output drains by itself.
import { readFileSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { ERROR_EXIT_CODES } from "../errors.ts";

/** One of the two outputs. Writing to one whose reader has gone is silently nothing: a closed pipe is not an error. */
export interface Output {
  write(data: string | Uint8Array): void;
  readonly isTerminal: boolean;
  /** Width in cells; 80 where there is no terminal. */
  readonly columns: number;
  /** True once the reader has gone. */
  readonly closed: boolean;
  /** Calls back once when the reader has gone. */
  onClosed(listener: () => void): void;
}

export interface Io {
  /** The words after the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  /** The user's home, absolute. */
  readonly home: string;
  readonly loginName: string;
  /** The words that start this program: one absolute path, or the runtime and the source file. */
  readonly executable: readonly string[];
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: { readonly isTerminal: boolean; stream(): ReadableStream<Uint8Array> };
  /** Whether stdout may carry colour: a terminal, and no NO_COLOR. */
  readonly colour: boolean;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back on each such signal; returns what stops it. While somebody listens, the signal doesn't end the process. */
  onSignal(signal: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGTSTP" | "SIGCONT", listener: () => void): () => void;
  /** Stops this process, and those of the same job, until its shell lets them go on, as Ctrl-Z does; nothing where there is no such shell. */
  suspend(): void;
  /** Asks on the terminal, on stderr where stdout is none, and reads one line; undefined at its end, or when it is given up. */
  readLine(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Waits for one key of the terminal; undefined at its end. Ctrl-C arrives as its character. */
  nextKey(): Promise<string | undefined>;
  /** Drops what was typed before somebody was asked; true where Ctrl-C was among it. */
  forgetKeys(): Promise<boolean>;
  /** Tells the name of each key (`escape`, `up`, `a`) while somebody else reads the terminal's keys; returns what stops it. */
  onKeyName(listener: (name: string) => void): () => void;
}

/** Builds the Io of this process. */
export function realIo(): Io {
  const env = process.env;
  const stderr = outputOf(process.stderr, () => setExitCode(ERROR_EXIT_CODES["output-failed"]));
  const stdout = outputOf(process.stdout, (why) => {
    stderr.write(`synartesis: the output couldn't be written (${why})\n`);
    setExitCode(ERROR_EXIT_CODES["output-failed"]);
  });
  return {
    args: process.argv.slice(2),
    env,
    cwd: process.cwd(),
    home: env["HOME"] || homedir(),
    loginName: loginName(env),
    executable: Bun.main.startsWith("/$bunfs/") ? [process.execPath] : [process.execPath, Bun.main],
    stdout,
    stderr,
    stdin: { isTerminal: process.stdin.isTTY === true, stream: () => Bun.stdin.stream() },
    colour: stdout.isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    now: Date.now,
    onSignal(signal, listener) {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    suspend: () => void process.kill(0, "SIGTSTP"),
    readLine: (question, signal) => readLine(question, stdout.isTerminal ? stdout : stderr, signal),
    nextKey,
    forgetKeys,
    onKeyName(listener) {
      const tell = (_text: unknown, key: { readonly name?: string }) => listener(key.name ?? "");
      process.stdin.on("keypress", tell);
      return () => process.stdin.off("keypress", tell);
    },
  };
}

/** `prompt` would keep the whole process from hearing a signal while it waits. */
function readLine(question: string, output: Output, signal: AbortSignal): Promise<string | undefined> {
  const { stdin } = process;
  output.write(`${question} `);
  return new Promise((resolve) => {
    let read = "";
    const end = (line: string | undefined) => {
      stdin.off("data", take);
      stdin.off("end", giveUp);
      signal.removeEventListener("abort", giveUp);
      stdin.pause();
      if (line === undefined) output.write("\n");
      resolve(line);
    };
    const giveUp = () => end(undefined);
    const take = (chunk: Buffer) => {
      read += chunk.toString();
      if (read.includes("\n")) end(read.slice(0, read.indexOf("\n")));
    };
    stdin.on("data", take);
    stdin.on("end", giveUp);
    signal.addEventListener("abort", giveUp);
    stdin.resume();
  });
}

/** Keys that were typed ahead wait in the terminal's own buffer, and come at once when it is read; nobody types that fast. */
const TYPED_AHEAD_MS = 30;

function forgetKeys(): Promise<boolean> {
  const { stdin } = process;
  if (!stdin.isTTY) return Promise.resolve(false);
  let typed = "";
  const take = (chunk: Buffer) => {
    typed += chunk.toString();
  };
  stdin.setRawMode(true);
  stdin.on("data", take);
  stdin.resume();
  return new Promise((resolve) => {
    setTimeout(() => {
      stdin.off("data", take);
      stdin.pause();
      stdin.setRawMode(false);
      resolve(typed.includes("\u0003"));
    }, TYPED_AHEAD_MS);
  });
}

function nextKey(): Promise<string | undefined> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const end = (key: Buffer | undefined) => {
      stdin.off("data", end);
      stdin.off("end", ended);
      if (stdin.isTTY) stdin.setRawMode(false);
      stdin.pause();
      resolve(key?.toString());
    };
    const ended = () => end(undefined);
    if (stdin.isTTY) stdin.setRawMode(true);
    stdin.on("data", end);
    stdin.on("end", ended);
    stdin.resume();
  });
}

/** Sets the code that this process ends with once it has nothing left to do; success doesn't hide a failure. */
export function setExitCode(code: number): void {
  if (code !== 0 || !process.exitCode) process.exitCode = code;
}

/** Ends the process at once, losing pending output: only for a second Ctrl-C. */
export function endNow(code: number): never {
  process.exit(code);
}

function loginName(env: NodeJS.ProcessEnv): string {
  const uid = process.getuid?.();
  // Throws, or says "unknown", where it doesn't find the user; the environment is only what somebody says.
  const asked = () => {
    const { username } = userInfo();
    return username === "unknown" || username === "" ? undefined : username;
  };
  return (
    attempt(asked) ?? attempt(() => userOf(uid, readFileSync("/etc/passwd", "utf8"))) ?? (env["USER"] || env["LOGNAME"] || `uid ${uid}`)
  );
}

/** Finds a user's name in the text of a user database (passwd(5)). */
export function userOf(uid: number | undefined, passwd: string): string | undefined {
  const rows = passwd.split("\n").map((line) => line.split(":"));
  return rows.find(([name, , id]) => name !== "" && id === String(uid))?.[0];
}

function attempt<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined; // whoever asks has another way to know
  }
}

function outputOf(stream: NodeJS.WriteStream, onLost: (why: string) => void): Output {
  let closed = false;
  let listeners: (() => void)[] = [];
  const close = () => {
    closed = true;
    const told = listeners;
    listeners = [];
    for (const listener of told) listener();
  };
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Whatever the reason, nothing written there will arrive any more; other reasons than a gone reader must not pass for success.
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET" && error.code !== "ERR_STREAM_DESTROYED") onLost(error.code ?? error.message);
    close();
  });
  return {
    write(data) {
      if (!closed) stream.write(data);
    },
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.columns || 80;
    },
    get closed() {
      return closed;
    },
    onClosed(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
  };
}

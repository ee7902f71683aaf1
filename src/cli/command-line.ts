// How must a command be written so that it runs as printed on this machine? Never print a command for a person without this.
import { realpathSync } from "node:fs";
import type { Io } from "./io.ts";

/** The files that the command has to be told, since it would not find them by itself. */
export interface ToldFiles {
  readonly journal?: string | undefined;
  readonly manifest?: string | undefined;
}

/** Writes a command: `synartesis` where PATH leads to this very program, else its absolute path; quoted for a POSIX shell. */
export function commandLine(io: Pick<Io, "env" | "executable">, words: readonly string[], told: ToldFiles = {}): string {
  const options = [
    ...(told.manifest === undefined ? [] : ["--manifest", told.manifest]),
    ...(told.journal === undefined ? [] : ["--journal", told.journal]),
  ];
  // Before a `--` the options are ours, after it they are somebody else's.
  const end = words.indexOf("--");
  const at = end === -1 ? words.length : end;
  return [...programWords(io), ...words.slice(0, at), ...options, ...words.slice(at)].map(shellQuote).join(" ");
}

/** Gives the words that start this program from a shell: `synartesis` where PATH leads to it. */
export function programWords(io: Pick<Io, "env" | "executable">): readonly string[] {
  return placeOnPath(io) === undefined ? io.executable : ["synartesis"];
}

/** Gives the words that start this program from anywhere, for a file: a place on PATH stays where it is when what it leads to is replaced by an update. */
export function proxyProgram(io: Pick<Io, "env" | "executable">): readonly string[] {
  const onPath = placeOnPath(io);
  return onPath === undefined ? io.executable : [onPath];
}

/** Where PATH leads to this very program; absolute. */
function placeOnPath({ env, executable }: Pick<Io, "env" | "executable">): string | undefined {
  const [program, ...more] = executable;
  if (program === undefined || more.length > 0) return undefined;
  const onPath = Bun.which("synartesis", { PATH: env["PATH"] ?? "" });
  return onPath?.startsWith("/") && samePlace(onPath, program) ? onPath : undefined;
}

/** Quotes a word for a POSIX shell where it needs it. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // A control character would act on the terminal that shows the command: $'...' (POSIX 2024) writes it as an escape.
  if (/\p{Cc}/u.test(word)) {
    const octal = (character: string) => [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    const escaped = word.replace(/[\\']/g, "\\$&").replace(/\p{Cc}/gu, octal);
    return `$'${escaped}'`;
  }
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** Tells whether two paths lead to the same file. */
export function samePlace(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    // One of them can't be read any more, so it can't be told that they are the same.
    return false;
  }
}

// How does a hint become something to type here? A command of ours stands in a hint in backticks, `synartesis list`; whoever wrote it knows
// neither where this program lies nor which files this command was told. Never changes anything else.
import { SynartesisError } from "../errors.ts";
import { commandLine, type ToldFiles } from "./command-line.ts";
import { findGiven } from "./find-files.ts";
import type { Io } from "./io.ts";

/** Gives the error with its hint's commands as they run here, on the files that this command line named. */
export function withPrintedHint(io: Io, error: unknown): unknown {
  if (!(error instanceof SynartesisError) || error.hint === undefined) return error;
  const hint = error.hint.replace(/`synartesis ([\w -]+)`/g, (_, words: string) => commandLine(io, words.split(" "), toldBy(io)));
  const printed = new SynartesisError(error.code, error.message, { hint, cause: error.cause });
  if (error.stack !== undefined) printed.stack = error.stack;
  return printed;
}

/** What a command has to be told to find the files that this one was told of. */
function toldBy(io: Io): ToldFiles {
  return findGiven(io, { manifest: givenFor(io, "--manifest"), journal: givenFor(io, "--journal") });
}

function givenFor({ args }: Io, name: string): string | undefined {
  const end = args.indexOf("--");
  const words = end === -1 ? args : args.slice(0, end);
  const at = words.findLastIndex((word) => word === name || word.startsWith(`${name}=`));
  if (at === -1) return undefined;
  return words[at] === name ? words[at + 1] : words[at]?.slice(name.length + 1);
}

// What do the views depend on? The clock, the width and how commands are printed, taken from the context once.
import type { Context } from "./command.ts";
import type { Io } from "./io.ts";
import type { OpenedJournal } from "./open-journal.ts";
import type { View } from "./render/runs.ts";
import { type Style, styleFor } from "./render/style.ts";

/** Gives the view of this moment. */
export function viewOf({ io }: Context, opened: OpenedJournal): View {
  // Piped, a line is as long as it is; a program that reads it would only find it cut.
  return { now: io.now(), columns: widthOf(io, 1000), command: opened.command };
}

/** Gives the width in cells that text is laid out for: the terminal's, else what COLUMNS says, else `otherwise`. */
export function widthOf({ stdout, env }: Pick<Io, "stdout" | "env">, otherwise: number): number {
  if (stdout.isTerminal) return stdout.columns;
  return /^[1-9]\d{0,3}$/.test(env["COLUMNS"] ?? "") ? Number(env["COLUMNS"]) : otherwise;
}

/** Gives the colours of stdout. */
export function styleOf({ io }: Context): Style {
  return styleFor(io.colour);
}

/** Tells whether this is a terminal that can be written to anywhere, with somebody at its keys. */
export function isScreen({ stdin, stdout, env }: Pick<Io, "stdin" | "stdout" | "env">): boolean {
  return stdin.isTerminal && stdout.isTerminal && env["TERM"] !== "dumb";
}

// What do the views depend on? The clock, the width and how commands are printed, taken from the context once.
import type { Context } from "./command.ts";
import type { OpenedJournal } from "./open-journal.ts";
import type { View } from "./render/runs.ts";
import { type Style, styleFor } from "./render/style.ts";

/** Gives the view of this moment. */
export function viewOf({ io }: Context, opened: OpenedJournal): View {
  // Piped, a line is as long as it is; a program that reads it would only find it cut.
  const columns = io.stdout.isTerminal ? io.stdout.columns : 1000;
  return { now: io.now(), columns, command: opened.command };
}

/** Gives the colours of stdout. */
export function styleOf({ io }: Context): Style {
  return styleFor(io.colour);
}

// How does a command get at the record? It must exist already (only a proxy makes one), and a person is told where it lies when
// that isn't beside the manifest.
import type { Journal } from "../journal/journal.ts";
import type { Context } from "./command.ts";
import { commandLine } from "./command-line.ts";
import { type FileOptions, findJournal, isFoundUpwards, toldJournal } from "./find-files.ts";

/** An open journal, closed when the command ends, and how to print a command that finds it again. */
export interface OpenedJournal {
  readonly journal: Journal;
  readonly file: string;
  /** It isn't the journal of a project around the current folder, so a person may not think of it. */
  readonly isElsewhere: boolean;
  /** Writes `synartesis WORDS...` so that it runs as printed, from the current folder, on this journal. */
  command(...words: string[]): string;
}

/** Opens the journal that the options mean. @throws journal-missing, journal-newer, journal-unusable */
export async function openExisting(context: Context, options: FileOptions): Promise<OpenedJournal> {
  const file = locateJournal(context, options);
  const { openJournal } = await import("../journal/open.ts");
  const journal = await openJournal({ file, mode: "existing" });
  context.defer(() => journal.close());
  const told = toldJournal(context.io, file);
  const isElsewhere = !isFoundUpwards(context.io, file);
  return { journal, file, isElsewhere, command: (...words) => commandLine(context.io, words, told) };
}

/** Finds the journal's file, and says so on stderr when it had to be put elsewhere than beside the manifest. */
export function locateJournal(context: Context, options: FileOptions): string {
  const place = findJournal(context.io, options);
  if (place.moved !== undefined) context.note(`synartesis: ${place.moved}, so the journal is in ${place.file}`);
  return place.file;
}

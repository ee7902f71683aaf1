// Where was a person in the wizard when they stopped? Their answers, in the home, for them alone, until the wizard has come to its end. Holds names and
// choices, never a secret of a server.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Given } from "../../draft/questions.ts";
import { homeFolder } from "../find-files.ts";
import type { Io } from "../io.ts";
import { contentOf, replaceFile } from "../replace-file.ts";

/** What is kept. */
export interface KeptAnswers {
  /** What the wizard was about: the manifest and the server, if it was named. */
  readonly about: string;
  readonly given: readonly Given[];
  /** Digests of the lists of tools that were asked about, by server. */
  readonly tools: Readonly<Record<string, string>>;
}

const SHAPE = z.object({
  about: z.string(),
  given: z.array(z.object({ id: z.string(), answer: z.union([z.string(), z.array(z.string())]) })),
  tools: z.record(z.string(), z.string()),
});

/** Reads what was kept about this; undefined where there is nothing, or nothing that can be read. */
export function keptAnswers(io: Io, about: string): KeptAnswers | undefined {
  const bytes = contentOf(fileOf(io));
  if (bytes === undefined) return undefined;
  try {
    const read = SHAPE.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return read.success && read.data.about === about ? read.data : undefined;
  } catch {
    return undefined; // of half a file nothing is known, and is written anew
  }
}

/** Keeps it, in place of what was there. */
export function keepAnswers(io: Io, answers: KeptAnswers): void {
  const file = fileOf(io);
  replaceFile(file, contentOf(file), JSON.stringify(answers)); // changed meanwhile: by another wizard, which then is the one to go on
}

/** Forgets it. */
export function dropAnswers(io: Io): void {
  rmSync(fileOf(io), { force: true });
}

function fileOf(io: Io): string {
  return join(homeFolder(io), "wizard.json");
}

// Which manifest does a command write to, and how does a server get into it? Never overwrites what somebody wrote meanwhile.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SynartesisError } from "../errors.ts";
import { extendManifest } from "../manifest/extend-manifest.ts";
import { isManifestSchema, manifestSchema, SCHEMA_FILE, SCHEMA_LINE } from "../manifest/json-schema.ts";
import { type Addition, newManifest } from "../manifest/new-manifest.ts";
import { settleRules } from "../manifest/open-rules.ts";
import { homeFolder, lookForManifest, MANIFEST_NAME } from "./find-files.ts";
import type { Io } from "./io.ts";
import { contentOf, type Replacing, replaceFile } from "./replace-file.ts";

/** Rules that a draft left open, and what comes in their place, by the tool's name. */
export interface Settled {
  readonly server: string;
  readonly rules: ReadonlyMap<string, string>;
}

/** Finds the manifest that a command writes to: the one that was named, else the one it finds, else the one in the home, which may not exist. @throws usage where the named one's folder isn't there */
export function manifestToWrite(io: Io, told: string | undefined): string {
  if (told !== undefined) return inFolder(resolve(io.cwd, told));
  return lookForManifest(io, {}) ?? join(homeFolder(io), MANIFEST_NAME);
}

/** A folder that was named by mistake must not come to be. */
function inFolder(file: string): string {
  if (existsSync(dirname(file))) return file;
  throw new SynartesisError("usage", `there is no folder ${dirname(file)} for the manifest`, {
    hint: "make it first, or name another place",
  });
}

/** Adds servers and rules, or writes a new manifest where `before` is undefined. @throws refused where it was changed meanwhile; manifest-invalid where it can't be extended. */
export function addToManifest(file: string, before: Uint8Array | undefined, addition: Addition): void {
  if (writeManifest(file, before, manifestWith(file, before, [addition])).kind === "replaced") return;
  throw new SynartesisError("refused", `${file} was changed meanwhile, and was left as it is`, { hint: "run the command again" });
}

/** Gives the text of a manifest with servers and rules added or open rules settled, or of a new one where `before` is undefined. @throws manifest-invalid where it can't be */
export function manifestWith(file: string, before: Uint8Array | undefined, changes: readonly (Addition | Settled)[]): string {
  const [first, ...more] = changes;
  let text = before === undefined ? undefined : new TextDecoder("utf-8", { ignoreBOM: true }).decode(before);
  if (text === undefined && first !== undefined && !("rules" in first)) text = `${SCHEMA_LINE}\n${newManifest(first)}`;
  for (const change of before === undefined ? more : changes) text = changed(file, text ?? "", change);
  return text ?? "";
}

/** Writes a manifest's text, if the file still holds `before`, with its schema beside it. */
export function writeManifest(file: string, before: Uint8Array | undefined, text: string): Replacing {
  const replaced = replaceFile(file, before, text);
  if (replaced.kind === "replaced" && text.includes(SCHEMA_LINE)) writeSchema(join(dirname(file), SCHEMA_FILE));
  return replaced;
}

/** Puts the schema of this version beside a manifest that names it. A file of that name that is something else stays. */
function writeSchema(file: string): void {
  const before = contentOf(file);
  if (before !== undefined && !isManifestSchema(new TextDecoder().decode(before))) return;
  replaceFile(file, before, `${JSON.stringify(manifestSchema(), null, 2)}\n`); // changed meanwhile: by another init, to the same
}

function changed(file: string, before: string, change: Addition | Settled): string {
  const extension = "rules" in change ? settleRules(before, change.server, change.rules) : extendManifest(before, change);
  if (extension.kind === "extended") return extension.text;
  throw new SynartesisError("manifest-invalid", `${file} can't be changed: ${extension.reason}`);
}

// What is in a folder, byte by byte? For tests that compare it before and after.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Gives every file below a folder as its path and its bytes in hexadecimal, and every folder as its path and "folder". */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    entries.map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).isDirectory() ? "folder" : readFileSync(path).toString("hex")] as const;
    }),
  );
}

/** Writes files below a folder. */
export function plant(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

/** The files below a folder, by path relative to it. */
export function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

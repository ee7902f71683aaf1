// Where do the texts of a history stand? In a real folder, or for a copy that nobody undoes in memory.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cells, cellOf, linesOf, placeOfLine } from "./cells.ts";
import { Refusal } from "./crm.ts";

/** Texts by name. */
export interface Folder {
  names(): readonly string[];
  /** Undefined where there is none of this name. */
  read(name: string): string | undefined;
  write(name: string, text: string): void;
  remove(name: string): void;
}

/** A folder on the disk, which is made where it is missing. */
export function realFolder(path: string): Folder {
  mkdirSync(path, { recursive: true });
  const at = (name: string) => join(path, name);
  return {
    names: () => readdirSync(path).sort(),
    read: (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined),
    write: (name, text) => writeFileSync(at(name), text),
    remove: (name) => rmSync(at(name)),
  };
}

/** A copy in memory. */
export function copyOf(folder: Folder): Folder {
  const texts = new Map(folder.names().map((name) => [name, folder.read(name) ?? ""] as const));
  return {
    names: () => [...texts.keys()].sort(),
    read: (name) => texts.get(name),
    write: (name, text) => void texts.set(name, text),
    remove: (name) => void texts.delete(name),
  };
}

/** Reads a text that has to be there. */
export function textIn(folder: Folder, name: string): string {
  const text = folder.read(name);
  if (text === undefined) throw new Refusal(`no such file: ${name}`);
  return text;
}

/** What a folder shows, by cell. */
export function folderCells(folder: Folder): Cells {
  const cells = new Map<string, string>();
  for (const name of folder.names()) {
    cells.set(name, "here");
    for (const line of linesOf(textIn(folder, name))) cells.set(cellOf(name, "text", placeOfLine(line)), line);
  }
  return cells;
}

// Is the file at the journal's path still the one that we opened? Compared by device and inode before each commit, because a deleted or
// replaced database takes writes without a word.
import { statSync } from "node:fs";
import { SynartesisError } from "../errors.ts";

/** Remembers which files an open database consists of. */
export class FileIdentity {
  readonly #file: string;
  readonly #database: string | undefined;
  readonly #wal: string | undefined;

  /** Looks at the files of a database that is open and has been read from (so that its write-ahead log exists). */
  constructor(file: string) {
    this.#file = file;
    this.#database = look(file).identity;
    this.#wal = look(`${file}-wal`).identity;
  }

  /** Gives the size of the write-ahead log in bytes. @throws journal-unusable if one of the files is another one by now */
  check(): number {
    this.#compare(this.#file, this.#database);
    return this.#compare(`${this.#file}-wal`, this.#wal);
  }

  #compare(file: string, before: string | undefined): number {
    const { identity, size } = look(file);
    if (identity !== undefined && identity === before) return size;
    const what = identity === undefined ? "was deleted or moved away" : "was replaced by another file";
    throw new SynartesisError("journal-unusable", `The journal's file ${file} ${what} while in use.`, {
      hint: "Put it back if you can, and start again; what is recorded from now on would be lost with it.",
    });
  }
}

function look(file: string): { readonly identity: string | undefined; readonly size: number } {
  const found = statSync(file, { throwIfNoEntry: false });
  return { identity: found === undefined ? undefined : `${found.dev}:${found.ino}`, size: found?.size ?? 0 };
}

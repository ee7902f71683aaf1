// Is the file at the journal's path still the one that we opened? Compared by device, inode and size before each commit, because a deleted,
// replaced or shortened database takes writes without a word.
import { statSync } from "node:fs";
import { SynartesisError } from "../errors.ts";

/** Remembers which files an open database consists of. */
export class FileIdentity {
  readonly #file: string;
  readonly #database: Look;
  readonly #wal: Look;
  readonly #memory: Look;

  /** Looks at the files of a database that is open and has been read from (so that its write-ahead log and shared memory exist). */
  constructor(file: string) {
    this.#file = file;
    this.#database = look(file);
    this.#wal = look(`${file}-wal`);
    this.#memory = look(`${file}-shm`);
  }

  /** Gives the size of the write-ahead log in bytes. @throws journal-unusable if one of the files is another one by now */
  check(): number {
    const size = this.#compare(this.#file, this.#database);
    // The log is begun anew now and then; the database only ever grows, and the next to open an emptied one would delete the log.
    if (size < this.#database.size) throw this.#trouble(this.#file, "was cut short");
    // Who opens the database while the shared memory is gone makes another, and from then on neither knows of the other's pages.
    this.#compare(`${this.#file}-shm`, this.#memory);
    return this.#compare(`${this.#file}-wal`, this.#wal);
  }

  #compare(file: string, before: Look): number {
    const { identity, size } = look(file);
    if (identity !== undefined && identity === before.identity) return size;
    throw this.#trouble(file, identity === undefined ? "was deleted or moved away" : "was replaced by another file");
  }

  #trouble(file: string, what: string): SynartesisError {
    return new SynartesisError("journal-unusable", `the journal's file ${file} ${what} while in use`, {
      hint: "put it back if you can, and start again; what is recorded from now on would be lost with it",
    });
  }
}

interface Look {
  readonly identity: string | undefined;
  /** Bytes. */
  readonly size: number;
}

function look(file: string): Look {
  const found = statSync(file, { throwIfNoEntry: false });
  return { identity: found === undefined ? undefined : `${found.dev}:${found.ino}`, size: found?.size ?? 0 };
}

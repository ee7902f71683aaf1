// Where does a journal live? In a folder of our own (0700, invisible to git) where we make one; a folder that was there for something else
// stays as it is. Never opens a database: closing such a handle would drop SQLite's locks.
import { chmodSync, closeSync, existsSync, lstatSync, mkdirSync, openSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SynartesisError, systemCode } from "../errors.ts";

/** The name by which a folder is ours even if somebody else made it. */
const OWN_NAME = ".synartesis";

/**
 * Makes a folder for the journal and what lies beside it: ours (0700, with a `.gitignore` of `*`) if it is named `.synartesis`, and no link, or
 * wasn't there. @throws journal-unusable
 */
export function prepareFolder(folder: string): void {
  explained(folder, () => {
    const present = lstatSync(folder, { throwIfNoEntry: false });
    // Behind a link lies a folder of somebody else's, whatever the link is named.
    const own = present === undefined || (present.isDirectory() && basename(folder) === OWN_NAME);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!own) return;
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    const ignore = join(folder, ".gitignore");
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n", { mode: 0o600 });
  });
}

/** Makes an empty file with mode 0600 for a journal (its log and shared memory take over the mode), and its folder. @throws journal-unusable */
export function createFile(file: string): void {
  if (existsSync(file)) return;
  prepareFolder(dirname(file));
  explained(file, () => {
    try {
      closeSync(openSync(file, "wx", 0o600));
    } catch (error) {
      if (!existsSync(file)) throw error; // else another process was first
    }
  });
}

/** Follows a link to the file itself, beside which SQLite puts its log. */
export function behindLink(file: string): string {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? realpathSync(file) : file;
}

function explained(path: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const code = systemCode(error);
    throw new SynartesisError(
      "journal-unusable",
      `the journal can't be made: ${path} can't be written${code === undefined ? "" : ` (${code})`}`,
      {
        hint: "look at its owner, its mode and the free space, or name another place with --journal",
        cause: error,
      },
    );
  }
}

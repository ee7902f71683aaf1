// How is a file of ours read, and how does it get new content? As a client's file does, and its folder is made where there is none. What the system
// refuses is said of the file, by its name.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { refusalOf } from "../clients/edit-file.ts";
import { contentOf as contentIn, type Replacing, swapContent } from "../clients/swap-content.ts";
import { SynartesisError } from "../errors.ts";

export type { Replacing } from "../clients/swap-content.ts";

/** Reads a file; undefined where there is none. @throws output-failed where it can't be read, and so not be written either */
export function contentOf(file: string): Uint8Array | undefined {
  return explained(file, "read", () => contentIn(file));
}

/**
 * Writes `text` to `file` in one step, if it still holds `expected` (undefined: doesn't exist). Keeps its mode; a new one is 0600.
 * @throws output-failed
 */
export function replaceFile(file: string, expected: Uint8Array | undefined, text: string): Replacing {
  return explained(file, "written", () => {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return swapContent(file, expected, text);
  });
}

function explained<T>(file: string, verb: "read" | "written", act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const { reason, hint } = refusalOf(cause, verb);
    throw new SynartesisError("output-failed", `${file} can't be ${verb}: ${reason}`, { cause, ...(hint !== undefined && { hint }) });
  }
}

// How does a file of ours get new content? As a client's file does, and its folder is made where there is none.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { type Replacing, swapContent } from "../clients/swap-content.ts";

export { contentOf, type Replacing } from "../clients/swap-content.ts";

/** Writes `text` to `file` in one step, if it still holds `expected` (undefined: doesn't exist). Keeps its mode; a new one is 0600. */
export function replaceFile(file: string, expected: Uint8Array | undefined, text: string): Replacing {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return swapContent(file, expected, text);
}

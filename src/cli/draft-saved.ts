// What would init write for a server whose tools/list was saved to a file? Prints the draft; starts nothing and writes nothing.
import { closeSync, openSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { draftJson } from "../draft/draft-json.ts";
import { draftRules } from "../draft/draft-rules.ts";
import { LONGEST_LIST, readSavedTools } from "../draft/saved-tools.ts";
import { SynartesisError, systemCode } from "../errors.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import type { Context } from "./command.ts";
import { visible } from "./render/visible.ts";

/** Prints the rules as YAML, or with `json` what is proposed for each tool. @throws usage where the file holds no list of tools */
export function printSavedDraft(context: Context, server: string, told: string, json: boolean): void {
  const file = resolve(context.io.cwd, told);
  const saved = readSavedTools(readUpTo(file, LONGEST_LIST + 1));
  if (saved.kind === "unreadable")
    throw new SynartesisError("usage", `${visible(file)} ${saved.reason}`, {
      hint: 'save what the server answers to tools/list: {"tools": [...]}',
    });
  if (json) context.printJson(draftJson(saved.tools));
  else printRules(context, server, saved.tools);
}

function printRules(context: Context, server: string, tools: readonly ListedTool[]): void {
  const { rulesYaml, summary } = draftRules(server, tools);
  context.print(rulesYaml.join("\n\n"));
  const counts = `${summary.reads} that only read, ${summary.held} held until a person says otherwise`;
  context.note(`rules for ${server}, as init would write them: ${counts}; nothing was written`);
}

/** Reads at most so many bytes, of a pipe too: more are too many, however many there are. */
function readUpTo(file: string, most: number): Uint8Array {
  const parts: Uint8Array[] = [];
  try {
    const handle = openSync(file, "r");
    try {
      for (let left = most; left > 0; ) {
        const part = new Uint8Array(Math.min(left, 1024 * 1024));
        const length = readSync(handle, part, 0, part.length, null);
        if (length === 0) break;
        parts.push(part.subarray(0, length));
        left -= length;
      }
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    const code = systemCode(cause) ?? "unknown error";
    throw new SynartesisError("usage", `${visible(file)} can't be read (${code})`, { cause });
  }
  return Buffer.concat(parts);
}

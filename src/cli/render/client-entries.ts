// How is a change of a client's entry shown? Line by line, with every value that may be a secret covered, however the file is laid out.
import { maskedEntry } from "../../clients/mask.ts";
import { isJsonObject, type Json, printJson } from "../../core/json.ts";
import { textHunks } from "../../core/text-diff.ts";
import { visible } from "./visible.ts";

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** Gives the lines of a diff between two entries. */
export function entryDiff(before: Json, after: Json): readonly string[] {
  const hunks = textHunks(entryText(maskedEntry(before)), entryText(maskedEntry(after)));
  return hunks.flatMap(({ lines }) => lines.map(({ kind, text: line }) => `${SIGNS[kind]} ${visible(line.replace(/\n$/, ""))}`));
}

/** Gives the line below what can't be done that says what to do, if there is something. */
export function hintLines(hint: string | undefined): readonly string[] {
  return hint === undefined ? [] : [`    ${visible(hint)}`];
}

/** One line per member, at any depth; lists in one line. */
function entryText(entry: Json, indent = ""): string {
  if (!isJsonObject(entry)) return `${indent}${printJson(entry)}\n`;
  return Object.entries(entry)
    .map(([name, value]) =>
      isJsonObject(value)
        ? `${indent}${printJson(name)}:\n${entryText(value, `${indent}  `)}`
        : `${indent}${printJson(name)}: ${printJson(value)}\n`,
    )
    .join("");
}

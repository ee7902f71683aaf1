// How does a person see what a manifest is to become? As the lines that come and go, with what is around them; the first of them where there are many. Pure.
import { textHunks } from "../../core/text-diff.ts";
import { shorten } from "./layout.ts";
import type { Style } from "./style.ts";
import { visible } from "./visible.ts";

const MARKS = { same: " ", removed: "-", added: "+" } as const;

/** Gives the lines; `most` of them, and how many more there are. */
export function manifestChange(
  before: string,
  after: string,
  { most, width, style }: { most: number; width: number; style: Style },
): string {
  const paint = { same: style.dim, removed: style.red, added: style.green };
  const lines = textHunks(before, after).flatMap((hunk, index) => [
    ...(index === 0 ? [] : ["  ..."]),
    ...hunk.lines.map(({ kind, text }) => paint[kind](shorten(`${MARKS[kind]} ${visible(text.replace(/\r?\n$/, ""))}`, width))),
  ]);
  return lines.length <= most ? lines.join("\n") : [...lines.slice(0, most), `  ... and ${lines.length - most} lines more`].join("\n");
}

// How does a person see what a manifest is to become? As the lines that come and go, with what is around them; the first of them where there are many. Pure.
import { textHunks } from "../../core/text-diff.ts";
import { wrap } from "./layout.ts";
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
    ...hunk.lines.map(({ kind, text }) => paint[kind](markedLine(MARKS[kind], visible(text.replace(/\r?\n$/, "")), width))),
  ]);
  return lines.length <= most ? lines.join("\n") : [...lines.slice(0, most), `  ... and ${lines.length - most} lines more`].join("\n");
}

/** One line of the file is one of the change, however many rows it takes: nothing of it is cut, a folder that may be changed least of all. */
function markedLine(mark: string, text: string, width: number): string {
  const [first = "", ...more] = wrap(text, width - 6).split("\n");
  return [`${mark} ${first}`, ...more.map((row) => `${mark}     ${row}`)].join("\n");
}

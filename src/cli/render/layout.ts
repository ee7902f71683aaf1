// How does text fit a width in cells? Pure; wide characters count as two, colour as none. Never cuts what a person must see
// before answering: that is wrapped, and only summaries are shortened.

/** Shortens to `width` cells, with an ellipsis where something was cut. Expects visible text without colour. */
export function shorten(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += Bun.stringWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return width > 0 ? `${kept}…` : "";
}

/** Wraps at `width` cells behind a space, and within a word only where it fits no line (nothing is lost or moved); indents each line. Keeps line breaks. */
export function wrap(text: string, width: number, indent = ""): string {
  const room = Math.max(10, width - Bun.stringWidth(indent));
  const lines = text.split("\n").flatMap((line) => pieces(line, room));
  return lines.map((line) => `${indent}${line}`).join("\n");
}

/** Wraps sentences likewise; no line begins or ends with the blanks at which it was broken. */
export function wrapWords(text: string, width: number, indent = ""): string {
  const room = Math.max(10, width - Bun.stringWidth(indent));
  const lines = text.split("\n").flatMap((line) => wrap(line, room).split("\n"));
  return lines.map((line) => indent + line.trim()).join("\n");
}

/** Breaks text that is painted, and may be wider than the screen, into lines that fit. */
export function fitted(text: string, columns: number): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => (Bun.stringWidth(line) <= columns ? [line] : Bun.wrapAnsi(line, columns, { hard: true, trim: false }).split("\n")));
}

function pieces(line: string, room: number): string[] {
  if (Bun.stringWidth(line) <= room) return [line];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  const add = (part: string, cells: number) => {
    if (used + cells > room) {
      lines.push(current);
      current = "";
      used = 0;
    }
    current += part;
    used += cells;
  };
  for (const word of line.match(/[^ ]+ *| +/g) ?? []) {
    const bare = Bun.stringWidth(word.trimEnd());
    if (bare <= room && used + bare > room) add("", room + 1);
    // A word that fits no line fills this one; so do spaces beyond its end.
    if (used + Bun.stringWidth(word) <= room) add(word, Bun.stringWidth(word));
    else for (const { segment } of new Intl.Segmenter().segment(word)) add(segment, Bun.stringWidth(segment));
  }
  return [...lines, current].filter((each, at) => at === 0 || each !== "");
}

/** Cells that the last column of a table may be shortened to. */
const LEAST_LAST = 20;

/**
 * Lays out rows, the first of them the heads, in columns two cells apart; the last column is shortened to what is left of `width`. Rows that
 * don't fit so become a block each: the first cell, and below it a line for each of the others.
 */
export function table(rows: readonly (readonly string[])[], width: number): string {
  if (!fitsTable(rows, width)) return blocks(rows, width);
  const widths = widthsOf(rows);
  const before = widths.slice(0, -1).reduce((sum, cells) => sum + cells + 2, 0);
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === widths.length - 1 ? shorten(cell, width - before) : pad(cell, widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Tells whether rows fit `width` as a table, with at most their last column shortened. */
export function fitsTable(rows: readonly (readonly string[])[], width: number): boolean {
  const widths = widthsOf(rows);
  const before = widths.slice(0, -1).reduce((sum, cells) => sum + cells + 2, 0);
  return before + Math.min(LEAST_LAST, widths.at(-1) ?? 0) <= width;
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map((row) => Bun.stringWidth(row[at] ?? ""))));
}

function blocks([heads = [], ...rows]: readonly (readonly string[])[], width: number): string {
  const names = Math.max(0, ...heads.slice(1).map((head) => Bun.stringWidth(head)));
  const block = ([first = "", ...cells]: readonly string[]) =>
    [
      shorten(first, width),
      ...cells.map((cell, at) => `  ${pad(heads[at + 1] ?? "", names)}  ${shorten(cell, width - names - 4)}`.trimEnd()),
    ].join("\n");
  return rows.map(block).join("\n\n");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

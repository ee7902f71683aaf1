// How does text fit a width in cells? Pure; wide characters count as two, colour as none. Never cuts what a person must see
// before answering: that is wrapped, and only summaries are shortened.

/** Marks that some terminals give a cell, or two, of their own, where others draw them into the character before. */
const OWN_CELLS = /\p{Mc}|\p{Emoji_Modifier}/gu;

/** Gives how many cells a text takes on whichever terminal takes the most: a line that is too long there would cover the next one. */
export function cells(text: string): number {
  const counted = Bun.stringWidth(text);
  const marks = text.match(OWN_CELLS);
  if (marks === null) return counted;
  return Math.max(
    counted,
    Bun.stringWidth(text.replace(OWN_CELLS, "")) + marks.reduce((sum, mark) => sum + Math.max(1, Bun.stringWidth(mark)), 0),
  );
}

/** Shortens to `width` cells, with an ellipsis where something was cut. Expects visible text without colour. */
export function shorten(text: string, width: number): string {
  if (cells(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += cells(segment);
    if (used > width) break;
    kept += segment;
  }
  return width > 0 ? `${kept}…` : "";
}

/** Wraps at `width` cells behind a space, and within a word only where it fits no line (nothing is lost or moved); indents each line. Keeps line breaks. */
export function wrap(text: string, width: number, indent = ""): string {
  const room = Math.max(10, width - cells(indent));
  const lines = text.split("\n").flatMap((line) => pieces(line, room));
  return lines.map((line) => `${indent}${line}`).join("\n");
}

/** Wraps sentences likewise; no line begins or ends with the blanks at which it was broken. */
export function wrapWords(text: string, width: number, indent = ""): string {
  const room = Math.max(10, width - cells(indent));
  const lines = text.split("\n").flatMap((line) => wrap(line, room).split("\n"));
  return lines.map((line) => indent + line.trim()).join("\n");
}

/** Wraps a line likewise where it is too long, what is below it further in than its beginning. */
export function wrapLine(line: string, width: number): string {
  if (cells(line) <= width) return line;
  const [indent = ""] = /^ */.exec(line) ?? [];
  return indent + wrapWords(line, width, `${indent}    `).trimStart();
}

/** Breaks text that is painted, and may be wider than the screen, into lines that fit. */
export function fitted(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => (cells(line) <= columns ? [line] : broken(line, columns, columns)));
}

/** What breaks painted text counts as few cells as any terminal does, so that it may have to break it sooner. */
function broken(line: string, columns: number, at: number): readonly string[] {
  const lines = Bun.wrapAnsi(line, at, { hard: true, trim: false }).split("\n");
  return at > 1 && lines.some((each) => cells(each) > columns) ? broken(line, columns, Math.floor(at / 2)) : lines;
}

function pieces(line: string, room: number): string[] {
  if (cells(line) <= room) return [line];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  const add = (part: string, width: number) => {
    if (used + width > room) {
      lines.push(current);
      current = "";
      used = 0;
    }
    current += part;
    used += width;
  };
  for (const word of line.match(/[^ ]+ *| +/g) ?? []) {
    const bare = cells(word.trimEnd());
    if (bare <= room && used + bare > room) add("", room + 1);
    // A word that fits no line fills this one; so do spaces beyond its end.
    if (used + cells(word) <= room) add(word, cells(word));
    else for (const { segment } of new Intl.Segmenter().segment(word)) add(segment, cells(segment));
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
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
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
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  return before + Math.min(LEAST_LAST, widths.at(-1) ?? 0) <= width;
}

function widthsOf(rows: readonly (readonly string[])[]): readonly number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map((row) => cells(row[at] ?? ""))));
}

function blocks([heads = [], ...rows]: readonly (readonly string[])[], width: number): string {
  const names = Math.max(0, ...heads.slice(1).map((head) => cells(head)));
  const block = ([first = "", ...cells]: readonly string[]) =>
    [
      shorten(first, width),
      ...cells.map((cell, at) => `  ${pad(heads[at + 1] ?? "", names)}  ${shorten(cell, width - names - 4)}`.trimEnd()),
    ].join("\n");
  return rows.map(block).join("\n\n");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cells(text)));
}

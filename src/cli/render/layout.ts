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

/** Wraps at `width` cells, at any character (nothing is lost or moved), and indents each line. Keeps line breaks. */
export function wrap(text: string, width: number, indent = ""): string {
  const room = Math.max(10, width - Bun.stringWidth(indent));
  const lines = text.split("\n").flatMap((line) => pieces(line, room));
  return lines.map((line) => `${indent}${line}`).join("\n");
}

function pieces(line: string, room: number): string[] {
  if (Bun.stringWidth(line) <= room) return [line];
  const lines: string[] = [];
  let current = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const cells = Bun.stringWidth(segment);
    if (used + cells > room) {
      lines.push(current);
      current = "";
      used = 0;
    }
    current += segment;
    used += cells;
  }
  return [...lines, current];
}

/** Lays out rows in columns two cells apart; the last column is shortened to what is left of `width` (and never below 20 cells). */
export function table(rows: readonly (readonly string[])[], width: number): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map((row) => Bun.stringWidth(row[at] ?? ""))));
  const before = widths.slice(0, -1).reduce((sum, cells) => sum + cells + 2, 0);
  const last = Math.max(20, width - before);
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === count - 1 ? shorten(cell, last) : pad(cell, widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));
}

// What is the smallest thing of which the judge says who changed it? A cell: a field, a tag, a note, a line of a text, or that a thing is
// there at all. Knows nothing of how undo compares or merges.

/** What a world shows, by cell; a cell that isn't there has no entry. */
export type Cells = ReadonlyMap<string, string>;

/** What one event changed: the cell's content before and right after it, undefined where there was none. */
export type Effect = ReadonlyMap<string, { readonly before: string | undefined; readonly after: string | undefined }>;

/** Names a cell: the thing itself, one of its fields, or a member of one. */
export function cellOf(thing: string, field?: string, member?: string): string {
  return [thing, field, member].filter((part) => part !== undefined).join("|");
}

/** Takes a cell's name apart. */
export function partsOf(cell: string): { readonly thing: string; readonly field: string | undefined; readonly member: string | undefined } {
  const [thing = "", field, member] = cell.split("|");
  return { thing, field, member };
}

/** Tells whether a cell is the scope itself or within it. */
export function isWithin(cell: string, scope: string): boolean {
  return cell === scope || cell.startsWith(`${scope}|`);
}

/** Gives what changed from one state to the next. */
export function effectOf(before: Cells, after: Cells): Effect {
  const effect = new Map<string, { before: string | undefined; after: string | undefined }>();
  for (const cell of new Set([...before.keys(), ...after.keys()]))
    if (before.get(cell) !== after.get(cell)) effect.set(cell, { before: before.get(cell), after: after.get(cell) });
  return effect;
}

/** Sets or removes a cell. */
export function put(cells: Map<string, string>, cell: string, content: string | undefined): void {
  if (content === undefined) cells.delete(cell);
  else cells.set(cell, content);
}

/** The only field whose changes are amounts: it is added to, never set. */
export const CREDIT = "credit";

/** Tells whether a cell is a counter. */
export function isCounter(cell: string): boolean {
  return partsOf(cell).field === CREDIT;
}

/**
 * A line of a text begins with its place, such as `0300| w17`: that tells the judge which line it is, whatever else it says now. Lines stand
 * in the order of their places.
 */
export function placeOfLine(line: string): string {
  return line.slice(0, 4);
}

/** Splits a text into its lines; each ends with LF. */
export function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Joins lines into a text. */
export function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

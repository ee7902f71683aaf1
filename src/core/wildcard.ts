// Does a text match a pattern in which `*` stands for anything? Never backtracks: time is linear in the text for each literal piece.

/** Tells whether the whole text matches; `*` stands for any run of characters, the empty one too. Nothing else is special. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const pieces = pattern.split("*");
  const first = pieces[0] ?? "";
  if (pieces.length === 1) return text === pattern;
  const last = pieces[pieces.length - 1] ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let position = first.length;
  for (const piece of pieces.slice(1, -1)) {
    // The leftmost place leaves the most room for what follows, so it never has to be reconsidered.
    const found = text.indexOf(piece, position);
    if (found < 0 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}

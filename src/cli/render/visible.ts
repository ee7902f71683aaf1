// How is text that others wrote shown on a terminal? With nothing hidden in it: control characters, ANSI sequences and characters
// that reorder or hide text are printed as escapes. Never print foreign text without this.

// Controls (C0, C1), lone surrogates, line and paragraph separators, interlinear marks, and whatever Unicode says a terminal may
// leave out: zero-width and bidirectional controls, soft hyphens, fillers, variation selectors, tags (which carry invisible text). Blanks
// other than the space, which push text out of sight, and the marks of a stack that would cover the lines around it.
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u2800]|(?! )\p{Zs}|(?<=\p{M}{3})\p{M}/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Gives the text with every hidden character escaped (`\n`, `\u001b`, `\u{e0041}`), on one line. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const short = SHORT[character];
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Gives the text as `visible` does, but keeps its line breaks. */
export function visibleLines(text: string): string {
  return text.split(/\r?\n/).map(visible).join("\n");
}

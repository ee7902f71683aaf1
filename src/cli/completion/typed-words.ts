// What did somebody type, going by what their shell hands over? bash gives words as they stand on the line, broken at `=` and `:` and with their
// quotes; the others give them as a program would get them. Pure.

/** The shells that there is a script for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Gives the words as the program would get them. */
export function typedWords(shell: Shell, words: readonly string[]): readonly string[] {
  return shell === "bash" ? glued(words).map(unquoted) : words;
}

/** Puts together what bash breaks apart (COMP_WORDBREAKS). */
function glued(words: readonly string[]): readonly string[] {
  const whole: string[] = [];
  let isOpen = false;
  for (const word of words) {
    const isBreak = /^[=:]+$/.test(word);
    if ((isBreak || isOpen) && whole.length > 0) whole.push(`${whole.pop()}${word}`);
    else whole.push(word);
    isOpen = isBreak;
  }
  return whole;
}

/** A quote that isn't closed yet reaches to the end. */
function unquoted(word: string): string {
  return word.replace(/'([^']*)'?|"((?:[^"\\]|\\.)*)"?|\\(.)/gs, (_, single?: string, double?: string, escaped?: string) => {
    return single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? "";
  });
}

// Can the text of a statement be read in one way only, and will the parser of MySQL's dialect bear it? Asked before it is parsed: servers end
// texts and comments by settings that aren't known here, and the parser is slow where it has to try again, and dies where it nests too deep.

const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\/\*(?:(?!\*\/)[\s\S])*\*\/|(?:--(?=[ \t\r\n]|$)|#)[^\n]*/g;

/** The parser's stack bears some 500 of these, one inside of the other, whatever stands between them. */
const MAX_OPERATORS = 200;
const OPERATORS =
  /[^\s\w,'"`().;]+|\b(?:and|or|xor|not|like|rlike|regexp|is|in|between|div|mod|collate|union|except|intersect|when|interval|binary|member)\b/gi;

/** Each may make the parser try what follows three times over; ten of them cost it some tens of milliseconds. */
const MAX_TRIES = 10;
const TRIED_OR_SETTLED = /[([{]|[)\]}]|,|\bposition\s*\(|\b(?:interval|not|case|binary|and|or|when|then|else|end|select|from|where)\b/gi;

/** Finds what a server may read otherwise than the parser, or what the parser can't be asked; undefined where there is nothing. */
export function findAmbiguity(statement: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*\\['"`]/.test(statement)) return "a backslash stands before a quote, so where the text ends depends on a setting";
  // Where all texts and comments end is clear from here on.
  const bare = statement.replace(QUOTED_OR_COMMENT, (part) => (/^['"`]/.test(part) ? "''" : part.startsWith("/*") ? part : ""));
  if (/\/\*(?:[!+]|M!)/i.test(bare)) return "it has a comment that the server carries out";
  if (/\/\*(?:(?!\*\/)[\s\S])*\/\*/.test(bare)) return "a comment opens inside of a comment";
  if (bare.includes("--")) return "two dashes without a space after them are no comment everywhere";
  if (/[^\S \t\r\n]|\u0085/.test(bare)) return "it has a space that isn't one everywhere";
  if ((bare.match(OPERATORS)?.length ?? 0) > MAX_OPERATORS) return `it has more than ${MAX_OPERATORS} operators`;
  return triesOf(bare) > MAX_TRIES ? "it is nested too deep" : undefined;
}

/** Counts what the parser may have to try again at the worst place of a statement. */
function triesOf(bare: string): number {
  const outer: number[] = [];
  let tries = 0;
  let most = 0;
  for (const [word] of bare.matchAll(TRIED_OR_SETTLED)) {
    if (/^[([{]/.test(word)) {
      outer.push(tries);
      tries += 1;
    } else if (/^[)\]}]/.test(word)) tries = outer.pop() ?? 0;
    else if (/^position/i.test(word)) {
      outer.push(tries);
      tries += 2;
    } else if (/^(?:interval|not|case|binary)$/i.test(word)) tries += 1;
    // What came before is an operand of its own, and isn't tried again.
    else tries = outer.length === 0 ? 0 : Math.min(tries, (outer.at(-1) ?? 0) + 1);
    most = Math.max(most, tries);
  }
  return most;
}

// Does an answer say something itself, or does it only repeat what it was asked? An agent chooses names: its own words must never count as the
// server's. Where that can't be told, they don't count.
import { canonicalJson, isJsonObject, type Json } from "./json.ts";

/** What stands where a repeated argument stood: nothing that words could match, or join over. */
const TAKEN_OUT = "\u0000";

/** Tells whether a text has words in it that aren't from the arguments (`asked`) it answers. `text` and `words` are in lower case. */
export function saysWords(text: string, words: string, asked: Json): boolean {
  if (!text.includes(words)) return false;
  const echoes = echoesIn(asked);
  // Of an argument that has the words, but isn't there as it was sent, nothing tells what the server made.
  const isUnclear = echoes.some(({ forms }) => {
    const holding = forms.filter((form) => hasToken(form, words));
    return holding.length > 0 && !holding.some((form) => text.includes(form));
  });
  return !isUnclear && withoutEchoes(text, [words], echoes).includes(words);
}

/** Tells whether a text that `matches` also does without what it repeats of the arguments; `pieces` are the words that have to be its own. */
export function matchesItself(text: string, pieces: readonly string[], asked: Json, matches: (text: string) => boolean): boolean {
  return matches(text) && matches(withoutEchoes(text, pieces, echoesIn(asked)));
}

/** One text among the arguments, in the forms in which a server may repeat it; of its parts, only the words in them count. */
interface Echo {
  readonly whole: readonly string[];
  readonly forms: readonly string[];
}

function echoesIn(asked: Json): readonly Echo[] {
  const echoes: Echo[] = [];
  const add = (text: string, isName: boolean) => {
    const parts = text.split(/[\\/?#&=:\s]+/u);
    echoes.push({ whole: isName ? [] : formsOf(text), forms: [text, ...parts].flatMap(formsOf) });
  };
  const visit = (value: Json): void => {
    if (typeof value === "string") add(value, false);
    else if (Array.isArray(value)) value.forEach(visit);
    else if (isJsonObject(value))
      for (const [name, member] of Object.entries(value)) {
        add(name, true);
        visit(member);
      }
    else if (value !== null && typeof value !== "boolean") add(canonicalJson(value), false);
  };
  visit(asked);
  return echoes;
}

function formsOf(text: string): readonly string[] {
  const forms = [text, text.trim().replace(/\s+/gu, " "), JSON.stringify(text).slice(1, -1), escaped(encodeURIComponent, text)];
  const all = [...forms, escaped(encodeURI, text), escaped(decodeURIComponent, text)];
  return [...new Set(all.flatMap((form) => [form, form.toLowerCase()]))].filter((form) => form !== "");
}

/** What can't be escaped isn't repeated in that form. */
function escaped(by: (text: string) => string, text: string): string {
  try {
    return by(text);
  } catch {
    return text;
  }
}

/** What has the words in it is taken out wherever it stands; anything else only where it stands alone: a file `e` is no part of ENOENT. */
function withoutEchoes(text: string, words: readonly string[], echoes: readonly Echo[]): string {
  const has = (form: string) => words.some((each) => form.includes(each));
  const taken = echoes.flatMap(({ whole, forms }) => [...whole, ...forms.filter(has)]).filter((form) => text.includes(form));
  const longestFirst = [...new Set(taken)].sort((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, form) => (has(form) ? rest.replaceAll(form, TAKEN_OUT) : withoutToken(rest, form)), text);
}

function withoutToken(text: string, token: string): string {
  let kept = "";
  let from = 0;
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + token.length)) {
    if (!standsAlone(text, at, token.length)) continue;
    kept += text.slice(from, at) + TAKEN_OUT;
    from = at + token.length;
  }
  return kept + text.slice(from);
}

function hasToken(text: string, token: string): boolean {
  for (let at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) if (standsAlone(text, at, token.length)) return true;
  return false;
}

function standsAlone(text: string, at: number, length: number): boolean {
  const isLetter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);
  return !isLetter(text[at - 1]) && !isLetter(text[at + length]);
}

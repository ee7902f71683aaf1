// Which words is a name made of? Splits names of tools and inputs, whatever way they are written. Never reads a meaning into them.

/** Splits a name into lower-case words at separators and at changes of case: `getHTTPStatus`, `get-http-status`, `get_http_status` alike. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\d]+/u)
    .filter((word) => word !== "");
}

/** Gives a word without its plural ending: `entities`, `boxes` and `tasks`, but not `status`. */
export function singular(word: string): string {
  if (word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** Gives a name's words without plural endings, as one text by which two spellings of a name are compared. */
export function nameKey(name: string): string {
  return wordsOf(name).map(singular).join(" ");
}

const SHOWN = 100;

/** Gives the first 100 characters of a text, with dots where there are more. */
export function clipped(text: string): string {
  const characters = [...text.slice(0, 4 * SHOWN)]; // a server may have sent megabytes
  return characters.length <= SHOWN ? characters.join("") : `${characters.slice(0, SHOWN).join("")}...`;
}

/** Puts a server's text between quotes so that it reads as itself, on one line, with nothing invisible; valid as a YAML scalar, too. */
export function quoted(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

/** Escapes what can't be seen in JSON text, where it can only stand inside of quotes. */
export function escapeInvisible(json: string): string {
  return json.replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, escaped);
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`).join("");
}

/** Tells whether a pattern can match this tool and no other: `*` stands for anything, and an empty segment for nothing. */
export function isMatchable(name: string): boolean {
  return !name.includes("*") && name.isWellFormed() && name.trim() === name && name.split(".").every((segment) => segment !== "");
}

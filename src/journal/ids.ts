// What names a run, an action or a decision? Sixteen random letters and digits that can be read aloud. Never derived from content.
import { randomBytes } from "node:crypto";

/** Crockford's base32: no i, l, o or u. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Makes an id of 16 lower-case characters (80 random bits). */
export function randomId(): string {
  let id = "";
  // 256 is a multiple of 32, so the remainder is uniform.
  for (const byte of randomBytes(16)) id += ALPHABET[byte % 32];
  return id;
}

/** Gives the range `[from, to)` of ids that begin with `prefix`, upper case allowed; undefined where no id can. */
export function idRange(prefix: string): { readonly from: string; readonly to: string } | undefined {
  const from = prefix.toLowerCase();
  return /^[0-9a-z]{1,64}$/.test(from) ? { from, to: `${from}{` } : undefined; // "{" follows "z"
}

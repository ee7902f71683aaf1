// Whose token is this? Compared by digest and in constant time, so that neither a right beginning nor a right length shows. Never keeps,
// logs or gives back a token.
import { createHash, timingSafeEqual } from "node:crypto";

/** Below this many characters a token can be guessed. */
export const SHORTEST_TOKEN = 16;

/** A token that is let in: what it is called in the record, and the SHA-256 of its text in lower-case hexadecimal. */
export interface KnownToken {
  readonly name: string;
  readonly sha256: string;
}

/** Makes the function that gives the name of the token in an `Authorization` header; undefined where it is none of them (RFC 6750, section 2.1). */
export function tokenReader(tokens: readonly KnownToken[]): (authorization: string | null) => string | undefined {
  const known = tokens.map(({ name, sha256 }) => ({ name, digest: Buffer.from(sha256, "hex") }));
  return (authorization) => {
    const given = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
    if (given === undefined) return undefined;
    const digest = createHash("sha256").update(given).digest();
    let found: string | undefined;
    // Every one is compared, so that the time tells nothing about which it was.
    for (const token of known) if (timingSafeEqual(token.digest, digest)) found = token.name;
    return found;
  };
}

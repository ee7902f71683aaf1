// What names a value? The SHA-256 of its canonical JSON. Never digest anything else under the same name.
import { canonicalJson, type Json } from "./json.ts";
import { eachCanonicalPart, isLarge } from "./large.ts";

/** 64 lower-case hexadecimal digits. */
export type Digest = string;

/** Computes the SHA-256 of a text (UTF-8) or of bytes, in hexadecimal. */
export function sha256(data: string | Uint8Array): Digest {
  return Bun.SHA256.hash(data, "hex");
}

/** Computes the digest by which a value is stored and compared: SHA-256 over its canonical JSON. */
export function digestOf(value: Json): Digest {
  if (!isLarge(value)) return sha256(canonicalJson(value));
  const hash = new Bun.CryptoHasher("sha256");
  eachCanonicalPart(value, (text) => hash.update(text));
  return hash.digest("hex");
}

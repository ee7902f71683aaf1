// How is a value stored? Once, by the SHA-256 of its canonical JSON, compressed where that pays. What is hashed is what is stored.

import { type Digest, sha256 } from "../core/digest.ts";
import { canonicalJson, type Json, parseJson } from "../core/json.ts";
import { eachCanonicalPart, isLarge, LARGE, letGo } from "../core/large.ts";
import { SynartesisError } from "../errors.ts";
import type { Connection, Row } from "./connection.ts";

/** Texts of fewer UTF-16 units are stored as they are. */
const COMPRESS_FROM = 1024;
/** A large value is compressed in frames of about this many UTF-16 units. */
const FRAME = 1024 * 1024;

/** A value made ready outside the transaction, so that the lock isn't held while it is hashed and compressed. */
export interface Blob {
  readonly digest: Digest;
  readonly encoding: "json" | "zstd";
  readonly content: Uint8Array;
  /** What follows the content, where it is large, each part compressed by itself: SQLite would copy it twice as one. */
  readonly parts?: readonly Uint8Array[];
}

/** Hashes a value and, if it is large and not stored yet, compresses it. */
export function makeBlob(connection: Connection, value: Json): Blob {
  if (isLarge(value)) return makeLargeBlob(value);
  const text = canonicalJson(value);
  const plain = Buffer.from(text); // canonical JSON has no lone surrogates, so UTF-8 carries all of it
  const digest = sha256(plain);
  const worthIt = text.length >= COMPRESS_FROM && connection.first("SELECT 1 FROM blobs WHERE digest = ?", digest) === undefined;
  return worthIt ? { digest, encoding: "zstd", content: Bun.zstdCompressSync(plain) } : { digest, encoding: "json", content: plain };
}

/** The same for a value of which no copy should be made: it is hashed in parts, and each part compressed by itself. */
function makeLargeBlob(value: Json): Blob {
  const hash = new Bun.CryptoHasher("sha256");
  const frames: Uint8Array[] = [];
  let text = "";
  const close = () => {
    const plain = Buffer.from(text); // canonical JSON has no lone surrogates, so UTF-8 carries all of it
    hash.update(plain);
    frames.push(Bun.zstdCompressSync(plain));
    text = "";
  };
  eachCanonicalPart(value, (part) => {
    text += part;
    if (text.length >= FRAME) close();
  });
  if (text !== "") close();
  const [content = new Uint8Array(0), ...parts] = frames;
  letGo(LARGE);
  return { digest: hash.digest("hex"), encoding: "zstd", content, parts };
}

/** The blobs of several values by name; a value that may be undefined may have none. */
export type Blobs<V> = { readonly [K in keyof V]: undefined extends V[K] ? Blob | undefined : Blob };

/** Makes the blobs of several values, such as a call's arguments, snapshot and inverse. */
export function makeBlobs<V extends object & Readonly<Record<keyof V, Json | undefined>>>(connection: Connection, values: V): Blobs<V> {
  const entries = Object.entries<Json | undefined>(values).map(([name, value]) => [
    name,
    value === undefined ? undefined : makeBlob(connection, value),
  ]);
  return Object.fromEntries(entries) as Blobs<V>; // the same names, each with the blob of its own value
}

/** Stores a value; one that is there already stays. */
export function putBlob(connection: Connection, { digest, encoding, content, parts = [] }: Blob): void {
  const sql = "INSERT INTO blobs (digest, encoding, content) VALUES (?,?,?) ON CONFLICT DO NOTHING";
  if (connection.change(sql, digest, encoding, content) === 0) return;
  parts.forEach((part, index) => {
    connection.change("INSERT INTO blob_parts (digest, number, content) VALUES (?,?,?)", digest, index + 1, part);
  });
}

/** Reads a value back. @throws journal-damaged if it is missing or isn't what its digest says */
export function readBlob(connection: Connection, digest: Digest): Json {
  const row = connection.first("SELECT digest, encoding, content FROM blobs WHERE digest = ?", digest);
  const opened = row === undefined ? "is missing" : openBlob(row, partsOf(connection, digest));
  if (typeof opened !== "string") return parseJson(opened.text);
  throw new SynartesisError("journal-damaged", `the value ${digest.slice(0, 12)} in the journal ${connection.file} ${opened}`, {
    hint: "only what needs this value is affected; `synartesis audit verify` shows what else is damaged",
  });
}

/** Reads what follows the content of a value, in order; only of a journal of this version. */
export function partsOf(connection: Connection, digest: Digest): readonly Uint8Array[] {
  const rows = connection.all("SELECT content FROM blob_parts WHERE digest = ? ORDER BY number", digest);
  return rows.map(({ content }) => content as Uint8Array); // STRICT: bytes
}

/** Opens a stored value; a text says what is wrong with it. */
export function openBlob(row: Row, parts: readonly Uint8Array[]): { readonly text: string } | string {
  const content = row["content"];
  if (!(content instanceof Uint8Array)) return "is not stored as bytes";
  let plain: Uint8Array;
  try {
    plain = row["encoding"] === "zstd" ? Buffer.concat([content, ...parts].map((part) => Bun.zstdDecompressSync(part))) : content;
  } catch {
    return "can't be decompressed";
  }
  return sha256(plain) === row["digest"] ? { text: Buffer.from(plain).toString() } : "doesn't match its digest";
}

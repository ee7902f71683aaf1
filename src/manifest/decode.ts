// Which text do a manifest's bytes hold? UTF-8, with or without a byte order mark; anything else is named, never guessed at.
import type { Problem } from "./problem.ts";

/** The text without its byte order mark, or the one thing wrong with the bytes. */
export type Decoding = { readonly kind: "text"; readonly text: string } | { readonly kind: "invalid"; readonly problem: Problem };

/** Decodes a manifest's bytes. */
export function decodeManifest(bytes: Uint8Array): Decoding {
  if (isUtf16(bytes)) return invalid(1, 1, "the file is encoded as UTF-16", "save it as UTF-8");
  try {
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    const { line, column, byte } = firstBadByte(bytes);
    const shown = byte.toString(16).toUpperCase().padStart(2, "0");
    return invalid(line, column, `the file is not valid UTF-8: byte 0x${shown} is no part of a character here`, "save it as UTF-8");
  }
}

function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  // Without a mark, ASCII in UTF-16 has a zero in every other byte; a manifest in UTF-8 has none at all.
  return bytes.length >= 2 && (first === 0) !== (second === 0);
}

/** Finds the byte at which decoding fails: bytes are fed one at a time until the decoder refuses. */
function firstBadByte(bytes: Uint8Array): { line: number; column: number; byte: number } {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  let column = 1;
  for (let index = 0; index < bytes.length; index++) {
    try {
      for (const character of decoder.decode(bytes.subarray(index, index + 1), { stream: true })) {
        column = character === "\n" ? 1 : column + character.length;
        if (character === "\n") line++;
      }
    } catch {
      return { line, column, byte: bytes[index] ?? 0 };
    }
  }
  return { line, column, byte: bytes[bytes.length - 1] ?? 0 };
}

function invalid(line: number, column: number, message: string, hint: string): Decoding {
  return { kind: "invalid", problem: { line, column, message, hint } };
}

// Does the code signature of a Mach-O executable hold, and how is one made without a Mac? An "ad hoc" one, as linkers make it: it names nobody, and lets macOS
// see that the file is whole. Bun makes one for arm64; for x64 it leaves its own runtime's, which no longer holds once our program is appended.
// Layouts: Apple's mach-o/loader.h and cs_blobs.h.

const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const PAGE = 4096;
const SHA256 = 32;
/** Of a code directory of version 0x20400, before its identifier. */
const DIRECTORY_HEADER = 88;
const SUPER_BLOB_HEADER = 20;

interface Layout {
  /** Where the command that names the signature stands, and where the signature is. */
  readonly command: number;
  readonly start: number;
  readonly size: number;
  /** Where the commands of these segments stand. */
  readonly text: number;
  readonly linkedit: number;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function layoutOf(bytes: Uint8Array): Layout | undefined {
  const view = viewOf(bytes);
  const found: Record<string, number> = {};
  for (let index = 0, at = 32; index < view.getUint32(16, true); index++) {
    const kind = view.getUint32(at, true);
    if (kind === LC_CODE_SIGNATURE) found["signature"] = at;
    if (kind === LC_SEGMENT_64) found[new TextDecoder().decode(bytes.subarray(at + 8, at + 24)).replace(/\0+$/, "")] = at;
    at += view.getUint32(at + 4, true);
  }
  const { signature: command, __TEXT: text, __LINKEDIT: linkedit } = found;
  if (command === undefined || text === undefined || linkedit === undefined) return undefined;
  return { command, start: view.getUint32(command + 8, true), size: view.getUint32(command + 12, true), text, linkedit };
}

function pageDigests(code: Uint8Array): Uint8Array {
  const digests = new Uint8Array(Math.ceil(code.length / PAGE) * SHA256);
  for (let page = 0; page * PAGE < code.length; page++)
    digests.set(new Bun.CryptoHasher("sha256").update(code.subarray(page * PAGE, (page + 1) * PAGE)).digest(), page * SHA256);
  return digests;
}

/** Whether a Mach-O executable (64 bits) has a signature over all of its code, and each page is as that says. */
export function signatureHolds(bytes: Uint8Array): boolean {
  const layout = layoutOf(bytes);
  if (layout === undefined || layout.start + layout.size !== bytes.length) return false;
  const view = viewOf(bytes);
  if (view.getUint32(layout.start) !== SUPER_BLOB) return false;
  const directory = layout.start + view.getUint32(layout.start + 16);
  if (view.getUint32(directory) !== CODE_DIRECTORY || view.getUint32(directory + 32) !== layout.start) return false;
  const recorded = directory + view.getUint32(directory + 16);
  const digests = pageDigests(bytes.subarray(0, layout.start));
  return Buffer.compare(digests, bytes.subarray(recorded, recorded + digests.length)) === 0;
}

/** The same executable with an ad hoc signature in place of the one that it has. Throws if it has no room for one. */
export function signAdHoc(bytes: Uint8Array, identifier: string): Uint8Array {
  const layout = layoutOf(bytes);
  if (layout === undefined) throw new Error("this isn't a Mach-O executable with a place for a signature");
  const name = new TextEncoder().encode(`${identifier}\0`);
  const size = SUPER_BLOB_HEADER + DIRECTORY_HEADER + name.length + Math.ceil(layout.start / PAGE) * SHA256;
  const signed = new Uint8Array(layout.start + size);
  signed.set(bytes.subarray(0, layout.start));
  const view = viewOf(signed);
  // What the header says of the signature's size is signed too.
  view.setUint32(layout.command + 12, size, true);
  const length = BigInt(signed.length) - view.getBigUint64(layout.linkedit + 40, true);
  view.setBigUint64(layout.linkedit + 48, length, true);
  view.setBigUint64(layout.linkedit + 32, ((length + BigInt(PAGE) - 1n) / BigInt(PAGE)) * BigInt(PAGE), true);
  signed.set(signatureOf(signed, layout, name, size), layout.start);
  return signed;
}

function signatureOf(signed: Uint8Array, { start, text }: Layout, name: Uint8Array, size: number): Uint8Array {
  const blob = new Uint8Array(size);
  const view = viewOf(blob);
  const header = viewOf(signed);
  [SUPER_BLOB, size, 1, 0, SUPER_BLOB_HEADER].forEach((word, index) => {
    view.setUint32(4 * index, word);
  });
  const hashes = DIRECTORY_HEADER + name.length;
  // Version, flags (ad hoc, signed by a linker), where the hashes and the identifier are, special slots, code slots, and how much is signed.
  const words = [CODE_DIRECTORY, size - SUPER_BLOB_HEADER, 0x20400, 0x20002, hashes, DIRECTORY_HEADER, 0, Math.ceil(start / PAGE), start];
  words.forEach((word, index) => {
    view.setUint32(SUPER_BLOB_HEADER + 4 * index, word);
  });
  // SHA-256, of pages of two to the twelfth.
  blob.set([SHA256, 2, 0, 12], SUPER_BLOB_HEADER + 36);
  view.setBigUint64(SUPER_BLOB_HEADER + 64, header.getBigUint64(text + 40, true));
  view.setBigUint64(SUPER_BLOB_HEADER + 72, header.getBigUint64(text + 48, true));
  // It is a main program.
  view.setBigUint64(SUPER_BLOB_HEADER + 80, 1n);
  blob.set(name, SUPER_BLOB_HEADER + DIRECTORY_HEADER);
  blob.set(pageDigests(signed.subarray(0, start)), SUPER_BLOB_HEADER + hashes);
  return blob;
}

// How does a test open a client's file, change it, and look at its bytes? Whatever is refused unexpectedly fails the test with its reason.
import { expect } from "bun:test";
import type { Change, ClientDocument, Edited, Format, KeyPath, Patch, Refused, Restored } from "../../src/clients/formats/document.ts";
import { openDocument } from "../../src/clients/formats/open-document.ts";

/** Opens a text, or bytes. */
export async function openText(format: Format, text: string | Uint8Array): Promise<ClientDocument> {
  const opening = await openDocument(format, typeof text === "string" ? new TextEncoder().encode(text) : text);
  if (opening.kind === "refused") throw refusal(opening);
  return opening.document;
}

/** The text of a document, with its byte order mark if it has one. */
export function written(document: ClientDocument): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(document.bytes);
}

/** Edits an entry. */
export function edit(document: ClientDocument, entry: KeyPath, ...changes: readonly Change[]): Edited & { readonly kind: "edited" } {
  const edited = document.edit(entry, changes);
  if (edited.kind === "refused") throw refusal(edited);
  return edited;
}

/** Takes an edit back. */
export function restore(document: ClientDocument, patch: Patch): Restored & { readonly kind: "restored" } {
  // As it is kept: a record holds it as JSON.
  const restored = document.restore(JSON.parse(JSON.stringify(patch)) as Patch);
  if (restored.kind === "refused") throw refusal(restored);
  if (restored.kind === "gone") throw new Error("the entry is gone");
  return restored;
}

/** Edits an entry, expects the text that comes of it, and that taking it back gives the text that was there. */
export async function expectEdit(format: Format, text: string, entry: KeyPath, changes: readonly Change[], after: string): Promise<void> {
  const edited = edit(await openText(format, text), entry, ...changes);
  expect(written(edited.document)).toBe(after);
  const restored = restore(edited.document, edited.patch);
  expect(written(restored.document)).toBe(text);
  expect(restored.exact).toBe(true);
}

/** A refusal's words with its place. */
export async function whyRefused(
  format: Format,
  text: string | Uint8Array,
  entry: KeyPath,
  ...changes: readonly Change[]
): Promise<string> {
  const opening = await openDocument(format, typeof text === "string" ? new TextEncoder().encode(text) : text);
  if (opening.kind === "refused") return refusal(opening).message;
  const edited = opening.document.edit(entry, changes);
  if (edited.kind === "refused") return refusal(edited).message;
  throw new Error(`it was not refused: ${written(edited.document)}`);
}

function refusal({ problem }: Refused): Error {
  return new Error(`${problem.line}:${problem.column}: ${problem.message}`);
}

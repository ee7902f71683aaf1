// How does a client's file become a document? Its bytes are decoded, read whole by the grammar of its format, which is loaded only then, and
// refused where that can't be done with certainty.
import { decodeManifest } from "../../manifest/decode.ts";
import type { ClientDocument, Format, Refused } from "./document.ts";
import { EditableDocument } from "./editable-document.ts";
import type { Grammar } from "./tree.ts";

/** A document, or why there is none. */
export type Opening = { readonly kind: "opened"; readonly document: ClientDocument } | Refused;

/** Reads a client's file. */
export async function openDocument(format: Format, bytes: Uint8Array): Promise<Opening> {
  const decoding = decodeManifest(bytes);
  if (decoding.kind === "invalid") return { kind: "refused", problem: decoding.problem };
  // What the format's library keeps of a node is its own: nothing outside of its grammar looks into it.
  const grammar = (await loadGrammar(format)) as Grammar<unknown>;
  return EditableDocument.open({ format, grammar, hasMark: bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf }, decoding.text);
}

async function loadGrammar(format: Format): Promise<unknown> {
  if (format === "yaml") return (await import("./yaml.ts")).yamlGrammar;
  if (format === "toml") return (await import("./toml.ts")).tomlGrammar;
  return (await import("./jsonc.ts")).jsonGrammar({ comments: format !== "json" });
}

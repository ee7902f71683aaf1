// What can be asked of a client's configuration file, whatever its format? To show the entries of a mapping, to change one of them, and to
// take such a change back. Every byte outside of what is changed stays as it came: comments, order, byte order mark, line ends.
import type { Json } from "../../core/json.ts";
import type { Problem } from "../../manifest/problem.ts";

/** `json` takes neither comments nor trailing commas, for clients that don't; `jsonc` takes both. */
export type Format = "json" | "jsonc" | "toml" | "yaml";

/** Nothing was done: what stands in the way, where (line and column from 1), and what to do about it. */
export interface Refused {
  readonly kind: "refused";
  readonly problem: Problem;
}

/** Keys from the document's root, or from an entry, down to a member. */
export type KeyPath = readonly string[];

/** One member of an entry, or one entry of a mapping. */
export interface Member {
  readonly name: string;
  /** What a reader of the format gets. Numbers keep their digits; dates are texts. */
  readonly value: Json;
  /** As it is written, key and value; undefined where its parts stand apart from each other. */
  readonly text: string | undefined;
  /** Of its key, from 1. */
  readonly line: number;
}

/** One entry of a mapping: a server, say. Has no members where its value is no mapping. */
export interface Entry extends Member {
  readonly kind: "entry";
  readonly members: readonly Member[];
}

/** An entry that can't be read or edited with certainty (one of two equal keys, or one with an anchor, say). */
export interface RefusedEntry extends Refused {
  readonly name: string;
}

/** The entries in their order; none where the path leads nowhere. */
export type Entries = { readonly kind: "entries"; readonly entries: readonly (Entry | RefusedEntry)[] } | Refused;

/** A change of an entry. Paths start at the entry; all but the last key must be there. */
export type Change =
  /** Gives a member a value. Where there is none it is put behind the member `after`, else behind the last one. */
  | { readonly kind: "set"; readonly path: KeyPath; readonly value: Json; readonly after?: string }
  /** Takes a member away, and no comment outside of it; nothing happens where there is none. */
  | { readonly kind: "remove"; readonly path: KeyPath };

/** What became of one member, for taking it back; null: there was none, or is none. */
export interface Part {
  readonly path: KeyPath;
  readonly before: { readonly value: Json; readonly text: string | null } | null;
  readonly after: { readonly value: Json } | null;
  /** The member that stood before it; null where it was the first. */
  readonly follows: string | null;
}

/** How an edit is taken back: a JSON value. Holds texts of the file as they are, secrets too. */
export interface Patch {
  readonly entry: KeyPath;
  /**
   * The whole entry as it was written, and as it is now, with as much around it as was changed; the entry begins `lead` code units behind the
   * beginning of `after`. Null where its parts stand apart.
   */
  readonly whole: { readonly before: string; readonly after: string; readonly lead: number } | null;
  /** In the order in which they were made. */
  readonly parts: readonly Part[];
}

export type Edited = { readonly kind: "edited"; readonly document: ClientDocument; readonly patch: Patch } | Refused;

export type Restored =
  | {
      readonly kind: "restored";
      readonly document: ClientDocument;
      /** The entry is byte for byte as it was; else others changed it too, and only the members of the patch were put back. */
      readonly exact: boolean;
      /** Members of the patch that somebody changed since, and that were left as they are (paths from the entry). */
      readonly kept: readonly KeyPath[];
    }
  /** The entry is no longer there. */
  | { readonly kind: "gone" }
  | Refused;

/** A file that was read. Never changes: an edit gives another one. */
export interface ClientDocument {
  readonly format: Format;
  readonly bytes: Uint8Array;
  /** Gives the entries of the mapping at the path from the root. */
  entries(path: KeyPath): Entries;
  /** Changes one entry; what a reader gets of everything else is compared before and after, and has to be equal. */
  edit(entry: KeyPath, changes: readonly Change[]): Edited;
  /** Takes an edit back, also where the file was changed elsewhere, or in the same entry, or written anew. */
  restore(patch: Patch): Restored;
}

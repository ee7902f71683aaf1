// What may stand in a policy's arguments, and what does it become in a given call? References and templates, as data.
import type { Json } from "./json.ts";

export type Namespace = "args" | "snapshot" | "result";

/** One step of a path: a member, a position (`[0]`), or every element (`[]`). */
export type PathStep =
  | { readonly kind: "member"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" };

/** `$.path`, `$snapshot.path` or `$result.path`; no steps: the whole value. */
export interface Reference {
  readonly namespace: Namespace;
  readonly steps: readonly PathStep[];
  /** As written. */
  readonly text: string;
}

/** A compiled piece of a policy's arguments. */
export type Template =
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "reference"; readonly reference: Reference; readonly missing?: Json }
  | { readonly kind: "text"; readonly parts: readonly (string | Reference)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly members: readonly (readonly [string, Template])[] };

/** The values a template may draw on; an absent namespace can't be read. */
export interface Bindings {
  readonly args?: Json;
  readonly snapshot?: Json;
  readonly result?: Json;
}

/** A resolved value, or the reference that found nothing. Under `$.` a missing member is left out instead (10-manifest, base rules). */
export type Resolution = { readonly kind: "value"; readonly value: Json } | { readonly kind: "missing"; readonly reference: Reference };

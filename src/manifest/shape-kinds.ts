// What can be said of one place of a manifest? The kinds of shapes of which shape.ts is made.
/** What may stand at one place of a manifest. */
export type Shape =
  | { readonly kind: "text"; readonly oneOf?: readonly string[]; readonly mayBeEmpty?: true }
  | { readonly kind: "number"; readonly only: number }
  /** A whole number from 1. */
  | { readonly kind: "count" }
  /** A key that is there or not. */
  | { readonly kind: "true" }
  /** As `30s`, `10m`, `2h` or `7d`. */
  | { readonly kind: "duration" }
  /** A list of texts, or a single one in its place; none of them blank, and not empty unless that says something. */
  | { readonly kind: "texts"; readonly mayBeEmpty?: true }
  | { readonly kind: "list"; readonly items: Shape }
  /** One of them, or a list of them that isn't empty. */
  | { readonly kind: "one-or-more"; readonly items: Shape }
  /** Any keys, one shape behind all of them. */
  | { readonly kind: "map"; readonly values: Shape }
  | ObjectShape
  /** A JSON Schema, as a mapping. */
  | { readonly kind: "schema" }
  /** A mapping with references, or one reference to a whole value. */
  | { readonly kind: "template" }
  /** Any value but none, with references. */
  | { readonly kind: "value" }
  /** Any value, nothing too. */
  | { readonly kind: "any" }
  /** One of it, or several behind names of one's own; those can't be among its keys. */
  | { readonly kind: "named"; readonly one: ObjectShape }
  /** As "texts" (none of them: `[]`), or a mapping with more to say. */
  | { readonly kind: "texts-or"; readonly more: ObjectShape };

/** A mapping with keys of the format. */
export interface ObjectShape {
  readonly kind: "object";
  /** As in "unknown key `x` in a rule". */
  readonly name: string;
  readonly keys: Readonly<Record<string, KeyShape>>;
}

/** What may stand behind a key. */
export interface KeyShape {
  readonly shape: Shape;
  readonly required?: true;
  /** One line for editors. */
  readonly about: string;
}

/** A text that isn't blank. */
export const TEXT: Shape = { kind: "text" };
/** A text. */
export const ANY_TEXT: Shape = { kind: "text", mayBeEmpty: true };
/** One or several texts. */
export const TEXTS: Shape = { kind: "texts" };
/** Texts, or `[]` to say that there are none. */
export const ANY_TEXTS: Shape = { kind: "texts", mayBeEmpty: true };

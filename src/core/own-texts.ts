// Does what a read shows belong to one call? It does if it holds a text that the call brought along and that was nowhere before. Pure.
import { isJsonObject, type Json } from "./json.ts";

/** A shorter text is looked for only where it is a whole value, a longer one within texts too. */
const SHORTEST_PART = 4;

/** What a call brought along, and what was there anyway. */
export interface Belongings {
  /** The arguments of the call. */
  readonly args: Json;
  /** What the read itself was asked for, and what others showed before the call: a text in it says nothing. */
  readonly known: readonly Json[];
}

/** Tells whether all of it belongs to the call: of a list each element. */
export function carriesOwn(shown: Json, { args, known }: Belongings): boolean {
  const own = [...textsIn(args)].filter((text) => text !== "" && !known.some((value) => occurs(text, value)));
  const records = Array.isArray(shown) ? shown : [shown];
  return records.length > 0 && records.every((record) => own.some((text) => occurs(text, record)));
}

function occurs(text: string, value: Json): boolean {
  return textsIn(value).some((shown) => shown === text || (text.length >= SHORTEST_PART && shown.includes(text)));
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

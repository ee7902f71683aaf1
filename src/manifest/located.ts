// What does a YAML text hold, and where does each piece stand? A plain tree with offsets, and nothing of YAML left in it.
import { type Json, objectFrom } from "../core/json.ts";

/** A piece of a manifest; offsets are UTF-16 code units into its text. */
export type Located = LocatedMap | LocatedList | LocatedScalar;
export interface LocatedMap {
  readonly kind: "map";
  readonly offset: number;
  readonly entries: readonly LocatedEntry[];
}
export interface LocatedEntry {
  readonly name: string;
  readonly offset: number;
  readonly value: Located;
}
export interface LocatedList {
  readonly kind: "list";
  readonly offset: number;
  readonly items: readonly Located[];
}
export interface LocatedScalar {
  readonly kind: "scalar";
  readonly offset: number;
  readonly value: string | number | boolean | null;
}

/** Gives the entry of a map by its name; undefined where there is none, or no map. */
export function entryOf(node: Located | undefined, name: string): LocatedEntry | undefined {
  return node?.kind === "map" ? node.entries.find((entry) => entry.name === name) : undefined;
}

/** Gives the value of a map's entry. */
export function memberOf(node: Located | undefined, name: string): Located | undefined {
  return entryOf(node, name)?.value;
}

/** Gives a text; undefined for anything else. */
export function textOf(node: Located | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/** Gives a list's items, or the one value that stands where a list may; empty where there is nothing. */
export function itemsOf(node: Located | undefined): readonly Located[] {
  if (node === undefined) return [];
  return node.kind === "list" ? node.items : [node];
}

/** Gives the texts of a list, or the one text that stands in its place. */
export function textsOf(node: Located | undefined): readonly string[] {
  return itemsOf(node).flatMap((item) => textOf(item) ?? []);
}

/** Gives a map of texts as a record; `__proto__` is an ordinary name. */
export function recordOf(node: Located | undefined): Readonly<Record<string, string>> {
  const entries = node?.kind === "map" ? node.entries : [];
  return Object.fromEntries(
    entries.flatMap((entry) => (textOf(entry.value) === undefined ? [] : [[entry.name, textOf(entry.value) ?? ""]])),
  );
}

/** Gives the value without its places. */
export function jsonOf(node: Located): Json {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(jsonOf);
  return objectFrom(node.entries.map((entry) => [entry.name, jsonOf(entry.value)] as const));
}

/** Finds where a piece of a value stands; the nearest one around it if the path leads nowhere. */
export function offsetAt(node: Located, path: readonly (string | number)[]): number {
  const [step, ...rest] = path;
  const next =
    typeof step === "number"
      ? node.kind === "list"
        ? node.items[step]
        : undefined
      : step === undefined
        ? undefined
        : memberOf(node, step);
  return next === undefined ? node.offset : offsetAt(next, rest);
}

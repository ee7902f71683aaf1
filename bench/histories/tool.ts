// What is a tool of the histories? What undoing it means, what it does, and what those do with it who look at nothing: the server, the judge and
// the baselines share it.
import type { Json, JsonObject } from "../../src/core/json.ts";
import { Refusal } from "./crm.ts";
import type { World } from "./world.ts";

/**
 * What undoing a call of the tool means. `fields`: cells get their content back. `make`: what it made is removed. `remove`: what it removed
 * comes back. `offset`: an amount is taken off again. `final`: nothing puts it back.
 */
export type Family = "read" | "fields" | "make" | "remove" | "offset" | "final";

/** A call of a tool. */
export interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

/** One tool. */
export interface Tool {
  readonly family: Family;
  run(world: World, args: JsonObject): Json;
  /** The call that does the first half of it, for a server that fails in the middle. */
  half?(args: JsonObject): JsonObject;
  /** The scope that was made or removed: a cell and all within it. */
  scope?(args: JsonObject, result: Json): string;
  /** The read that shows the state that it changes. */
  readonly look?: (args: JsonObject, result: Json) => Call;
  /** The inverse, from the state that `look` showed before it. */
  readonly back?: (args: JsonObject, before: Json, result: Json) => Call;
}

/** Gives an argument or member as text. */
export const text = (args: Json, name: string): string => String((args as JsonObject)[name]);

/** Gives the members of these names. */
export const pick = (from: Json, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, (from as JsonObject)[name] as Json]));

/** Gives the first half of a list. */
export const firstHalf = <Item>(items: readonly Item[]) => items.slice(0, Math.floor(items.length / 2));

/** Gives the first half of the lines of a text. */
export const halfText = (whole: string) =>
  firstHalf(whole.split("\n"))
    .map((line) => `${line}\n`)
    .join("");

/** What a change answers: the thing that it changed, and nothing that wasn't said before. */
export const done = (args: JsonObject): Json => pick(args, ["id" in args ? "id" : "path"]);

/** Replaces one text by another; an empty replacement takes the line out. */
export function edited(whole: string, args: JsonObject): string {
  const find = text(args, "find");
  if (!whole.includes(find)) throw new Refusal("no such text in it");
  return whole.replace(find, () => text(args, "replace"));
}

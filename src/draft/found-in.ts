// Where in a state or a result stands what an input takes? By names and schemas; where no schema says, it is a guess, and says so.
import { isJsonObject, type Json, objectFrom } from "../core/json.ts";
import { printPath } from "../core/reference.ts";
import { schemaAt } from "../core/schema-at.ts";
import { isIdentity, namesThing } from "./same-input.ts";
import type { Input, ToolFacts } from "./tool-facts.ts";

const WHOLE = new Set("content contents text body markdown data value".split(" "));

/** A template; `certain`: a schema says that it finds something. */
export interface Found {
  readonly text: Json;
  readonly certain: boolean;
}

/** Inputs that hold all that is to be written. */
export const HOLDERS = new Set("body data field fields attribute attributes payload input update patch value".split(" "));

/** Some servers take all that is to be written in one object: its members are put back one by one. */
export function membersInState({ key, type, schema }: Input, state: Json | undefined): Found | undefined {
  if (type !== "object" || !HOLDERS.has(key) || !isJsonObject(schema) || !isJsonObject(schema["properties"])) return undefined;
  const places = Object.keys(schema["properties"]).map((name) => ({ name, at: schemaAt(state, [{ kind: "member", name }]).kind }));
  const there = places.filter(({ at }) => at !== "none");
  if (there.length === 0) return undefined;
  return {
    text: objectFrom(there.map(({ name }) => [name, reference("$snapshot", name)])),
    certain: there.every(({ at }) => at === "schema") && there.length === places.length,
  };
}

/** In the state before, under its own name, or as all of it. */
export function inState(input: Input, state: Json | undefined, reader: ToolFacts): Found | undefined {
  const at = schemaAt(state, [{ kind: "member", name: input.name }]);
  const isWhole = WHOLE.has(input.key) && input.type === "string";
  if (at.kind === "schema") return { text: reference("$snapshot", input.name), certain: true };
  if (at.kind === "none") {
    const only = isWhole && isJsonObject(state) && isJsonObject(state["properties"]) ? Object.keys(state["properties"]) : [];
    return only.length === 1 && WHOLE.has(only[0] ?? "") ? { text: reference("$snapshot", only[0] ?? ""), certain: true } : undefined;
  }
  if (isWhole && state === undefined && (reader.verb === "read" || reader.words.some((word) => WHOLE.has(word))))
    return { text: "$snapshot", certain: false };
  return { text: reference("$snapshot", input.name), certain: false };
}

/** In the result under its own name, as the id of what was made, or as one member of each element of a list. */
export function inResult(input: Input, target: ToolFacts, result: Json | undefined): Found | undefined {
  const short = namesThing(input, target) ? (input.key.split(" ").at(-1) ?? "") : input.name;
  for (const name of [input.name, short]) {
    if (schemaAt(result, [{ kind: "member", name }]).kind === "schema") return { text: reference("$result", name), certain: true };
  }
  const listed = input.type === "array" ? inElements(input, result) : undefined;
  if (listed !== undefined) return { text: listed, certain: true };
  if (schemaAt(result, [{ kind: "member", name: short }]).kind === "none") return undefined;
  return input.type === "array" || input.type === "object" || !isIdentity(input)
    ? undefined
    : { text: reference("$result", short), certain: false };
}

function inElements(input: Input, result: Json | undefined): string | undefined {
  if (!isJsonObject(result) || !isJsonObject(result["properties"])) return undefined;
  const last = input.key.split(" ").at(-1) ?? "";
  for (const [name, member] of Object.entries(result["properties"])) {
    if (!isJsonObject(member) || !isJsonObject(member["items"]) || !isJsonObject(member["items"]["properties"])) continue;
    if (Object.hasOwn(member["items"]["properties"], last)) return `${reference("$result", name)}[].${last}`;
  }
  return undefined;
}

/** Writes a reference to a member, whatever its name is made of. */
export function reference(namespace: "$" | "$snapshot" | "$result", name: string): string {
  const path = printPath([{ kind: "member", name }]);
  return path.startsWith("[") ? `${namespace}${path}` : `${namespace}.${path}`;
}

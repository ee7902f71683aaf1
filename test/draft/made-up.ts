// Tools that a test makes up, with just what it is about.
import type { JsonObject } from "../../src/core/json.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";

/** A tool with inputs as `id`, `title?` (not required), `ids[]` (a list), `done!` (true or false), `mode=get|set` (choices), or `body{}` (an object). */
export function madeUp(name: string, inputs = "", rest: Partial<ListedTool> = {}): ListedTool {
  const parts = inputs.split(" ").filter((part) => part !== "");
  const properties: JsonObject = Object.fromEntries(parts.map((part) => [nameOf(part), schemaOf(part)]));
  const required = parts.filter((part) => !part.includes("?")).map(nameOf);
  return { name, inputSchema: { type: "object", properties, required }, raw: { name }, ...rest };
}

/** A result's schema with these members, all of them there. */
export function shows(...names: readonly string[]): JsonObject {
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names };
}

function nameOf(part: string): string {
  return /^[^?![{=]+/.exec(part)?.[0] ?? "";
}

function schemaOf(part: string): JsonObject {
  if (part.includes("[]")) return { type: "array", items: { type: "string" } };
  if (part.includes("{}")) return { type: "object" };
  if (part.includes("!")) return { type: "boolean" };
  const choices = part.split("=")[1];
  return choices === undefined ? { type: "string" } : { type: "string", enum: choices.split("|") };
}

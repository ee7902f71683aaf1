// What would a suggestion do in a call? Shows its calls on sample arguments, with what isn't known before the call as it is written. Calls nothing.
import { isJsonObject, type Json, type JsonObject, objectFrom, printJson } from "../core/json.ts";
import { readPath, readReference } from "../core/reference.ts";
import { sampleArguments, withArgument } from "../core/sample-arguments.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import type { ToolDraft } from "./draft-tools.ts";
import type { DraftCall } from "./proposal.ts";

/** Gives a line each for a call of the tool, what is read before and after it, and what undo would send; none where undo sends nothing. */
export function callPreview({ name, snapshot, observe, inverse }: ToolDraft, tool: ListedTool | undefined): readonly string[] {
  if (inverse === null || tool === undefined) return [];
  const calls = [snapshot, observe, inverse].filter((call) => call !== null);
  const args = sampleFor(tool, calls);
  return [
    `for the call: ${callText({ tool: name, args }, args)}`,
    ...(snapshot === null ? [] : [`  read before: ${callText(snapshot, args)}`]),
    ...(observe === null ? [] : [`  read after: ${callText(observe, args)}`]),
    `  undo sends: ${callText(inverse, args)}`,
  ];
}

/** What is required, and what the calls draw on. */
function sampleFor({ inputSchema }: ListedTool, calls: readonly DraftCall[]): JsonObject {
  let count = 0;
  let args = sampleArguments(inputSchema, () => `sample-${++count}`);
  const properties = isJsonObject(inputSchema) ? inputSchema["properties"] : undefined;
  for (const reference of calls.flatMap((call) => textsIn(call.args)).flatMap(argumentOf)) {
    const [step] = reference.steps;
    if (step?.kind !== "member" || Object.hasOwn(args, step.name) || !isJsonObject(properties)) continue;
    const wanted = { type: "object", required: [step.name], properties };
    args = withArgument(args, [step], sampleArguments(wanted, () => `sample-${++count}`)[step.name] ?? null);
  }
  return args;
}

function callText({ tool, args }: DraftCall, sample: JsonObject): string {
  return `${tool} ${printJson(filled(args, sample))}`;
}

function filled(value: Json, sample: JsonObject): Json {
  if (typeof value === "string") {
    const [reference] = argumentOf(value);
    const found = reference === undefined ? undefined : readPath(sample, reference.steps);
    return found?.kind === "found" ? found.value : value;
  }
  if (Array.isArray(value)) return value.map((each) => filled(each, sample));
  if (!isJsonObject(value)) return value;
  return objectFrom(Object.entries(value).map(([name, each]) => [name, filled(each, sample)] as const));
}

/** The reference into the call's own arguments that a text is, if it is one. */
function argumentOf(text: string) {
  const reading = text.startsWith("$") ? readReference(text, 0) : undefined;
  return reading?.kind === "reference" && reading.end === text.length && reading.reference.namespace === "args" ? [reading.reference] : [];
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

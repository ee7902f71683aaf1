// Which tools does a server offer? All pages of tools/list. Says so where the list can't be had whole; never gives half of it.
import { isJsonObject, type Json, type JsonObject, printJson } from "../core/json.ts";
import type { Answer, ListedTool } from "./upstream.ts";

/** All tools, or why not. */
export type ToolList =
  | { readonly kind: "tools"; readonly tools: readonly ListedTool[] }
  | { readonly kind: "failed"; readonly reason: string };

/** More pages than this are a server that never ends. */
const MAX_PAGES = 1000;

/** Reads every page through `request`, which asks for one; `meta` is what each request says of itself. */
export async function listAllTools(request: (params: JsonObject) => Promise<Answer>, meta?: JsonObject): Promise<ToolList> {
  const tools: ListedTool[] = [];
  const seen = new Set<string>();
  const base = meta === undefined ? {} : { _meta: meta };
  let params: JsonObject = base;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await request(params);
    if (answer.kind !== "result") return { kind: "failed", reason: `tools/list: ${describeFailure(answer)}` };
    const listed = isJsonObject(answer.result) ? answer.result["tools"] : undefined;
    if (!isJsonObject(answer.result) || !Array.isArray(listed))
      return { kind: "failed", reason: "tools/list: the answer has no list of tools" };
    tools.push(...listed.flatMap(readTool));
    const cursor = answer.result["nextCursor"];
    if (typeof cursor !== "string" || cursor === "") return { kind: "tools", tools };
    if (seen.has(cursor)) return { kind: "failed", reason: "tools/list: the server gives the same page again and again" };
    seen.add(cursor);
    params = { ...base, cursor };
  }
  return { kind: "failed", reason: `tools/list: more than ${MAX_PAGES} pages` };
}

/** Says in words how a request of ours failed. For people; nothing is decided by it. */
export function describeFailure(answer: Exclude<Answer, { kind: "result" }>): string {
  switch (answer.kind) {
    case "timeout":
      return `no answer within ${answer.milliseconds / 1000} s`;
    case "ended":
      return answer.why ?? "the server ended";
    case "error": {
      const message = isJsonObject(answer.error) ? answer.error["message"] : undefined;
      return typeof message === "string" ? message : printJson(answer.error);
    }
  }
}

/** Reads one entry of a tools/list; an entry without a name is no tool, and nobody can call it. */
export function readTool(raw: Json): ListedTool[] {
  if (!isJsonObject(raw) || typeof raw["name"] !== "string") return [];
  const { name, description, inputSchema, outputSchema, annotations } = raw;
  return [
    {
      name: name as string, // just tested; the destructuring forgot it
      inputSchema: inputSchema ?? {},
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(isJsonObject(annotations) ? { annotations } : {}),
      ...(typeof description === "string" ? { description } : {}),
      raw,
    },
  ];
}

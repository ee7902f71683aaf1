// Which headers go with a message of the modern era (MCP 2026-07-28, "Request Metadata", SEP-2243)? Mirrored from its body, and from the
// tools' schemas for what these mark with `x-mcp-header`. Never changes the body.
import { isExactNumber, isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { headerValue } from "../../wire/http/header-value.ts";
import { type ParamMark, readParamMarks } from "../../wire/http/param-marks.ts";
import { valueAt } from "../../wire/respell.ts";
import type { Outgoing } from "../upstream.ts";

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** The member of params that Mcp-Name repeats, by method; tasks as in SEP-2663. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Gives the protocol version that a message of the modern era carries in its `_meta`; undefined for one of the legacy era. */
export function modernVersion(message: Outgoing): string | undefined {
  const meta = metaOf(message);
  const version = meta === undefined ? undefined : meta[VERSION_KEY];
  return typeof version === "string" && message.kind !== "response" ? version : undefined;
}

/** Gives a message's `_meta`. */
export function metaOf(message: Outgoing): JsonObject | undefined {
  const params = message.value["params"];
  return isJsonObject(params) && isJsonObject(params["_meta"]) ? params["_meta"] : undefined;
}

/** Tells whether a message's headers depend on a tool's schema. */
export function mirrorsArguments(message: Outgoing): boolean {
  return message.kind === "request" && message.method === "tools/call";
}

/** A tool whose marks for headers are against the rules. */
export interface WrongTool {
  readonly tool: string;
  readonly why: string;
  /** Its place in the list. */
  readonly at: number;
}

/** Which arguments of which tools are repeated in headers: learned from lists of tools as they pass. */
export class ToolHeaders {
  readonly #tools = new Map<string, readonly ParamMark[]>();

  /** Learns from the result of a tools/list. Gives the tools whose marks are against the rules: nothing is mirrored for those. */
  learn(result: Json): readonly WrongTool[] {
    const tools = isJsonObject(result) ? result["tools"] : undefined;
    if (!Array.isArray(tools)) return [];
    const wrong: WrongTool[] = [];
    for (const [at, tool] of tools.entries()) {
      if (!isJsonObject(tool) || typeof tool["name"] !== "string") continue;
      const read = readParamMarks(tool["inputSchema"]);
      this.#tools.set(tool["name"], read.kind === "marks" ? read.marks : []);
      if (read.kind === "broken") wrong.push({ tool: tool["name"], why: read.why, at });
    }
    return wrong;
  }

  /** Gives every header of a message that carries this version. */
  headersFor(message: Outgoing, version: string): Record<string, string> {
    if (message.kind === "response") return { "mcp-protocol-version": version };
    const params = message.value["params"];
    const member = NAMED_BY[message.method];
    const name = isJsonObject(params) && member !== undefined ? params[member] : undefined;
    return {
      "mcp-protocol-version": version,
      "mcp-method": headerValue(message.method),
      ...(typeof name === "string" ? { "mcp-name": headerValue(name) } : {}),
      ...(mirrorsArguments(message) && isJsonObject(params) && typeof name === "string" ? this.#parameters(name, params) : {}),
    };
  }

  #parameters(tool: string, params: JsonObject): Record<string, string> {
    const found = (this.#tools.get(tool) ?? []).flatMap(({ path, header }) => {
      const text = textOf(valueAt(params["arguments"], path));
      return text === undefined ? [] : [[header, headerValue(text)] as const];
    });
    return Object.fromEntries(found);
  }
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const number = isExactNumber(value) ? Number(value.rawJSON) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? String(number) : undefined;
}

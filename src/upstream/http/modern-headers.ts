// Which headers go with a message of the modern era (MCP 2026-07-28, "Request Metadata", SEP-2243)? Mirrored from its body, and from the
// tools' schemas for what these mark with `x-mcp-header`. Never changes the body.
import { isExactNumber, isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { headerValue } from "../../wire/http/header-value.ts";
import type { Outgoing } from "../upstream.ts";
import { headerMarks, type Marked } from "./header-marks.ts";

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

/** A tool whose marks are against the rules: its place in the list, its name, and what is wrong. */
export interface InvalidTool {
  readonly at: number;
  readonly name: string;
  readonly why: string;
}

/** Which arguments of which tools are repeated in headers: learned from lists of tools as they pass. */
export class ToolHeaders {
  readonly #tools = new Map<string, readonly Marked[]>();

  /** Learns from the result of a tools/list. Gives the tools that mustn't be offered. */
  learn(result: Json): readonly InvalidTool[] {
    const tools = isJsonObject(result) ? result["tools"] : undefined;
    if (!Array.isArray(tools)) return [];
    return (tools as readonly Json[]).flatMap((tool, at): readonly InvalidTool[] => {
      if (!isJsonObject(tool) || typeof tool["name"] !== "string") return [];
      const marks = headerMarks(tool["inputSchema"] ?? null);
      this.#tools.set(tool["name"], marks.kind === "valid" ? marks.marked : []);
      return marks.kind === "valid" ? [] : [{ at, name: tool["name"], why: marks.why }];
    });
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
      return text === undefined ? [] : [[`mcp-param-${header}`, headerValue(text)] as const];
    });
    return Object.fromEntries(found);
  }
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, name) => (isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  const number = isExactNumber(value) ? Number(value.rawJSON) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? String(number) : undefined;
}

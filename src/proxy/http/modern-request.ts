// Is this a proper POST of the modern era, and whose is it (MCP 2026-07-28, "Request Metadata")? What the headers say must be what the body says,
// since others on the way may have decided by the headers. Changes nothing.
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { META } from "../../wire/era.ts";
import type { RequestMessage, WireMessage } from "../../wire/message.ts";
import { CODES, type Problem } from "./answers.ts";
import { MODERN_VERSIONS } from "./versions.ts";

/** What the Mcp-Name header repeats, by method; where `required`, it must be there. */
const NAMED: Readonly<Record<string, { readonly member: string; readonly required: boolean }>> = {
  "tools/call": { member: "name", required: true },
  "prompts/get": { member: "name", required: true },
  "resources/read": { member: "uri", required: true },
  "tasks/get": { member: "taskId", required: false },
  "tasks/update": { member: "taskId", required: false },
  "tasks/cancel": { member: "taskId", required: false },
};

/** Tells whether a POST belongs to the modern era: by its body, or by headers that only that era has. */
export function isModern(message: WireMessage, headers: Headers): boolean {
  const header = headers.get("mcp-protocol-version");
  if (header !== null && MODERN_VERSIONS.includes(header)) return true;
  return message.kind === "request" && message.method !== "initialize" && metaOf(message)?.[META.version] !== undefined;
}

/** Gives what is wrong with a modern request; undefined where nothing is. */
export function modernProblem(message: RequestMessage, headers: Headers): Problem | undefined {
  const problem = (code: number, text: string, data?: JsonObject): Problem => ({
    ...{ status: 400, code, message: text, id: message.id },
    ...(data === undefined ? {} : { data }),
  });
  const meta = metaOf(message);
  const [header, version] = [headers.get("mcp-protocol-version"), meta?.[META.version]];
  if (typeof version !== "string") return problem(CODES.params, `params._meta must have "${META.version}"`);
  if (header !== version) return problem(CODES.headers, mismatch("MCP-Protocol-Version", header, version));
  if (!MODERN_VERSIONS.includes(version)) {
    // Only what such a request can be made in: older versions begin with initialize.
    return problem(CODES.version, "Unsupported protocol version", { supported: MODERN_VERSIONS, requested: version });
  }
  if (!isJsonObject(meta?.[META.clientCapabilities])) return problem(CODES.params, `params._meta must have "${META.clientCapabilities}"`);
  const method = headers.get("mcp-method");
  if (method !== message.method) return problem(CODES.headers, mismatch("Mcp-Method", method, message.method));
  const wrong = nameMismatch(message, headers);
  return wrong === undefined ? undefined : problem(CODES.headers, wrong);
}

/** Gives by what two modern requests with the same token are known to come from one client. */
export function clientKeyOf(message: WireMessage): string | undefined {
  if (message.kind !== "request" && message.kind !== "notification") return undefined;
  const info = metaOf(message)?.[META.clientInfo];
  if (!isJsonObject(info)) return message.kind === "request" ? "" : undefined;
  return canonicalJson([info["name"] ?? null, info["version"] ?? null]);
}

/** Reads a header that may be in the Base64 form (SEP-2243, "Value Encoding"); undefined where that is malformed. */
export function headerText(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.toString("base64") !== encoded) return undefined; // Buffer is lenient, the specification isn't
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Says that a header isn't what the body has. */
export function mismatch(header: string, value: string | null, wanted: string): string {
  if (value === null) return `Header mismatch: the header ${header} is missing`;
  return `Header mismatch: the header ${header} is ${JSON.stringify(value)}, the body has ${JSON.stringify(wanted)}`;
}

function nameMismatch(message: RequestMessage, headers: Headers): string | undefined {
  const named = Object.hasOwn(NAMED, message.method) ? NAMED[message.method] : undefined;
  const params = message.value["params"];
  const wanted = named && isJsonObject(params) ? params[named.member] : undefined;
  const value = headers.get("mcp-name");
  if (named === undefined || typeof wanted !== "string" || (value === null && !named.required)) return undefined;
  return value !== null && headerText(value) === wanted ? undefined : mismatch("Mcp-Name", value, wanted);
}

function metaOf({ value }: { readonly value: { readonly [key: string]: Json } }): JsonObject | undefined {
  const params = value["params"];
  const meta = isJsonObject(params) ? params["_meta"] : undefined;
  return isJsonObject(meta) ? meta : undefined;
}

// Do the Mcp-Param-* headers of a call repeat what its arguments say (MCP 2026-07-28, "Custom Headers from Tool Parameters")? Known from the
// tool lists that passed; of a tool that was never listed here nothing is demanded.
import { isExactNumber, isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { marksIn } from "../../upstream/http/header-marks.ts";
import { isHeaderName } from "../../wire/http/header-value.ts";
import { parseMessage, type RequestMessage } from "../../wire/message.ts";
import { headerText, mismatch } from "./modern-request.ts";

/** An argument that a header repeats. */
interface Param {
  readonly header: string;
  readonly path: readonly string[];
}

/** The tools of one server, as far as their parameters have headers. */
export class ParamHeaders {
  readonly #tools = new Map<string, readonly Param[]>();

  /** Takes the reply to a request of this method; only lists of tools say anything. */
  note(method: string, reply: Uint8Array): void {
    if (method !== "tools/list") return;
    const message = parseMessage(reply);
    const result = message.kind === "response" ? message.value["result"] : undefined;
    const tools = isJsonObject(result) ? result["tools"] : undefined;
    if (!Array.isArray(tools)) return;
    for (const tool of tools as readonly Json[]) {
      if (isJsonObject(tool) && typeof tool["name"] === "string") this.#tools.set(tool["name"], paramsOf(tool["inputSchema"] ?? null));
    }
  }

  /** Says which header isn't as the arguments say; undefined where all are. */
  mismatchIn({ value }: RequestMessage, headers: Headers): string | undefined {
    const params = value["params"];
    if (!isJsonObject(params) || typeof params["name"] !== "string") return undefined;
    for (const { header, path } of this.#tools.get(params["name"]) ?? []) {
      const given = headers.get(header);
      const wanted = textOf(valueAt(params["arguments"], path));
      if (wanted === undefined && given !== null)
        return `Header mismatch: the header ${header} has nothing in the arguments that it repeats`;
      if (wanted !== undefined && (given === null || !isSame(headerText(given), wanted))) return mismatch(header, given, wanted);
    }
    return undefined;
  }
}

function paramsOf(schema: Json): readonly Param[] {
  return marksIn(schema).flatMap(({ path, header }) =>
    path !== null && typeof header === "string" && isHeaderName(header) ? [{ header: `mcp-param-${header}`, path }] : [],
  );
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, name) => (isJsonObject(found) && Object.hasOwn(found, name) ? (found as JsonObject)[name] : undefined),
    value,
  );
}

/** Null counts as absent, and so does what no header can repeat. */
function textOf(value: Json | undefined): string | undefined {
  if (isExactNumber(value)) return value.rawJSON;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Numbers are compared as numbers: 42.0 is 42. */
function isSame(given: string | undefined, wanted: string): boolean {
  if (given === undefined) return false;
  return given === wanted || (/^-?\d/.test(wanted) && given.trim() !== "" && Number(given) === Number(wanted));
}

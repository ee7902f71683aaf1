// What did the server say about itself: which tools it has, and how it ended? Read from copies; nothing here changes a message.
import { isJsonObject, type Json } from "../core/json.ts";
import type { ServerExit } from "../upstream/upstream.ts";
import type { RequestMessage } from "../wire/message.ts";

/** Adds the tools of one page to those known; the first page starts anew. */
export function listedTools(
  response: Json,
  known: ReadonlySet<string> | undefined,
  request: RequestMessage,
): ReadonlySet<string> | undefined {
  const result = isJsonObject(response) ? response["result"] : undefined;
  const tools = isJsonObject(result) ? result["tools"] : undefined;
  if (!Array.isArray(tools)) return known;
  const params = request.value["params"];
  const isLaterPage = isJsonObject(params) && typeof params["cursor"] === "string";
  const names = tools.flatMap((tool: Json) => (isJsonObject(tool) && typeof tool["name"] === "string" ? [tool["name"]] : []));
  return new Set([...(isLaterPage ? (known ?? []) : []), ...names]);
}

/** Says how a server ended, with its last words. */
export function exitWords({ code, signal, lastWords }: ServerExit): string {
  // There was no process, or none that could be started: the words are the reason.
  if (signal === null && code === null) return lastWords;
  const how = signal ? `it was ended by ${signal}` : `it exited with code ${code}`;
  const words = lastWords.trim();
  return words === "" ? `${how} and said nothing` : `${how}; it last said: ${words.slice(-500)}`;
}

// What did the server say about itself: which tools it has, and how it ended? Read from copies; nothing here changes a message.
import { isJsonObject, type Json } from "../core/json.ts";
import { readTool } from "../upstream/list-tools.ts";
import type { ListedTool, ServerExit } from "../upstream/upstream.ts";
import type { RequestMessage } from "../wire/message.ts";

/** What a page of tools/list says; undefined where it says nothing. */
export interface ToolPage {
  readonly isFirst: boolean;
  readonly tools: readonly ListedTool[];
}

/** Reads the answer to a tools/list. */
export function toolPage(request: RequestMessage, result: Json | undefined): ToolPage | undefined {
  const tools = isJsonObject(result) ? result["tools"] : undefined;
  if (!Array.isArray(tools)) return undefined;
  const params = request.value["params"];
  const isLater = isJsonObject(params) && typeof params["cursor"] === "string";
  return { isFirst: !isLater, tools: tools.flatMap(readTool) };
}

/** Says how a server ended, with its last words. */
export function exitWords({ code, signal, lastWords }: ServerExit): string {
  // There was no process, or none that could be started: the words are the reason.
  if (signal === null && code === null) return lastWords;
  const how = signal ? `it was ended by ${signal}` : `it exited with code ${code}`;
  const words = lastWords.trim();
  return words === "" ? `${how} and said nothing` : `${how}; it last said: ${words.slice(-500)}`;
}

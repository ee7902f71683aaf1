// Is a result the end of its call? A server may ask for input first (2026-07-28, "Multi Round-Trip Requests"), or hand out a task whose end comes
// later (2025-11-25, "Tasks"; the tasks extension). Reads results, decides nothing.
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";

/** What a server asks for before it goes on: requests by its own keys; undefined where the result asks for nothing. */
export function inputRequestsOf(result: Json): JsonObject | undefined {
  if (!isJsonObject(result) || result["resultType"] !== "input_required") return undefined;
  const requests = result["inputRequests"];
  return isJsonObject(requests) ? requests : {};
}

/** The id of the task that a result hands out; undefined where it hands out none. */
export function taskOf(result: Json): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const task = result["resultType"] === "task" ? result : Object.hasOwn(result, "content") ? undefined : result["task"];
  const id = isJsonObject(task) ? task["taskId"] : undefined;
  return typeof id === "string" ? id : undefined;
}

/** How a task ended, as far as the messages show it; its result and error as in an answer to the call itself. */
export type TaskEnd =
  | { readonly kind: "result"; readonly result: Json }
  | { readonly kind: "error"; readonly error: Json }
  | { readonly kind: "cancelled" }
  | { readonly kind: "lost"; readonly reason: "reply-lost" | "server-ended" };

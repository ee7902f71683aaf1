// What is said over a proxy's control socket? JSON-RPC requests of an undo and their results. They ask; what may be done is read from
// the journal and the session's policy.
import { isJsonObject, type Json, type JsonObject } from "../../core/json.ts";
import { buildError, buildResult } from "../../wire/build.ts";
import type { Answer } from "../upstream.ts";

export const CONTROL = {
  /** `{ run, holds }` -> `{ servers: [{ name, pid }] }`: which servers of the run live here. With `holds`, the run's changing calls are refused until the connection ends. */
  open: "undo/open",
  /** `{ run, server }` -> `{ kind: "tools", tools }` or `{ kind: "failed", reason }`. */
  tools: "undo/tools",
  /** `{ run, server }` -> `{ atRest }`: whether no change of the run, and no step of an undo of it, is under way. */
  rest: "undo/rest",
  /** `{ run, server, tool, arguments }` -> an answer. */
  read: "undo/read",
  /** `{ run, server, undoes }` -> an answer: sends the step that the journal has as intended for this action. */
  inverse: "undo/inverse",
} as const;

/** The code of the error by which a proxy says that the run, or its server, isn't there any more (any of ours would do: nobody else hears it). */
export const NOT_HERE = -32001;

/** Why nothing can be said to a server any more, or was not done for us. */
export type Ended = Extract<Answer, { kind: "ended" }>;

/** Writes an answer as a result. */
export function writeAnswer(answer: Answer): JsonObject {
  switch (answer.kind) {
    case "result":
      return { kind: "result", result: answer.result };
    case "error":
      return { kind: "error", error: answer.error };
    case "timeout":
      return { kind: "timeout", milliseconds: answer.milliseconds };
    case "ended":
      return { ...answer };
  }
}

/** Reads an answer from the result of a request; one that could not be asked is `ended`. */
export function readAnswer(control: Answer): Answer {
  if (control.kind === "error") return { kind: "ended", why: `its proxy answered: ${wordsOf(control.error)}` };
  if (control.kind !== "result") return control;
  const { result } = control;
  const said = isJsonObject(result) ? result : {};
  const { id } = control.message;
  switch (said["kind"]) {
    case "result":
      return { kind: "result", result: said["result"] ?? null, message: buildResult(id, said["result"] ?? null) };
    case "error":
      return { kind: "error", error: said["error"] ?? null, message: buildError(id, 0, wordsOf(said["error"] ?? null)) };
    case "timeout":
      return { kind: "timeout", milliseconds: Number(said["milliseconds"]) };
    default:
      return readEnded(said);
  }
}

function readEnded({ why, sent }: JsonObject): Ended {
  return { kind: "ended", ...(typeof why === "string" ? { why } : {}), ...(typeof sent === "boolean" ? { sent } : {}) };
}

function wordsOf(error: Json): string {
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : "an error";
}

// What does a server's answer to a read say of the state: is it there, absent, or can't it be told? Never takes a part for the whole, nor any
// error for absence that the policy doesn't name.
import { extractFields } from "../core/extract.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { incompleteness, type ReadWords } from "../core/read-terms.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import {
  blocksOf,
  errorTextOf,
  hasReplacementCharacter,
  isErrorResult,
  matchesWholeText,
  onlyTextOf,
  saysAbsent,
  saysWhole,
  textOfResult,
  valueOfResult,
} from "../core/result-value.ts";
import type { State, UnreadableCause } from "../core/state.ts";
import type { Answer } from "../upstream/upstream.ts";
import { inputRequestsOf, taskOf } from "./unfinished.ts";

/** Judges the answer to one call. */
export function judgeAnswer(read: ResolvedCall, answer: Answer, words: ReadWords): State {
  const name = `${read.server}.${read.tool}`;
  switch (answer.kind) {
    case "timeout":
      return unreadable("failed", `${name} did not answer within ${answer.milliseconds / 1000} s`);
    case "ended":
      return unreadable(
        "failed",
        answer.why === undefined
          ? `the server ${read.server} ended before it answered ${read.tool}`
          : `${name} was not answered: ${answer.why}`,
      );
    case "error":
      return judgeError(read, "protocol-error", messageOf(answer.error), words);
    case "result":
      return judgeResult(read, answer.result, words);
  }
}

function judgeResult(read: ResolvedCall, result: Json, words: ReadWords): State {
  const name = `${read.server}.${read.tool}`;
  if (inputRequestsOf(result) !== undefined || taskOf(result) !== undefined)
    return unreadable("failed", `${name} didn't answer at once: it asks for input, or made a task of it`);
  const whole = textOfResult(result);
  if (isErrorResult(result)) return judgeError(read, "tool-error", errorTextOf(result), words);
  const saysNone = whole !== undefined && saysWhole(words.absentResults ?? [], whole, read.args);
  if (saysNone === "echo") return unreadable("tool-error", `${name} answered: ${whole} (${ONLY_ASKED})`);
  if (saysNone) return { kind: "absent" };
  if (whole !== undefined && matchesWholeText(words.failedWhen, whole)) return judgeError(read, "tool-error", whole, words);
  if (words.extract !== undefined && onlyTextOf(result) === undefined)
    return unreadable("incomplete", `${name} answered with something else than one text, and there is nothing to extract from`);
  const value = valueShown(result, words);
  const lacking = incompleteness(words, value);
  if (lacking !== undefined) return unreadable("incomplete", `${name} doesn't show everything: ${lacking}`);
  if (!hasReplacementCharacter(value)) return { kind: "present", value };
  return unreadable("not-text", `${name} shows bytes that are no text (U+FFFD), so writing it back would damage it`);
}

function valueShown(result: Json, { extract, blocks, asText }: ReadWords): Json {
  if (blocks) return blocksOf(result);
  return extract === undefined ? valueOfResult(result, asText) : extractFields(onlyTextOf(result) ?? "", extract);
}

const ONLY_ASKED = "the words for absence stand only in what it was asked";

function judgeError({ server, tool, args }: ResolvedCall, cause: UnreadableCause, text: string, words: ReadWords): State {
  const says = saysAbsent(words.absentWhen, text, args);
  if (says === true) return { kind: "absent", says: text };
  return unreadable(cause, `${server}.${tool} answered: ${text}${says === "echo" ? ` (${ONLY_ASKED})` : ""}`);
}

/** Makes a state that can't be read; `why` is for people. */
export function unreadable(cause: UnreadableCause, why: string): State & { readonly kind: "unreadable" } {
  return { kind: "unreadable", cause, why };
}

/** Gives the words of a JSON-RPC error object. */
export function messageOf(error: Json): string {
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : JSON.stringify(error);
}

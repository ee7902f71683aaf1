// What is the state of a thing now? One read through its server, judged as present, absent or unreadable. Never guesses.
import { isJsonObject, type Json } from "../core/json.ts";
import {
  errorTextOf,
  hasReplacementCharacter,
  isErrorResult,
  matchesWholeText,
  saysAbsent,
  textOfResult,
  valueOfResult,
} from "../core/result-value.ts";
import type { RuleRecord } from "../core/rule-record.ts";
import type { State } from "../core/state.ts";
import type { Recorder } from "./recorder.ts";
import { type ResolvedCall, sendRead } from "./send.ts";
import { inputRequestsOf, taskOf } from "./unfinished.ts";

/** Reads the state that `read` shows, by the words that the rule knows for absence and failure. */
export async function readState(
  recorder: Recorder,
  read: ResolvedCall,
  rule: Pick<RuleRecord, "absentWhen" | "failedWhen">,
): Promise<State> {
  if (read.server !== recorder.upstream.name) return failed(`${read.server}.${read.tool} is on a server that isn't connected here`);
  const answer = await sendRead(recorder, read);
  switch (answer.kind) {
    case "timeout":
      return failed(`${read.server}.${read.tool} did not answer within ${answer.milliseconds / 1000} s`);
    case "ended":
      return failed(`the server ${read.server} ended before it answered ${read.tool}`);
    case "error": {
      const text = messageOf(answer.error);
      // A protocol error is absence only where the policy says so in words.
      return rule.absentWhen.length > 0 && saysAbsent(rule.absentWhen, text)
        ? { kind: "absent" }
        : failed(`${read.server}.${read.tool} answered: ${text}`);
    }
    case "result":
      return judge(read, answer.result, rule);
  }
}

function judge(read: ResolvedCall, result: Json, rule: Pick<RuleRecord, "absentWhen" | "failedWhen">): State {
  if (inputRequestsOf(result) !== undefined || taskOf(result) !== undefined)
    return failed(`${read.server}.${read.tool} didn't answer at once: it asks for input, or made a task of it`);
  const whole = textOfResult(result);
  const declaredFailure = whole !== undefined && matchesWholeText(rule.failedWhen, whole);
  if (isErrorResult(result) || declaredFailure) {
    const text = errorTextOf(result);
    return saysAbsent(rule.absentWhen, text) ? { kind: "absent" } : failed(`${read.server}.${read.tool} answered: ${text}`);
  }
  const value = valueOfResult(result);
  if (hasReplacementCharacter(value))
    return {
      kind: "unreadable",
      cause: "not-text",
      why: `${read.server}.${read.tool} shows bytes that are no text (U+FFFD), so writing it back would damage it`,
    };
  return { kind: "present", value };
}

function failed(why: string): State {
  return { kind: "unreadable", cause: "failed", why };
}

/** Gives the words of a JSON-RPC error object. */
export function messageOf(error: Json): string {
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : JSON.stringify(error);
}

// What is the state of a thing now? One read through its server, judged as present, absent or unreadable. Never guesses.
import { isJsonObject, type Json } from "../core/json.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import {
  errorTextOf,
  hasReplacementCharacter,
  isErrorResult,
  matchesWholeText,
  saysAbsent,
  textOfResult,
  valueOfResult,
} from "../core/result-value.ts";
import type { ReadWords } from "../core/rule-record.ts";
import type { State, UnreadableCause } from "../core/state.ts";
import { type Recorder, reach } from "./recorder.ts";
import { sendRead } from "./send.ts";
import { inputRequestsOf, taskOf } from "./unfinished.ts";

/** Reads the state that `read` shows. An error is absence only where the rule names it in words. */
export async function readState(recorder: Recorder, read: ResolvedCall, words: ReadWords): Promise<State> {
  const reached = await reach(recorder, read);
  if (reached.kind === "failed") return unreadable("failed", `${read.server}.${read.tool} can't be asked: ${reached.why}`);
  const answer = await sendRead(reached.sender, read);
  switch (answer.kind) {
    case "timeout":
      return unreadable("failed", `${read.server}.${read.tool} did not answer within ${answer.milliseconds / 1000} s`);
    case "ended":
      return unreadable(
        "failed",
        answer.why === undefined
          ? `the server ${read.server} ended before it answered ${read.tool}`
          : `${read.server}.${read.tool} was not answered: ${answer.why}`,
      );
    case "error":
      return judgeError(read, "protocol-error", messageOf(answer.error), words);
    case "result":
      return judge(read, answer.result, words);
  }
}

/**
 * Reads the state before a call. Where the rule names no words for absence, every error that the tool reports counts: nothing can be
 * put back either way, and a reversible call is then held.
 */
export async function readStateBefore(recorder: Recorder, read: ResolvedCall, words: ReadWords): Promise<State> {
  const state = await readState(recorder, read, words);
  const mayBeAbsence = state.kind === "unreadable" && state.cause === "tool-error" && words.absentWhen.length === 0;
  return mayBeAbsence ? { kind: "absent" } : state;
}

/** Pauses between reads of a state that is expected to change, in milliseconds: some servers answer from an index that lags. */
const PAUSES: readonly number[] = [40, 80, 160];

/** Reads a state, and again after each pause (milliseconds) as long as `isStale` says that it can't be believed yet. */
export async function readUntilFresh(
  recorder: Recorder,
  read: ResolvedCall,
  words: ReadWords,
  isStale: (state: State) => boolean,
  pauses: Iterable<number> = PAUSES,
): Promise<State> {
  let state = await readState(recorder, read, words);
  for (const pause of pauses) {
    if (!isStale(state)) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    state = await readState(recorder, read, words);
  }
  return state;
}

function judge(read: ResolvedCall, result: Json, words: ReadWords): State {
  if (inputRequestsOf(result) !== undefined || taskOf(result) !== undefined)
    return unreadable("failed", `${read.server}.${read.tool} didn't answer at once: it asks for input, or made a task of it`);
  const whole = textOfResult(result);
  const declaredFailure = whole !== undefined && matchesWholeText(words.failedWhen, whole);
  if (isErrorResult(result) || declaredFailure) return judgeError(read, "tool-error", errorTextOf(result), words);
  const value = valueOfResult(result, words.asText);
  if (!hasReplacementCharacter(value)) return { kind: "present", value };
  return unreadable("not-text", `${read.server}.${read.tool} shows bytes that are no text (U+FFFD), so writing it back would damage it`);
}

function judgeError({ server, tool }: ResolvedCall, cause: UnreadableCause, text: string, words: ReadWords): State {
  return saysAbsent(words.absentWhen, text) ? { kind: "absent" } : unreadable(cause, `${server}.${tool} answered: ${text}`);
}

function unreadable(cause: UnreadableCause, why: string): State {
  return { kind: "unreadable", cause, why };
}

/** Gives the words of a JSON-RPC error object. */
export function messageOf(error: Json): string {
  return isJsonObject(error) && typeof error["message"] === "string" ? error["message"] : JSON.stringify(error);
}

// What does a server's answer to a changing call say? Its own word only; whether something changed is another question (record-change.ts).
import { type Patterns, resultFor } from "../core/extract.ts";
import type { Json } from "../core/json.ts";
import { errorTextOf, isErrorResult, matchesWholeText, textOfResult } from "../core/result-value.ts";
import type { Reason } from "../core/vocabulary.ts";
import { messageOf } from "./judge-answer.ts";
import type { Reply } from "./send.ts";
import { inputRequestsOf, type TaskEnd, taskOf } from "./unfinished.ts";

export type Verdict =
  /** `value` is made of the result each time it is read. */
  | { readonly kind: "success"; readonly result: Json; readonly value: Json }
  /** The server says that it failed; something may have changed all the same. */
  | { readonly kind: "said-failed"; readonly reason: Reason; readonly text: string; readonly result: Json | undefined }
  /** It was ended from outside, at whatever point. */
  | { readonly kind: "cancelled" }
  /** It asks for input first: the call isn't over. */
  | { readonly kind: "asks"; readonly result: Json }
  /** A task was created; its real outcome arrives later. */
  | { readonly kind: "pending"; readonly task: string; readonly result: Json }
  | { readonly kind: "lost"; readonly reason: Reason; readonly why?: string }
  | { readonly kind: "not-sent"; readonly why?: string };

/** Judges a reply by its form and by the rule's `failed_when`. `fields`: what the rule takes out of the result's text. */
export function judgeReply(reply: Reply | TaskEnd, failedWhen: readonly string[], fields?: Patterns): Verdict {
  if (reply.kind === "lost" || reply.kind === "not-sent" || reply.kind === "cancelled") return reply;
  if (reply.kind === "error") return { kind: "said-failed", reason: "protocol-error", text: messageOf(reply.error), result: undefined };
  const { result } = reply;
  if (inputRequestsOf(result) !== undefined) return { kind: "asks", result };
  const task = taskOf(result);
  if (task !== undefined) return { kind: "pending", task, result };
  if (isErrorResult(result)) return { kind: "said-failed", reason: "tool-error", text: errorTextOf(result), result };
  const whole = failedWhen.length === 0 ? undefined : textOfResult(result);
  if (whole !== undefined && matchesWholeText(failedWhen, whole))
    return { kind: "said-failed", reason: "declared-failure", text: whole, result };
  return {
    kind: "success",
    result,
    get value() {
      return resultFor(result, fields);
    },
  };
}

// Does a second read, independent of the first, bear out that a call was put back? A rule's `confirm`: it has to show then what it showed before
// the call. What it doesn't show is never called confirmed.
import { type CheckFact, differencesText, seenIn } from "../core/checks.ts";
import { type Rule, readsIn, type ToolName } from "../core/policy.ts";
import type { ReadWords } from "../core/read-terms.ts";
import { type ResolvedRead, resolveRead, writeRead } from "../core/resolved-read.ts";
import { confirmWords } from "../core/rule-record.ts";
import { isSameState, type State } from "../core/state.ts";
import { differences } from "../core/state-difference.ts";
import type { Bindings, Reference } from "../core/template.ts";
import { readState, readUntilFresh } from "./read-state.ts";
import type { Recorder } from "./recorder.ts";

/** The read that is to confirm an undo, and what it showed before the call. */
export interface Confirmation {
  /** The tools that it asks, as `server.tool`. */
  readonly by: readonly string[];
  /** Undefined where it couldn't be made before the call. */
  readonly read: ResolvedRead | undefined;
  readonly words: ReadWords;
  readonly before: State;
  readonly ignore: readonly Reference[];
}

/** What came of it; `why` is for people. */
export type Confirmed =
  | { readonly kind: "confirmed" }
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "otherwise"; readonly why: string; readonly now: State };

/** Makes the read of a rule's `confirm` before its call, and gives it as it is recorded. */
export async function readForConfirming(recorder: Recorder, rule: Rule, bindings: Bindings): Promise<readonly CheckFact[]> {
  const words = confirmWords(rule);
  if (rule.confirm === undefined || words === undefined) return [];
  const about = { name: "confirm", source: namesOf(readsIn(rule.confirm)).join(", "), when: "confirm" } as const;
  const resolved = resolveRead(rule.confirm, bindings);
  if (resolved.kind === "missing")
    return [{ ...about, outcome: "unreadable", why: `its read needs ${resolved.why}`, saw: { state: "unreadable" } }];
  const state = await readState(recorder, resolved.read, words);
  const why = state.kind === "unreadable" ? state.why : null;
  return [{ ...about, outcome: why === null ? "pass" : "unreadable", why, saw: seenIn(state), read: writeRead(resolved.read) }];
}

/** Makes it again once the call is put back; a moment later once more where it shows something else, since some servers lag. */
export async function confirm(recorder: Recorder, { by: tools, read, words, before, ignore }: Confirmation): Promise<Confirmed> {
  const by = tools.join(", ") || "what is to confirm it";
  if (before.kind === "unreadable" || read === undefined)
    return { kind: "unreadable", why: `${by} couldn't be read before the call${before.kind === "unreadable" ? `: ${before.why}` : ""}` };
  const now = await readUntilFresh(recorder, read, words, (state) => state.kind !== "unreadable" && !isSameState(state, before, ignore));
  if (now.kind === "unreadable") return { kind: "unreadable", why: now.why };
  if (isSameState(now, before, ignore)) return { kind: "confirmed" };
  const what =
    now.kind === "present" && before.kind === "present"
      ? differencesText(differences(now.value, before.value, ignore))
      : now.kind === "present"
        ? "it is there"
        : "nothing is there";
  return { kind: "otherwise", why: `${by} shows something else than before the call: ${what}`, now };
}

/** Names the tools of calls. */
export function namesOf(calls: readonly ToolName[]): readonly string[] {
  return calls.map(({ server, tool }) => `${server}.${tool}`);
}

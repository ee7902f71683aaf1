// What do the codes of the record mean, in words? One sentence part per code, so that no code is ever shown bare.
import type { ActionClass, Reason } from "../../core/vocabulary.ts";

/** Reads after "held: ", "failed: " and the like. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  unmentioned: "no rule of the policy mentions this tool",
  "gate-always": "the policy holds this tool for a person",
  "on-write": "the policy holds whatever isn't certainly a read",
  "state-absent": "there was nothing to capture, so nothing could be put back",
  "tool-unlisted": "the server doesn't list this tool",
  "ambiguous-call": "the call says something twice, so it can't be known what the server would read",
  "by-person": "a person denied it",
  "by-policy": "the policy denies it",
  "snapshot-failed": "the state before it couldn't be read",
  "not-text": "the state before it is no text, and would be lost",
  "resource-unclear": "it can't be told what it touches",
  "journal-refused": "it couldn't be written down first",
  "undo-under-way": "an undo of its run was under way",
  "tool-error": "the tool said so, and the state is unchanged",
  "tool-error-unverified": "the tool said so; nothing shows whether it is true",
  "declared-failure": "the result says so in words that the policy names",
  "protocol-error": "the server refused the request",
  "not-sent": "it was never sent",
  "cancelled-before-sending": "the client cancelled it before it was sent",
  "reply-lost": "the reply was lost",
  "server-ended": "the server ended before it replied",
  "process-ended": "the proxy ended before the reply came",
  "post-state-unreadable": "the state after it couldn't be read",
  "task-pending": "the server's task has not ended",
  irreversible: "nothing can put it back",
  "result-path-missing": "the result lacks what its inverse needs",
  "not-captured": "its state was not captured",
  drift: "something changed it since",
  "read-back-differs": "what was read back isn't what was meant",
  "inverse-failed": "the inverse failed",
  "read-back-failed": "it couldn't be read back",
  "already-so": "it was already so",
  "deleted-since": "what it changed was deleted since, and stays so",
  "no-trace": "the call said success, but neither right after it nor 10 s later does the state show that it changed anything",
  "put-back": "put back, and read back",
  compensated: "offset by another call",
  overwritten: "put back over a later change, as asked, and read back",
  merged: "put back beside later changes, and read back",
  redone: "applied again by redo",
  "resolved-by-person": "a person said so",
};

/** What a person has to know of a class before they answer. */
export const CLASS_WORDS: Readonly<Record<ActionClass, string>> = {
  readonly: "a read",
  reversible: "undo can put back what it replaces",
  compensable: "undo can offset it with another call",
  irreversible: "nothing can undo it",
};

// How does a key's answer reach the record? As that of `approve` and `deny`: refused where the agent itself could be giving it, and for one call by its id.
import { SynartesisError } from "../../errors.ts";
import type { Journal } from "../../journal/journal.ts";
import { requirePerson } from "../answer.ts";
import type { Context } from "../command.ts";
import { APPROVAL_LASTS, callLine } from "../render/gates.ts";
import { shorten } from "../render/layout.ts";
import { visible } from "../render/visible.ts";
import { actionFacts } from "../run-facts.ts";
import type { Effect } from "./press.ts";

/** Cells of an answered call. */
const LONGEST_CALL = 100;

type Answer = Extract<Effect, { kind: "approve" | "deny" }>;

/** Gives an answer; resolves with what is said about that. */
export type AnswerGiver = (answer: Answer) => Promise<string>;

/** Makes what answers in the name of a person. */
export function answerGiver(
  { io }: Context,
  journal: Journal,
  { by = io.loginName, unknownClient }: { readonly by: string | undefined; readonly unknownClient: boolean },
): AnswerGiver {
  return async (answer) => {
    try {
      const action = await journal.action(answer.action);
      if (action.damaged !== undefined) return `it is damaged in the journal (${action.damaged.join(", ")}); it can't be answered`;
      await requirePerson(journal, [action], unknownClient);
      if (answer.kind === "approve") await journal.approve(action.id, by, APPROVAL_LASTS);
      else await journal.deny(action.id, by, answer.why);
      const call = shorten(callLine(await actionFacts(journal, action)), LONGEST_CALL);
      return answer.kind === "approve" ? `approved: ${call}; the agent has to make it again` : `denied: ${call}`;
    } catch (error) {
      if (!(error instanceof SynartesisError)) throw error;
      return visible(`${error.message}${error.hint === undefined ? "" : ` (${error.hint})`}`);
    }
  };
}

// How does a person's answer reach the record? The same steps for approving and denying: choose, refuse the agent's own, answer, tell.
import type { Action, Decision, Journal } from "../journal/journal.ts";
import { ancestors } from "../journal/process-identity.ts";
import type { Context } from "./command.ts";
import { openExisting } from "./open-journal.ts";
import { isoTime } from "./render/documents.ts";
import { callLine } from "./render/gates.ts";
import { actionFacts } from "./run-facts.ts";
import { chooseWaiting, refuseOwnAgent } from "./waiting.ts";

/** Which calls are answered, by whom, and where the record lies. */
export interface AnswerOptions {
  readonly id: string | undefined;
  readonly all: boolean;
  readonly by: string | undefined;
  readonly json: boolean;
  readonly journal: string | undefined;
  readonly manifest: string | undefined;
}

/** What makes the answer one of the two. */
export interface Answer {
  readonly verb: "approved" | "denied";
  /** What happens now, for a person. */
  readonly next: string;
  give(journal: Journal, action: Action, by: string): Promise<Decision>;
}

/** Answers the calls that are meant. Resolves with the exit code. @throws refused, not-found, ambiguous */
export async function answerWaiting(context: Context, options: AnswerOptions, answer: Answer): Promise<number> {
  const { journal } = await openExisting(context, options);
  const actions = await chooseWaiting(journal, options.id, options.all);
  const runs = await Promise.all(actions.map((action) => journal.findRun(action.run)));
  refuseOwnAgent(runs, ancestors());
  const by = options.by ?? context.io.loginName;
  const answered = [];
  for (const action of actions) {
    const decision = await answer.give(journal, action, by);
    answered.push({ action: action.id, server: action.server, tool: action.tool, by, expiresAt: isoTime(decision.expiresAt) });
    if (!options.json) context.print(`${answer.verb} ${callLine(await actionFacts(journal, action))}`);
  }
  if (options.json) context.printJson({ [answer.verb]: answered });
  else context.print(actions.length === 0 ? "nothing waits for an answer" : answer.next);
  return 0;
}

// How does a person's answer reach the record? The same steps for approving and denying: choose, refuse the agent's own, answer, tell.
import { SynartesisError } from "../errors.ts";
import type { Action, Decision, Journal } from "../journal/journal.ts";
import { ancestors } from "../journal/process-identity.ts";
import { BY_OPTION, type Context, JOURNAL_OPTIONS, JSON_OPTION } from "./command.ts";
import { openExisting } from "./open-journal.ts";
import { isoTime } from "./render/documents.ts";
import { callLine } from "./render/gates.ts";
import { actionFacts } from "./run-facts.ts";
import { chooseWaiting, possibleAskers, refuseOwnAgent } from "./waiting.ts";

/** The options of both commands that answer. */
export const ANSWER_OPTIONS = {
  ...BY_OPTION,
  "unknown-client": { kind: "flag", about: "answer although it isn't known which process the agent's client is" },
  ...JSON_OPTION,
  ...JOURNAL_OPTIONS,
} as const;

/** Which calls are answered, by whom, and where the record lies. */
export interface AnswerOptions {
  readonly id: string | undefined;
  readonly all: boolean;
  readonly by: string | undefined;
  /** The person answers although it isn't known which process a client is. */
  readonly "unknown-client": boolean;
  readonly json: boolean;
  readonly journal: string | undefined;
  readonly manifest: string | undefined;
}

/** What makes the answer one of the two. */
export interface Answer {
  readonly verb: "approved" | "denied";
  /** It can be given to a call that is approved already, too. */
  readonly takesBack: boolean;
  /** What happens now, for a person. */
  readonly next: string;
  give(journal: Journal, action: Action, by: string): Promise<Decision>;
}

/** Answers the calls that are meant. Resolves with the exit code. @throws refused, not-found, ambiguous */
export async function answerWaiting(context: Context, options: AnswerOptions, answer: Answer): Promise<number> {
  const { journal } = await openExisting(context, options);
  const actions = await chooseWaiting(journal, options, answer.takesBack ? await journal.approved() : []);
  await requirePerson(journal, actions, options["unknown-client"]);
  const by = options.by ?? context.io.loginName;
  // All at once, so that many answers share a commit; one that comes too late must not keep the others from being told.
  const given = await Promise.allSettled(actions.map((action) => answer.give(journal, action, by)));
  const answered = [];
  for (const [at, action] of actions.entries()) {
    const gave = given[at];
    if (gave?.status !== "fulfilled") continue;
    answered.push({ action: action.id, server: action.server, tool: action.tool, by, expiresAt: isoTime(gave.value.expiresAt) });
    const takenBack = action.status === "approved" ? "; its approval is taken back" : "";
    if (!options.json) context.print(`${answer.verb} ${callLine(await actionFacts(journal, action))}${takenBack}`);
  }
  const late = given.filter((gave) => gave.status === "rejected").map(({ reason }) => reason as unknown);
  const [first] = late;
  if (first !== undefined && (answered.length === 0 || !late.every(isLate))) throw first;
  if (options.json) context.printJson({ [answer.verb]: answered });
  else context.print(actions.length === 0 ? "nothing waits for an answer" : answer.next);
  for (const error of late.filter(isLate)) context.note(`synartesis: ${error.message}`);
  return late.length === 0 ? 0 : 1;
}

/** Refuses an answer that the agent which asked could be giving itself. @throws refused */
export async function requirePerson(journal: Journal, actions: readonly Action[], unknownClient: boolean): Promise<void> {
  refuseOwnAgent(await possibleAskers(journal, actions), ancestors(), unknownClient);
}

/** Tells whether the call had been answered, or had expired, by then. */
function isLate(error: unknown): error is SynartesisError {
  return error instanceof SynartesisError && error.code === "refused";
}

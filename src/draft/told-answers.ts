// Which questions do the command's options answer? The same questions as at a terminal, so that a script does what a person can do; what no option answers
// a script is asked for by an error.
import type { ToolDraft } from "./draft-tools.ts";
import { CONNECT, GUARD, type Told } from "./next-step.ts";
import type { Answer, Question } from "./questions.ts";
import { isSure, proposes, type RuleAnswer } from "./tool-questions.ts";

/** What can be said of all tools that nothing else is said of. */
export const ACCEPTS = ["sure", "all", "none"] as const;
export type Accept = (typeof ACCEPTS)[number];

/** What the options say. */
export interface ToldOptions {
  /** The ids of servers; undefined where nothing is said of them. */
  readonly guard: readonly string[] | undefined;
  readonly accept: Accept | undefined;
  /** By the tool's name, or `SERVER.TOOL`. */
  readonly rules: ReadonlyMap<string, RuleAnswer>;
  readonly connect: boolean | undefined;
  /** Nobody is there to be asked: what isn't said has its usual answer, and tools stay held. */
  readonly isScript: boolean;
}

/** Makes the answers that options give. */
export function toldAnswers(options: ToldOptions): Told {
  const accept = options.accept ?? (options.isScript ? "none" : undefined);
  return {
    answer: (question) => answerTo(question, options),
    rule: (server, draft) =>
      options.rules.get(`${server}.${draft.name}`) ?? options.rules.get(draft.name) ?? (accept && acceptedAs(accept, draft)),
  };
}

function answerTo({ id, usual }: Question, { guard, connect, isScript }: ToldOptions): Answer | undefined {
  if (id === GUARD && guard !== undefined) return guard;
  if (id === CONNECT && (connect !== undefined || isScript)) return connect === true ? "yes" : "no";
  return isScript ? usual : undefined;
}

function acceptedAs(accept: Accept, draft: ToolDraft): RuleAnswer {
  if (accept === "none") return "leave";
  return isSure(draft) || (accept === "all" && proposes(draft)) ? "accept" : "leave";
}

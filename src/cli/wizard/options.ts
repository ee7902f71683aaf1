// What do the options of `init` say? Checked words for the wizard: who is asked, and what needn't be.
import { nearest } from "../../core/near-name.ts";
import type { Told } from "../../draft/next-step.ts";
import { ACCEPTS, toldAnswers } from "../../draft/told-answers.ts";
import { RULE_ANSWERS, type RuleAnswer } from "../../draft/tool-questions.ts";
import { SynartesisError } from "../../errors.ts";
import type { Context } from "../command.ts";

/** The options of `init` as the command line gives them. */
export interface InitOptions {
  readonly url: string | undefined;
  readonly header: readonly string[];
  readonly root: readonly string[];
  readonly accept: string | undefined;
  readonly rule: readonly string[];
  readonly client: string | undefined;
  readonly guard: readonly string[];
  readonly connect: boolean;
  readonly "no-connect": boolean;
  readonly yes: boolean;
  readonly json: boolean;
  readonly manifest: string | undefined;
  readonly rest: readonly string[] | undefined;
}

/** Tells whether there is somebody to ask. */
export function isInteractive({ io }: Context, { yes, json }: Pick<InitOptions, "yes" | "json">): boolean {
  return !yes && !json && io.stdin.isTerminal && io.stdout.isTerminal;
}

/** What else is known about who answers. */
interface Asked {
  readonly isScript: boolean;
  /** The ids of the servers that were named; undefined where none were. */
  readonly guard: readonly string[] | undefined;
  readonly connect?: boolean | undefined;
}

/** Makes the answers that the options give. @throws usage where a rule says something else */
export function toldBy({ accept, rule }: Pick<InitOptions, "accept" | "rule">, { isScript, guard, connect }: Asked): Told {
  const rules = new Map(rule.map(ruleFrom));
  return toldAnswers({ guard, accept: ACCEPTS.find((each) => each === accept), rules, connect, isScript });
}

function ruleFrom(text: string): readonly [string, RuleAnswer] {
  const at = text.lastIndexOf("=");
  const said = text.slice(at + 1);
  const answer = RULE_ANSWERS.find((each) => each === said);
  if (at > 0 && answer !== undefined) return [text.slice(0, at), answer];
  const near = at > 0 ? nearest(said, RULE_ANSWERS) : undefined;
  const hint = near === undefined ? `--rule TOOL=WHAT, where WHAT is one of: ${RULE_ANSWERS.join(", ")}` : `did you mean "${near}"?`;
  throw new SynartesisError("usage", `--rule doesn't understand "${text}"`, { hint });
}

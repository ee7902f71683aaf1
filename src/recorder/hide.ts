// How does what a rule keeps secret stay out of the record? Everything that is written about the call passes here first. The call itself, and what is
// compared in memory, are untouched; the state is hidden where it is read, the same way at undo, so that it can be compared.
import { isJsonObject, type Json } from "../core/json.ts";
import type { GoverningRule } from "../core/policy.ts";
import { hiddenIn, hiddenPaths, hidePaths, hideResult, hideTexts, holdsHidden, type Shown, shownFor } from "../core/redaction.ts";
import { valueOfResult } from "../core/result-value.ts";
import type { State } from "../core/state.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, NewCall, Outcome } from "../journal/journal.ts";

/** A journal that never sees what a rule keeps secret. */
export interface Hiding {
  readonly journal: Journal;
  /** The arguments as they are recorded. */
  readonly args: Json;
  /** Looks for secrets in a result that recordFinished will be handed. */
  learn(result: Json): Promise<void>;
}

/** Makes it for one call; the journal itself where the rule keeps nothing secret. */
export async function hideFrom(journal: Journal, governing: GoverningRule, args: Json): Promise<Hiding> {
  const redact = governing === "unmentioned" ? undefined : governing.redact;
  if (redact === undefined) return { journal, args, learn: () => Promise.resolve() };
  const shown = new Map<string, string>();
  const learn = (texts: readonly string[]) => addShown(journal, texts, shown);
  const [inArgs, inResult] = [hiddenPaths(redact, "args"), hiddenPaths(redact, "result")];
  await learn(hiddenIn(args, inArgs));
  const hidden: Hidden = {
    shown,
    args: (value) => hideTexts(hidePaths(value, inArgs, shown), shown),
    result: (value) => hideResult(value, inResult, shown),
    learn: (result) => learn(hiddenIn(valueOfResult(result), inResult)),
  };
  return { journal: withoutSecrets(journal, hidden), args: hidden.args(args), learn: hidden.learn };
}

/** Hides what `redact` names in a state. */
export async function hideState(journal: Journal, state: State, redact: readonly string[] | undefined): Promise<State> {
  const paths = hiddenPaths(redact ?? [], "snapshot");
  if (state.kind !== "present" || paths.length === 0) return state;
  const shown = new Map<string, string>();
  await addShown(journal, hiddenIn(state.value, paths), shown);
  return { ...state, value: hidePaths(state.value, paths, shown) };
}

interface Hidden {
  readonly shown: Shown;
  args(value: Json): Json;
  result(value: Json): Json;
  learn(result: Json): Promise<void>;
}

async function addShown(journal: Journal, texts: readonly string[], shown: Map<string, string>): Promise<void> {
  for (const text of texts) shown.set(text, shownFor(text, await journal.mark(text)));
}

/** What of a journal writes about a call, with secrets taken out of what it is handed. */
function withoutSecrets(journal: Journal, hidden: Hidden): Journal {
  const { shown } = hidden;
  const text = <T extends Json | undefined>(value: T): T => (value === undefined ? value : (hideTexts(value, shown) as T)); // a text stays a text
  const call = <T extends NewCall>(of: T): T => ({
    ...of,
    args: hidden.args(of.args),
    ...(of.besides === undefined ? {} : { besides: text(of.besides) }),
  });
  const outcome = <T extends Partial<Outcome>>(of: T): T => ({
    ...of,
    ...(of.detail === undefined ? {} : { detail: text(of.detail) }),
    ...(of.result === undefined ? {} : { result: hidden.result(of.result) }),
    ...(of.post === undefined ? {} : { post: text(of.post) }),
  });
  const writes: Partial<Journal> = {
    hold: (of, reason) => journal.hold(call(of), reason),
    async intend(of) {
      refuseToKeep(shown, of.snapshot, of.inverse, of.read, ...confirmationsIn(of.checks));
      return journal.intend({ ...call(of), checks: text(of.checks) });
    },
    async settle(action, of, ...originals) {
      if (of.result !== undefined) await hidden.learn(of.result);
      const both = originals.map((original) =>
        original.outcome === undefined ? original : { ...original, outcome: outcome(original.outcome) },
      );
      return journal.settle(action, outcome(of), ...both);
    },
    async captureAgain(action, before) {
      refuseToKeep(shown, before.snapshot, before.inverse);
      return journal.captureAgain(action, before);
    },
    addPostState: (action, state, post) => journal.addPostState(action, state, text(post)),
    addVerification: (action, verification, checks) => journal.addVerification(action, verification, text(checks)),
    recordFinished: (of) =>
      journal.recordFinished({
        ...call(of),
        detail: text(of.detail),
        result: of.result === undefined ? undefined : hidden.result(of.result),
      }),
  };
  return new Proxy(journal, {
    get(target, name) {
      const own = Reflect.get(writes, name) ?? Reflect.get(target, name);
      return typeof own === "function" && !Object.hasOwn(writes, name) ? own.bind(target) : own;
    },
  });
}

/** An undo compares with what was read, as it was. */
function confirmationsIn(checks: Json | undefined): readonly Json[] {
  return Array.isArray(checks) ? checks.filter((fact) => isJsonObject(fact) && fact["when"] === "confirm") : [];
}

/** What an undo would write back can't be changed, and can't be kept either. */
function refuseToKeep(shown: Shown, ...kept: readonly (Json | undefined)[]): void {
  if (!kept.some((value) => value !== undefined && holdsHidden(value, shown))) return;
  throw new SynartesisError(
    "refused",
    "what was there before holds a value that the policy keeps out of the record, so it can't be put back",
    {
      hint: "name it in the rule's `redact` as `$snapshot.` too",
    },
  );
}

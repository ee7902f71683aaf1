// How does what a rule keeps secret stay out of the record? Everything that is written about the call passes here first. The call itself, and what is
// compared in memory, are untouched; the state is hidden where it is read, the same way at undo, so that it can be compared.
import { resultFor } from "../core/extract.ts";
import { canonicalJson, isJsonObject, type Json } from "../core/json.ts";
import type { GoverningRule, Rule } from "../core/policy.ts";
import {
  addShown,
  fitting,
  type HiddenPaths,
  hiddenIn,
  hiddenInResult,
  hiddenPaths,
  hidePaths,
  hideResult,
  nothingShown,
  type Shown,
  shownFor,
} from "../core/redaction.ts";
import { hideTexts, holdsHidden, needlesIn } from "../core/secret-texts.ts";
import type { State } from "../core/state.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, NewCall, Original, Outcome } from "../journal/journal.ts";

/** A journal that never sees what a rule keeps secret. */
export interface Hiding {
  readonly journal: Journal;
  /** Looks for secrets in a result that recordFinished will be handed. */
  learn(result: Json): Promise<void>;
  /** Tells whether something holds a secret. */
  holds(value: Json): boolean;
}

/** Makes it for one call; the journal itself where the rule keeps nothing secret. Without `args`, the record has them already, and they stay. */
export async function hideFrom(journal: Journal, governing: GoverningRule, args: Json | undefined): Promise<Hiding> {
  if (governing === "unmentioned" || governing.redact === undefined) return { journal, learn: () => Promise.resolve(), holds: () => false };
  const secrets = new Secrets(journal, governing, args === undefined ? [] : hiddenPaths(governing.redact, "args"));
  if (args !== undefined) await secrets.learnArgs(args);
  return {
    journal: withoutSecrets(journal, secrets),
    learn: (result) => secrets.learnResult(result, args === undefined ? [] : [secrets.args(args)]),
    holds: (value) => secrets.hold(value),
  };
}

/** What was hidden in the value of a state, for whoever records what a call showed of it. */
const behind = new WeakMap<object, Shown>();

/** Hides what `redact` names in a state. */
export async function hideState(journal: Journal, state: State, redact: readonly string[] | undefined): Promise<State> {
  if (state.kind !== "present") return state;
  const paths = fitting(state.value, hiddenPaths(redact ?? [], "snapshot"));
  if (paths.length === 0) return state;
  const shown = nothingShown();
  await show(journal, hiddenIn(state.value, paths), shown);
  const value = hidePaths(state.value, paths, shown);
  if (typeof value === "object" && value !== null) behind.set(value, shown);
  return { ...state, value };
}

async function show(journal: Journal, values: readonly Json[], shown: Shown): Promise<void> {
  // The mark is of the canonical JSON: a text, and a list that prints like it, are two things.
  for (const value of values) addShown(shown, value, shownFor(value, await journal.mark(canonicalJson(value))));
}

/** What is known to be secret about a call; it becomes more with what the call shows. */
class Secrets {
  readonly #journal: Journal;
  readonly #shown = nothingShown();
  readonly #inArgs: HiddenPaths;
  readonly #inResult: HiddenPaths;
  readonly #fields: Rule["resultFields"];

  constructor(journal: Journal, { redact = [], resultFields }: Rule, inArgs: HiddenPaths) {
    this.#journal = journal;
    this.#inArgs = inArgs;
    // Many servers answer a change with what is there now.
    this.#inResult = [...hiddenPaths(redact, "result"), ...hiddenPaths(redact, "snapshot")];
    this.#fields = resultFields;
  }

  learnArgs(args: Json): Promise<void> {
    return show(this.#journal, hiddenIn(args, this.#inArgs), this.#shown);
  }

  /** What stands in the record already (`written`) isn't secret because a result repeats it. */
  async learnResult(result: Json, written: readonly Json[]): Promise<void> {
    const field = this.#fields && resultFor(result, this.#fields);
    const found = [...hiddenInResult(result, this.#inResult), ...(field === undefined ? [] : hiddenIn(field, this.#inResult))];
    const shown = nothingShown();
    await show(this.#journal, found, shown);
    for (const value of written) for (const text of needlesIn(value, shown.texts)) shown.texts.delete(text);
    this.#add(shown);
  }

  learnState(value: Json | undefined): void {
    const shown = typeof value === "object" && value !== null ? behind.get(value) : undefined;
    if (shown !== undefined) this.#add(shown);
  }

  #add({ places, texts }: Shown): void {
    for (const [key, stands] of places) this.#shown.places.set(key, stands);
    for (const [text, stands] of texts) this.#shown.texts.set(text, stands);
  }

  hold(value: Json | undefined): boolean {
    return value !== undefined && holdsHidden(value, this.#shown.texts);
  }

  args(args: Json): Json {
    return hideTexts(hidePaths(args, this.#inArgs, this.#shown), this.#shown.texts);
  }

  result(result: Json): Json {
    return hideResult(result, this.#inResult, this.#shown);
  }

  text<T extends Json | undefined>(value: T): T {
    return value === undefined ? value : (hideTexts(value, this.#shown.texts) as T); // a text stays a text
  }

  call<T extends NewCall>(of: T): T {
    const why = isJsonObject(of.rule) ? of.rule["why"] : undefined;
    return {
      ...of,
      args: this.args(of.args),
      resources: this.text(of.resources),
      ...(isJsonObject(of.rule) && why !== undefined ? { rule: { ...of.rule, why: this.text(why) } } : {}),
      ...(of.besides === undefined ? {} : { besides: this.text(of.besides) }),
    };
  }

  outcome<T extends Partial<Outcome>>(of: T): T {
    return {
      ...of,
      ...(of.detail === undefined ? {} : { detail: this.text(of.detail) }),
      ...(of.result === undefined ? {} : { result: this.result(of.result) }),
      ...(of.post === undefined ? {} : { post: this.text(of.post) }),
      ...(of.resources === undefined ? {} : { resources: this.text(of.resources) }),
      // What would be sent has to be sent as it is, or not at all.
      ...(this.hold(of.inverse) || this.hold(of.read) ? { inverse: undefined, read: undefined } : {}),
    };
  }
}

/** What of a journal writes about a call, with secrets taken out of what it is handed. */
function withoutSecrets(journal: Journal, secrets: Secrets): Journal {
  const written: Json[] = [];
  const writes: Partial<Journal> = {
    hold: (of, reason) => journal.hold(secrets.call(of), reason),
    async intend(of) {
      secrets.learnState(of.snapshot);
      refuseToKeep(secrets, of.snapshot, of.inverse, of.read, ...confirmationsIn(of.checks));
      written.push(...[secrets.args(of.args), of.snapshot, of.inverse, of.read].filter((value) => value !== undefined));
      return journal.intend({ ...secrets.call(of), checks: secrets.text(of.checks) });
    },
    async settle(action, of, ...originals) {
      secrets.learnState(of.post);
      if (of.result !== undefined) await secrets.learnResult(of.result, written);
      const outcome = secrets.outcome(of);
      // Nothing that an undo does is permanent: the call that it put back can be sent again.
      const isLost = originals.length === 0 && of.status === "applied" && of.inverse !== undefined && outcome.inverse === undefined;
      return journal.settle(
        action,
        isLost ? { ...outcome, ...NO_WAY_BACK } : outcome,
        ...originals.map((each) => hideOriginal(secrets, each)),
      );
    },
    async captureAgain(action, before) {
      secrets.learnState(before.snapshot);
      refuseToKeep(secrets, before.snapshot, before.inverse);
      written.push(...[before.snapshot, before.inverse].filter((value) => value !== undefined));
      return journal.captureAgain(action, before);
    },
    async addPostState(action, state, post) {
      secrets.learnState(post);
      return journal.addPostState(action, state, secrets.text(post));
    },
    addVerification: (action, verification, checks) => journal.addVerification(action, verification, secrets.text(checks)),
    recordFinished: (of) =>
      journal.recordFinished({
        ...secrets.call(of),
        detail: of.detail === null ? null : secrets.text(of.detail),
        result: of.result === undefined ? undefined : secrets.result(of.result),
      }),
  };
  return new Proxy(journal, {
    get(target, name) {
      const own = Reflect.get(writes, name) ?? Reflect.get(target, name);
      return typeof own === "function" && !Object.hasOwn(writes, name) ? own.bind(target) : own;
    },
  });
}

const NO_WAY_BACK = {
  status: "permanent",
  reason: "not-captured",
  detail: "what would put it back holds a value that the policy keeps out of the record",
} as const;

function hideOriginal(secrets: Secrets, original: Original): Original {
  return {
    ...original,
    ...(original.detail === undefined ? {} : { detail: secrets.text(original.detail) }),
    ...(original.outcome === undefined ? {} : { outcome: secrets.outcome(original.outcome) }),
  };
}

/** An undo compares with what was read, as it was. */
function confirmationsIn(checks: Json | undefined): readonly Json[] {
  return Array.isArray(checks) ? checks.filter((fact) => isJsonObject(fact) && fact["when"] === "confirm") : [];
}

/** What an undo would go by can't be changed, and can't be kept either. */
function refuseToKeep(secrets: Secrets, ...kept: readonly (Json | undefined)[]): void {
  if (!kept.some((value) => secrets.hold(value))) return;
  throw new SynartesisError(
    "refused",
    "what was there before, or the call that would put it back, holds a value that the policy keeps out of the record, so it can't be put back",
    { hint: "name it in the rule's `redact` as `$snapshot.` too, or keep it out of the other arguments" },
  );
}

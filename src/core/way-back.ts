// Which calls put a state back that wasn't known when the call was made: a merged one, or one with something of the present in it? Never makes
// again what others have made since.
import type { Json } from "./json.ts";
import type { PlanAction, PlanStep, WayBack } from "./plan-step.ts";
import { readsOf, resolveCalls, type There } from "./resolve-calls.ts";
import type { ResolvedCall } from "./resolved-call.ts";
import type { InverseTemplate } from "./rule-record.ts";
import { presentValue, type State } from "./state.ts";
import type { Bindings } from "./template.ts";
import type { ThreeWay } from "./three-way.ts";

/** Tells whether a call of an inverse is repeated for the elements of a list. */
export function repeats(wayBack: WayBack | undefined): boolean {
  return wayBack?.templates.some(({ forEach }) => forEach !== undefined) ?? false;
}

/** Tells whether what is there shows which calls are still to be made: it is one call, repeated for the elements of a list of the state. */
export function isToldByState(wayBack: WayBack | undefined): boolean {
  const [only, ...more] = wayBack?.templates ?? [];
  return only?.forEach?.reference.namespace === "snapshot" && more.length === 0;
}

/** Tells whether an inverse has something in it of what is there when it is sent. */
export function readsCurrent({ wayBack }: Pick<PlanAction, "wayBack">): boolean {
  return readsOf(wayBack?.templates, "current").length > 0;
}

/**
 * Makes all calls of the inverse for another state than the captured one; undefined where that state lacks what they need. `there`: a state of
 * which the elements need no repeated call any more. `not-yet`: what is there is only known when they are sent.
 */
export function inverseFor(
  { wayBack }: Pick<PlanAction, "wayBack">,
  snapshot: Json | undefined,
  now: State | "not-yet" | undefined,
  there?: There,
): readonly ResolvedCall[] | undefined {
  if (wayBack === undefined) return undefined;
  const current = now === "not-yet" ? undefined : presentValue(now);
  const bindings: Bindings = {
    args: wayBack.args,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(wayBack.result === undefined ? {} : { result: wayBack.result }),
    ...(current === undefined ? {} : { current }),
    ...(now === "not-yet" ? { notYet: "current" } : {}),
  };
  const calls = resolveCalls(wayBack.templates, bindings, there);
  return calls.kind === "value" ? calls.calls : undefined;
}

/**
 * Makes the calls that put a captured state back over what was `there`, without those that are done; `now` is what is there by now. An element of a
 * list that was there as it is to be needs no call of its own, unless only their order is to change.
 */
export function callsOver(
  action: PlanAction,
  meant: Json | undefined,
  now: State | undefined,
  there: State | undefined,
): readonly ResolvedCall[] | undefined {
  const { wayBack, rules, done } = action;
  const over = there?.kind === "present" && isToldByState(wayBack) ? { value: there.value, rules } : undefined;
  const needed = over && meant !== undefined ? inverseFor({ wayBack }, meant, now, over) : undefined;
  if (needed !== undefined && needed.length > 0) return needed;
  return (readsCurrent(action) ? inverseFor(action, meant, now) : action.inverse)?.slice(done);
}

/** Makes the calls of a step again for what is there by now, as many as were planned. */
export function callsAgain(
  action: PlanAction,
  { kind, meant, now: there, done }: Pick<PlanStep, "kind" | "meant" | "now" | "done">,
  now: State | undefined,
): readonly ResolvedCall[] | undefined {
  const value = presentValue(meant);
  if (kind !== "merge") return callsOver({ ...action, done }, value, now, there);
  const calls = inverseFor(action, value, now, there?.kind === "present" ? { value: there.value, rules: action.rules } : undefined);
  return isToldByState(action.wayBack) ? calls : calls?.slice(done);
}

/**
 * Makes the calls that put a merged state back over what is there now. A repeated call is made for the elements that aren't there, or aren't
 * there as they were: those that others added are there. Those that are
 * done aren't among them. Undefined where it can't be told for which ones, or where none is left.
 */
export function callsBeside(
  { wayBack, rules, done }: PlanAction,
  { value, already }: ThreeWay & { readonly kind: "merged" },
  now: State & { readonly kind: "present" },
): readonly ResolvedCall[] | undefined {
  const all = inverseFor({ wayBack }, value, now);
  if (wayBack === undefined || all === undefined || !repeats(wayBack)) return all?.slice(done);
  // Of what is repeated for other elements, the number of calls doesn't say how much is done.
  if (done > 0 && !isToldByState(wayBack)) return undefined;
  const there = { value: now.value, rules };
  const needed = inverseFor({ wayBack }, value, now, there);
  if (needed === undefined || (needed.length === 0 && all.length > 0)) return undefined;
  const isCut = (template: InverseTemplate) => {
    const alone = { wayBack: { ...wayBack, templates: [template] } };
    return inverseFor(alone, value, now, there)?.length !== inverseFor(alone, value, now)?.length;
  };
  const isClear = wayBack.templates.every((template, index) => {
    const over = template.forEach?.reference.namespace;
    // A call before it may clear the list, and then all of it would have to be made again.
    if (over === undefined || over === "snapshot") return index === 0 || !isCut(template);
    // What another list names isn't known to be missing, once others have put something back.
    return over !== "current" && already === 0;
  });
  return isClear ? needed : undefined;
}

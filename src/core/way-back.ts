// Which calls put a state back that wasn't known when the call was made: a merged one, or one with something of the present in it? Never makes
// again what others have made since.
import type { Json } from "./json.ts";
import type { PlanAction, WayBack } from "./plan-step.ts";
import { readsOf, resolveCalls } from "./resolve-calls.ts";
import type { ResolvedCall } from "./resolved-call.ts";
import type { InverseTemplate } from "./rule-record.ts";
import { presentValue, type State } from "./state.ts";
import type { Bindings } from "./template.ts";
import type { ThreeWay } from "./three-way.ts";

/** Tells whether a call of an inverse is repeated for the elements of a list. */
export function repeats(wayBack: WayBack | undefined): boolean {
  return wayBack?.templates.some(({ forEach }) => forEach !== undefined) ?? false;
}

/** Tells whether an inverse has something in it of what is there when it is sent. */
export function readsCurrent({ wayBack }: Pick<PlanAction, "wayBack">): boolean {
  return readsOf(wayBack?.templates, "current").length > 0;
}

/**
 * Makes all calls of the inverse for another state than the captured one; undefined where that state lacks what they need. `there`: a state of
 * which the elements need no repeated call any more.
 */
export function inverseFor(
  { wayBack }: Pick<PlanAction, "wayBack">,
  snapshot: Json | undefined,
  now: State | undefined,
  there?: Json,
): readonly ResolvedCall[] | undefined {
  if (wayBack === undefined) return undefined;
  const current = presentValue(now);
  const bindings: Bindings = {
    args: wayBack.args,
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(wayBack.result === undefined ? {} : { result: wayBack.result }),
    ...(current === undefined ? {} : { current }),
  };
  const calls = resolveCalls(wayBack.templates, bindings, there);
  return calls.kind === "value" ? calls.calls : undefined;
}

/**
 * Makes the calls that put a merged state back over what is there now. A repeated call is made for the elements that aren't there, or aren't
 * there as they were: those that others added are there. Undefined where it can't be told for which ones, or where none is left.
 */
export function callsBeside(
  { wayBack }: PlanAction,
  { value, already }: ThreeWay & { readonly kind: "merged" },
  now: State & { readonly kind: "present" },
): readonly ResolvedCall[] | undefined {
  const all = inverseFor({ wayBack }, value, now);
  if (wayBack === undefined || all === undefined || !repeats(wayBack)) return all;
  const needed = inverseFor({ wayBack }, value, now, now.value);
  if (needed === undefined || (needed.length === 0 && all.length > 0)) return undefined;
  const isCut = (template: InverseTemplate) => {
    const alone = { wayBack: { ...wayBack, templates: [template] } };
    return inverseFor(alone, value, now, now.value)?.length !== inverseFor(alone, value, now)?.length;
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

// Which calls does a rule make in a given case, and what do they lack where they can't be made? Pure: templates and bindings in, calls out.
import { canonicalJson, type Json } from "./json.ts";
import { below, keyWithin, type MergeRules, type Scope, scopeOf } from "./merge/scope.ts";
import { templateOf } from "./policy.ts";
import { elementsIn, pathsRead } from "./references-in.ts";
import type { ResolvedCall } from "./resolved-call.ts";
import type { InverseTemplate } from "./rule-record.ts";
import { type Bindings, eachElement, type Missing, type Namespace, type PathStep, resolve } from "./template.ts";

/** What a call can't be made without. `why` goes on from "the inverse needs"; `unbound`: nobody has said yet what it reads from. */
export type Lacking = { readonly kind: "missing"; readonly why: string; readonly unbound: boolean };

/** A state of which elements need no repeated call, and how it compares. */
export interface There {
  readonly value: Json;
  readonly rules: MergeRules;
}

/** Resolves a call that a rule makes once, in the given bindings. */
export function resolveCall(
  template: InverseTemplate,
  bindings: Bindings,
): { readonly kind: "value"; readonly call: ResolvedCall } | Lacking {
  const args = resolve(template.args, bindings);
  if (args.kind === "missing") return lacking(args);
  return { kind: "value", call: { server: template.server, tool: template.tool, args: args.value } };
}

/**
 * Resolves the calls of an inverse, those that are repeated for each element: all of them, or what is lacking; of several things, one that can't
 * become known any more. There may be none. `there`: a state of which the elements need no call any more.
 */
export function resolveCalls(
  templates: readonly InverseTemplate[],
  bindings: Bindings,
  there?: There,
): { readonly kind: "value"; readonly calls: readonly ResolvedCall[] } | Lacking {
  const resolved = templates.flatMap((template) => resolveRepeated(template, bindings, there));
  const lacks = resolved.filter((each) => each.kind === "missing");
  const missing = lacks.find(({ unbound }) => !unbound) ?? lacks[0];
  return missing ?? { kind: "value", calls: resolved.flatMap((each) => (each.kind === "value" ? [each.call] : [])) };
}

function resolveRepeated(template: InverseTemplate, bindings: Bindings, there: There | undefined) {
  if (template.forEach === undefined) return [resolveCall(template, bindings)];
  const found = eachElement(template.forEach, bindings);
  if (found.kind === "missing") return [lacking(found)];
  const needed = there === undefined ? found.each : withoutThere(template, found.each, bindings, there);
  return needed.map((element) => resolveCall(template, element));
}

/**
 * Only a list of the state can be compared with what is there; of equal elements as many are left out as there are. An element needs a call
 * all the same where something else that goes into the call is otherwise now.
 */
function withoutThere(
  template: InverseTemplate,
  each: readonly Bindings[],
  bindings: Bindings,
  { value, rules }: There,
): readonly Bindings[] {
  const list = template.forEach;
  const scope = list && elementScope(elementsIn(list.reference).steps, rules);
  if (list?.reference.namespace !== "snapshot" || scope === undefined) return each;
  const now = { ...bindings, snapshot: value };
  const found = eachElement(list, now);
  const left = new Map<string, number>();
  for (const { item = null } of found.kind === "each" ? found.each : []) {
    const mark = keyWithin(item, scope);
    left.set(mark, (left.get(mark) ?? 0) + 1);
  }
  const isSameCall = (element: Bindings) =>
    canonicalJson(argsOf(template, element)) === canonicalJson(argsOf(template, { ...element, snapshot: value }));
  return each.filter((element) => {
    const mark = keyWithin(element.item ?? null, scope);
    const count = left.get(mark) ?? 0;
    left.set(mark, count - 1);
    return count <= 0 || !isSameCall(element);
  });
}

/** How the elements of a list of the state compare; undefined where they don't count. */
function elementScope(steps: readonly PathStep[], rules: MergeRules): Scope | undefined {
  return steps.reduce<Scope | undefined>((scope, step) => scope && below(scope, step), scopeOf(rules));
}

/** The arguments of a call; null where they can't be made. */
function argsOf(template: InverseTemplate, bindings: Bindings): Json {
  const call = resolveCall(template, bindings);
  return call.kind === "value" ? call.call.args : null;
}

function lacking({ reference, why }: Missing): Lacking {
  const asWhat = why === "not-a-number" ? " as a number" : why === "not-a-list" ? " as a list" : "";
  return { kind: "missing", why: `${reference.text}, which ${LACKS[reference.namespace]}${asWhat}`, unbound: why === "unbound" };
}

/** Lists the paths that the calls of an inverse read in one namespace. */
export function readsOf(templates: readonly InverseTemplate[] | undefined, from: Namespace): readonly (readonly PathStep[])[] {
  return (templates ?? []).flatMap((call) => pathsRead(templateOf(call), from));
}

const LACKS: Readonly<Record<Namespace, string>> = {
  args: "the arguments don't have",
  snapshot: "the snapshot doesn't have",
  current: "the present state doesn't have",
  result: "the result doesn't have",
  item: "an element of the list doesn't have",
};

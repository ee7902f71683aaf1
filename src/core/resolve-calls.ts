// Which calls does a rule make in a given case, and what do they lack where they can't be made? Pure: templates and bindings in, calls out.
import type { ResolvedCall } from "./resolved-call.ts";
import type { InverseTemplate } from "./rule-record.ts";
import { type Bindings, type Namespace, type PathStep, pathsRead, resolve } from "./template.ts";

/** What a call can't be made without. `why` goes on from "the inverse needs"; `unbound`: nobody has said yet what it reads from. */
export type Lacking = { readonly kind: "missing"; readonly why: string; readonly unbound: boolean };

/** Resolves a rule's call in the given bindings. */
export function resolveCall(
  template: InverseTemplate,
  bindings: Bindings,
): { readonly kind: "value"; readonly call: ResolvedCall } | Lacking {
  const args = resolve(template.args, bindings);
  if (args.kind === "missing") {
    const { reference, why } = args;
    const asWhat = why === "not-a-number" ? " as a number" : why === "not-a-list" ? " as a list" : "";
    return { kind: "missing", why: `${reference.text}, which ${LACKS[reference.namespace]}${asWhat}`, unbound: why === "unbound" };
  }
  return { kind: "value", call: { server: template.server, tool: template.tool, args: args.value } };
}

/** Resolves the calls of an inverse: all of them, or what is lacking; of several things, one that can't become known any more. */
export function resolveCalls(
  templates: readonly InverseTemplate[],
  bindings: Bindings,
): { readonly kind: "value"; readonly calls: readonly ResolvedCall[] } | Lacking {
  const resolved = templates.map((template) => resolveCall(template, bindings));
  const lacking = resolved.filter((each) => each.kind === "missing");
  const missing = lacking.find(({ unbound }) => !unbound) ?? lacking[0];
  return missing ?? { kind: "value", calls: resolved.flatMap((each) => (each.kind === "value" ? [each.call] : [])) };
}

/** Lists the paths that the calls of an inverse read in one namespace. */
export function readsOf(templates: readonly InverseTemplate[] | undefined, from: Namespace): readonly (readonly PathStep[])[] {
  return (templates ?? []).flatMap(({ args }) => pathsRead(args, from));
}

const LACKS: Readonly<Record<Namespace, string>> = {
  args: "the arguments don't have",
  snapshot: "the snapshot doesn't have",
  current: "the present state doesn't have",
  result: "the result doesn't have",
  item: "an element of the list doesn't have",
};

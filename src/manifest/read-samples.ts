// By which calls is a rule tried out? The key `drill`. What is in a sample is sent as it stands, but for `$result`: what the call before it gave.
import type { CallTemplate, Rule, Sample } from "../core/policy.ts";
import { itemsOf, type Located, type LocatedMap, memberOf, textOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";
import { readCall, readTemplate, type TemplateScope } from "./read-call.ts";

/** Reads the samples of a rule or a case; absent where there are none. */
export function readSamples(
  node: LocatedMap,
  { servers, problems }: { readonly servers: readonly string[]; readonly problems: ProblemList },
): Pick<Rule, "drill"> {
  const scope = { servers, problems, place: "a sample" } as const;
  const samples = itemsOf(memberOf(node, "drill")).flatMap((item) => readSample(item, scope) ?? []);
  return samples.length === 0 ? {} : { drill: samples };
}

const NONE: readonly CallTemplate[] = [];

function readSample(node: Located, scope: Pick<TemplateScope, "servers" | "problems" | "place">): Sample | undefined {
  const after = (calls: number): TemplateScope => ({ ...scope, allowed: calls === 0 ? [] : ["result"] });
  const prepared = itemsOf(memberOf(node, "before"));
  const before = prepared.flatMap((item, at) => readCall(item, after(at)) ?? NONE);
  const argsNode = memberOf(node, "args");
  const check = itemsOf(memberOf(node, "check")).flatMap((item) => readCall(item, after(prepared.length)) ?? NONE);
  const args = argsNode && readTemplate(argsNode, after(prepared.length));
  if (args === undefined) return undefined;
  const note = textOf(memberOf(node, "note"));
  return {
    args,
    before,
    ...(check.length === 0 ? {} : { check }),
    ...(memberOf(node, "refused") === undefined ? {} : { refused: true }),
    ...(note === undefined ? {} : { note }),
    position: scope.problems.positionAt(node.offset),
  };
}

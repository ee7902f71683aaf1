// For which calls is a rule, how often, and for whom? The keys args, otherwise, limits, scopes and environments.
import { compileTemplate } from "../core/compile-template.ts";
import { isJsonObject } from "../core/json.ts";
import type { Limits, Rule } from "../core/policy.ts";
import type { Reference } from "../core/template.ts";
import { schemaProblems } from "./argument-schema.ts";
import { entryOf, jsonOf, type Located, type LocatedMap, memberOf, offsetAt, textOf, textsOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";

/** What these keys say; absent where they say nothing. */
export type Bounds = Pick<Rule, "accepts" | "otherwise" | "limits" | "scopes" | "environments">;

/** Reads them. `environment`: what the manifest says it is for, if it does. */
export function readBounds(rule: LocatedMap, environment: string | undefined, problems: ProblemList): Bounds {
  const accepts = readSchema(memberOf(rule, "args"), problems);
  const limits = readLimits(memberOf(rule, "limits"), problems);
  const otherwise = entryOf(rule, "otherwise");
  if (otherwise !== undefined && memberOf(rule, "args") === undefined && memberOf(rule, "limits") === undefined)
    problems.add(otherwise.offset, "`otherwise`: the rule has neither `args` nor `limits`");
  const environments = entryOf(rule, "environments");
  if (environments !== undefined && environment === undefined)
    problems.add(environments.offset, "`environments`: the manifest doesn't say which one it is for", "add `environment: NAME` at the top");
  const scopes = textsOf(memberOf(rule, "scopes"));
  return {
    ...(accepts && { accepts }),
    ...(limits && { limits }),
    ...(textOf(otherwise?.value) === "deny" ? { otherwise: "deny" } : {}),
    ...(scopes.length === 0 ? {} : { scopes }),
    ...(environments === undefined ? {} : { environments: textsOf(environments.value) }),
  };
}

function readSchema(node: Located | undefined, problems: ProblemList): Bounds["accepts"] {
  if (node?.kind !== "map") return undefined;
  const schema = jsonOf(node);
  if (!isJsonObject(schema)) return undefined;
  const found = schemaProblems(schema);
  for (const { path, reason } of found) problems.add(offsetAt(node, path), `\`args\` must be a JSON Schema (2020-12): ${reason}`);
  return found.length === 0 ? schema : undefined;
}

function readLimits(node: Located | undefined, problems: ProblemList): Limits | undefined {
  if (node?.kind !== "map") return undefined;
  if (node.entries.length === 0) problems.add(node.offset, "`limits` must not be empty");
  const [perRun, perMinute, items] = [countOf(memberOf(node, "per_run")), countOf(memberOf(node, "per_minute")), memberOf(node, "items")];
  const max = countOf(memberOf(items, "max"));
  const path = items && readArgument(memberOf(items, "path"), "`path`", problems);
  return {
    ...(perRun === undefined ? {} : { perRun }),
    ...(perMinute === undefined ? {} : { perMinute }),
    ...(max === undefined || path === undefined ? {} : { items: { path, max } }),
  };
}

function countOf(node: Located | undefined): number | undefined {
  return node?.kind === "scalar" && typeof node.value === "number" ? node.value : undefined;
}

/** Reads a reference to one argument, like `$.method`; undefined where it is none, and that is said. `what` names it in messages. */
export function readArgument(node: Located | undefined, what: string, problems: ProblemList): Reference | undefined {
  const text = textOf(node);
  if (node === undefined || text === undefined || text.trim() === "") return undefined;
  const read = compileTemplate(text);
  const reference = read.kind === "compiled" && read.template.kind === "reference" ? read.template.reference : undefined;
  if (
    reference?.namespace === "args" &&
    reference.steps.length > 0 &&
    reference.steps.every(({ kind }) => kind === "member" || kind === "index")
  )
    return reference;
  const reason = read.kind === "invalid" ? read.problems[0]?.reason : undefined;
  problems.add(node.offset, reason ?? `${what} must be one argument, like \`$.method\`; found \`${text}\``);
  return undefined;
}

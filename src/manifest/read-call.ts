// Which call does a rule make, and may its arguments read what they read? Never leaves a reference in a place where nothing binds it.
import { compileTemplate } from "../core/compile-template.ts";
import { hasWildcard, parseToolName } from "../core/match-rule.ts";
import { nearest } from "../core/near-name.ts";
import type { CallTemplate, Presence, ToolName } from "../core/policy.ts";
import { placedReferencesIn } from "../core/references-in.ts";
import type { ListTemplate, Namespace, Reference, Template } from "../core/template.ts";
import { itemsOf, jsonOf, type Located, memberOf, offsetAt, textOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";

/** As in "`$result` is not available in a snapshot". */
export type TemplatePlace =
  | "a snapshot"
  | "an inverse"
  | "an observation"
  | "a confirmation"
  | "a resource"
  | "a requirement"
  | "a verification"
  | "a sample";

/** Where a template stands, and which namespaces it may read. */
export interface TemplateScope {
  readonly servers: readonly string[];
  readonly problems: ProblemList;
  readonly allowed: readonly Namespace[];
  readonly place: TemplatePlace;
  /** What the snapshot has shown, where that is known. */
  readonly when?: Presence | undefined;
  /** What there is in the rule's state, as far as the manifest says it. */
  readonly names?: StateNames | undefined;
}

/** The members of a state: those behind each again, or undefined where anything may be there. */
export type StateNames = ReadonlyMap<string, StateNames | undefined>;

/** Reads the calls of an inverse; undefined where there is none, or none that can be read whole. */
export function readInverse(node: Located | undefined, scope: TemplateScope): readonly CallTemplate[] | undefined {
  const calls = itemsOf(node).map((item) => readRepeatedCall(item, scope));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function readRepeatedCall(node: Located, scope: TemplateScope): CallTemplate | undefined {
  const listNode = memberOf(node, "for_each");
  if (listNode === undefined) return readCall(node, scope);
  const list = readTemplate(listNode, scope);
  if (list === undefined) return undefined;
  if (list.kind !== "reference") {
    scope.problems.add(listNode.offset, "`for_each` must be a single reference to a list, like `$snapshot.items[]`");
    return undefined;
  }
  const call = readCall(node, scope, list);
  return call && { ...call, forEach: list };
}

/** Reads one call. `list`: the one by whose elements it is repeated. */
export function readCall(node: Located | undefined, scope: TemplateScope, list?: ListTemplate): CallTemplate | undefined {
  if (node?.kind !== "map") return undefined;
  const toolNode = memberOf(node, "tool");
  const name = readToolName(toolNode, scope);
  const argsNode = memberOf(node, "args");
  const args = argsNode === undefined ? NO_ARGUMENTS : readTemplate(argsNode, scope, list);
  if (argsNode?.kind === "scalar" && args !== undefined && args.kind !== "reference") {
    scope.problems.add(argsNode.offset, "`args` must be a mapping of arguments, or one reference to a whole value");
  }
  if (toolNode === undefined || name === undefined || args === undefined) return undefined;
  return { ...name, args, position: scope.problems.positionAt(toolNode.offset) };
}

/** Compiles a template and checks what it reads; undefined where it can't be compiled. `list`: the one by whose elements it is repeated. */
export function readTemplate(node: Located, scope: TemplateScope, list?: ListTemplate): Template | undefined {
  const { problems, allowed, place, when, names } = scope;
  const compiled = compileTemplate(jsonOf(node), list);
  if (compiled.kind === "invalid") {
    for (const problem of compiled.problems) problems.add(offsetAt(node, problem.path), problem.reason);
    return undefined;
  }
  for (const { reference, path } of placedReferencesIn(compiled.template)) {
    const isState = reference.namespace === "snapshot" || reference.namespace === "current";
    if (!allowed.includes(reference.namespace)) {
      const { what, hint } = unavailable(reference, place, when);
      problems.add(offsetAt(node, path), what, hint);
    } else if (isState) {
      const trouble = nameTrouble(reference, names);
      if (trouble !== undefined) problems.add(offsetAt(node, path), trouble);
    }
  }
  return compiled.template;
}

/** Says that a path leads to what a state can't have; undefined where it may be there. */
export function nameTrouble({ steps, text }: Reference, names: StateNames | undefined): string | undefined {
  let there = names;
  for (const step of steps) {
    if (there === undefined) return undefined;
    const name = step.kind === "member" ? step.name : undefined;
    if (name === undefined || !there.has(name)) {
      const known = [...there.keys()];
      const meant = name === undefined ? undefined : nearest(name, known);
      const has = known.map((each) => `\`${each}\``).join(", ");
      return `\`${text}\`: what is read has ${has} there${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
    }
    there = there.get(name);
  }
  return undefined;
}

function unavailable({ namespace, text }: Reference, place: TemplatePlace, when: Presence | undefined): { what: string; hint: string } {
  const what = `\`${text}\` is not available in ${place}`;
  if (place === "a sample") return { what, hint: "only `$result` is known there, once a call of `before` was made: what that gave" };
  if (place === "a snapshot") return { what, hint: "it is read before the call: only `$.` is known then" };
  if ((place === "a requirement" || place === "a confirmation") && namespace === "result")
    return { what, hint: "it is read before the call: only `$.` and, with a snapshot, `$snapshot` are known then" };
  if (namespace === "current" && place !== "an inverse")
    return { what, hint: "it is read right before the inverse is sent, and only an inverse can use it" };
  if (when === "absent")
    return {
      what: `\`${text}\`: nothing is there in the case of \`when_absent\``,
      hint: "give `when_absent` an `inverse` of its own, or another class",
    };
  return { what: `\`${text}\`: the rule declares no \`snapshot\``, hint: "add a `snapshot`, or read `$.` or `$result.`" };
}

/** Says that a server isn't declared, and which are. */
export function addUndeclared(name: string, node: Located, servers: readonly string[], problems: ProblemList): void {
  const meant = nearest(name, servers);
  const hint = meant === undefined ? undefined : `did you mean \`${meant}\`?`;
  problems.add(node.offset, `server \`${name}\` is not declared (declared: ${servers.join(", ") || "none"})`, hint);
}

const NO_ARGUMENTS: Template = { kind: "literal", value: {} };

function readToolName(node: Located | undefined, { servers, problems, place }: TemplateScope): ToolName | undefined {
  const text = textOf(node);
  if (node === undefined || text === undefined || text.trim() === "") return undefined;
  const name = parseToolName(text);
  if (name === undefined) problems.add(node.offset, `the tool of ${place} must be qualified, as server.tool; found \`${text}\``);
  else if (hasWildcard(text)) problems.add(node.offset, `the tool of ${place} must be one tool, not a pattern; found \`${text}\``);
  else if (!servers.includes(name.server)) addUndeclared(name.server, node, servers, problems);
  else return name;
  return undefined;
}

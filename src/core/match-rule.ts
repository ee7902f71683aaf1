// Which rule governs a tool? The most specific pattern; of equal rank the stricter rule. Time is linear in the length of a name.
import type { GoverningRule, Policy, Rule, ToolName } from "./policy.ts";
import { ACTION_CLASSES, GATES, type Gate } from "./vocabulary.ts";
import { matchesWildcard } from "./wildcard.ts";

/** What governs a tool, and which other rules matched it in equal rank. */
export interface Match {
  readonly rule: GoverningRule;
  /** Rules as specific as the governing one that lost to it by being less strict, or later in the file. */
  readonly ties: readonly Rule[];
}

/**
 * Finds the rule that governs a tool (10-manifest, base rules): the longest literal wins, then the fewest wildcards; of equal rank the
 * stricter governs. Time is linear in the length of the tool's name for each rule.
 */
export function ruleFor(policy: Policy, server: string, tool: string): Match {
  const name = `${server}.${tool}`;
  const exact = policy.rules.find(({ match }) => match === name && !hasWildcard(match));
  if (exact !== undefined) return { rule: exact, ties: [] }; // no other pattern is as specific, and no two are equal
  let best: Rule[] = [];
  for (const rule of policy.rules) {
    const order = best[0] === undefined ? 1 : compareSpecificity(rule.match, best[0].match);
    if (order < 0 || !matchesTool(rule.match, server, tool)) continue;
    best = order > 0 ? [rule] : [...best, rule];
  }
  // The sort is stable: of rules that are equally strict the first in the file governs.
  const [governing, ...ties] = best.sort((a, b) => strictness(b) - strictness(a));
  return { rule: governing ?? "unmentioned", ties };
}

/** Tells whether a pattern matches a tool; `*` stays within one dot-separated segment, and a tool's name may have several. */
export function matchesTool(pattern: string, server: string, tool: string): boolean {
  const wanted = pattern.split(".");
  const name = `${server}.${tool}`.split(".");
  return wanted.length === name.length && wanted.every((segment, index) => matchesWildcard(segment, name[index] ?? ""));
}

/** Tells whether a pattern can match any tool of this server. */
export function matchesServer(pattern: string, server: string): boolean {
  return matchesWildcard(pattern.split(".", 1)[0] ?? "", server);
}

/** Tells whether a pattern stands for more than one name. */
export function hasWildcard(pattern: string): boolean {
  return pattern.includes("*");
}

/** Splits `server.tool` at its first dot; undefined where one of them is missing. */
export function parseToolName(text: string): ToolName | undefined {
  const dot = text.indexOf(".");
  if (dot <= 0 || dot === text.length - 1) return undefined;
  return { server: text.slice(0, dot), tool: text.slice(dot + 1) };
}

/** Positive where `a` is the more specific pattern, negative where `b` is, 0 where they have equal rank. */
function compareSpecificity(a: string, b: string): number {
  const wildcardsOfA = a.split("*").length - 1;
  const wildcardsOfB = b.split("*").length - 1;
  return a.length - wildcardsOfA - (b.length - wildcardsOfB) || wildcardsOfB - wildcardsOfA;
}

/** ACTION_CLASSES runs from harmless to final; of equal class the gate decides. */
function strictness(rule: Rule): number {
  return ACTION_CLASSES.indexOf(rule.class) * GATES.length + GATE_STRICTNESS[rule.gate];
}

const GATE_STRICTNESS: Readonly<Record<Gate, number>> = { never: 0, on_write: 1, always: 2 };

// Does a policy fit the tools that its servers really have? Pure: what the servers list comes in as names. Never says that a policy
// is right, only what in it can't be.

import { rulesWithin } from "./cases.ts";
import { confusableServers, confusableText, namePrefix, nameTrouble } from "./client-names.ts";
import { hasWildcard, matchesServer, matchesTool, ruleFor } from "./match-rule.ts";
import { nearest } from "./near-name.ts";
import { callsOf, checkReadsOf, type Policy, type Position, type Rule, readsIn } from "./policy.ts";
import { ABSENCE_HINT, knowsAbsence } from "./read-terms.ts";

/** One thing that `check` says. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint?: string;
  readonly position: Position;
}

/** The names of the tools that each server lists; a server that isn't in it is not checked. */
export type ListedNames = ReadonlyMap<string, readonly string[]>;

/** Compares a policy with the tools of its servers: findings in the order of the manifest, errors and warnings mixed. */
export function checkPolicy(policy: Policy, listed: ListedNames): readonly Finding[] {
  const findings = [
    ...policy.rules.flatMap((rule) => [
      ...checkPattern(rule, policy, listed),
      ...eachOnce(rulesWithin(rule).flatMap((part) => [...checkCalls(part, listed), ...checkGate(part), ...checkAbsence(part)])),
    ]),
    ...checkTies(policy, listed),
    ...checkUnmentioned(policy, listed),
    ...checkClientNames(policy, listed),
  ];
  return findings.sort((a, b) => a.position.line - b.position.line || a.position.column - b.position.column);
}

/** A variant has what it doesn't replace from its rule. */
function eachOnce(findings: readonly Finding[]): readonly Finding[] {
  return [
    ...new Map(findings.map((finding) => [`${finding.position.line}:${finding.position.column} ${finding.message}`, finding])).values(),
  ];
}

function checkPattern(rule: Rule, policy: Policy, listed: ListedNames): readonly Finding[] {
  const servers = policy.servers.map((server) => server.name).filter((name) => matchesServer(rule.match, name));
  const names: string[] = [];
  for (const server of servers) {
    const tools = listed.get(server);
    if (tools === undefined || tools.some((tool) => matchesTool(rule.match, server, tool))) return [];
    names.push(...tools.map((tool) => `${server}.${tool}`));
  }
  const message = `\`${rule.match}\` matches no tool`;
  if (hasWildcard(rule.match)) return [{ severity: "warning", message, position: rule.position }];
  return [{ severity: "error", message, ...meant(rule.match, names), position: rule.position }];
}

function checkCalls(rule: Rule, listed: ListedNames): readonly Finding[] {
  return [...callsOf(rule), ...checkReadsOf(rule)].flatMap(([role, call]) => {
    const tools = listed.get(call.server);
    if (tools === undefined || tools.includes(call.tool)) return [];
    const message = `${role} of \`${rule.match}\`: server \`${call.server}\` has no tool \`${call.tool}\``;
    return [{ severity: "error" as const, message, ...meant(call.tool, tools), position: call.position }];
  });
}

function checkGate(rule: Rule): readonly Finding[] {
  if (rule.gate === "on_write" && rule.sql === undefined) {
    const message = `\`${rule.match}\` has \`gate: on_write\` without \`sql\`: every text in its arguments has to be a certain read, in all dialects`;
    const hint = 'name the argument with the statement, and its dialect, like `sql: { statement: "$.sql", dialect: sqlite }`';
    return [{ severity: "warning", message, hint, position: rule.position }];
  }
  if (rule.class !== "irreversible" || rule.gate !== "never") return [];
  const message = `\`${rule.match}\` is irreversible and has \`gate: never\`: it will be done without asking, and nothing can put it back`;
  return [{ severity: "warning", message, hint: "leave `gate` out to have it held for a person", position: rule.position }];
}

function checkAbsence(rule: Rule): readonly Finding[] {
  const role = rule.snapshot === undefined ? "observe" : "snapshot";
  const read = rule[role];
  const blind = read && readsIn(read).find((each) => !knowsAbsence(each));
  if (blind === undefined) return [];
  const message = `${role} of \`${rule.match}\` has no \`absent_when\`: undo can't tell an error from something that is gone`;
  return [{ severity: "warning", message, hint: `${ABSENCE_HINT}; \`[]\` where this read never says it`, position: blind.position }];
}

function checkTies(policy: Policy, listed: ListedNames): readonly Finding[] {
  const seen = new Set<string>();
  const findings: Finding[] = [];
  for (const [server, tools] of listed) {
    for (const tool of tools) {
      const { rule, ties } = ruleFor(policy, server, tool);
      if (rule === "unmentioned") continue;
      for (const tie of ties.filter((other) => differs(rule, other))) {
        const pair = JSON.stringify([rule.match, tie.match]);
        if (seen.has(pair)) continue;
        seen.add(pair);
        const message = `\`${rule.match}\` and \`${tie.match}\` are equally specific, and both match \`${server}.${tool}\`: the stricter, \`${rule.match}\`, governs`;
        findings.push({ severity: "warning", message, hint: `add a rule for \`${server}.${tool}\` itself`, position: tie.position });
      }
    }
  }
  return findings;
}

function checkUnmentioned(policy: Policy, listed: ListedNames): readonly Finding[] {
  return policy.servers.flatMap((server) => {
    if (server.hidden) return [];
    const left = (listed.get(server.name) ?? []).filter((tool) => ruleFor(policy, server.name, tool).rule === "unmentioned");
    if (left.length === 0) return [];
    const names = left.map((tool) => `\`${tool}\``).join(", ");
    const message = `no rule mentions ${left.length === 1 ? "this tool" : `these ${left.length} tools`} of \`${server.name}\`, so every call is held for a person: ${names}`;
    return [{ severity: "warning" as const, message, position: server.position }];
  });
}

/** Where several servers can stand behind one entry, what their tools are named there. */
function checkClientNames(policy: Policy, listed: ListedNames): readonly Finding[] {
  const servers = policy.servers.filter(({ hidden }) => hidden !== true);
  const pair = confusableServers(servers.map(({ name }) => name));
  const confusable = servers.flatMap(({ name, position }): readonly Finding[] => {
    if (pair === undefined || pair[1] !== name) return [];
    return [{ severity: "warning", message: confusableText(pair), hint: "rename one of them", position }];
  });
  const refused = servers.flatMap(({ name: server, position }): readonly Finding[] => {
    const tools = listed.get(server) ?? [];
    const troublesOf = (names: readonly string[]) =>
      names.flatMap((name) => (nameTrouble(name) === undefined ? [] : [`\`${name}\` ${nameTrouble(name)}`]));
    const byPrefix = troublesOf(tools.filter((tool) => nameTrouble(tool) === undefined).map((tool) => `${namePrefix(server)}${tool}`));
    const byItself = troublesOf(tools);
    const entry = `with all servers behind one entry, some clients won't offer what \`${server}\` has: ${byPrefix.join("; ")}`;
    const hint = `shorten the server's name, or give it an entry of its own: \`proxy --server ${server}\``;
    const own = `some clients won't offer what \`${server}\` has, by the server's own name for it: ${byItself.join("; ")}`;
    return [
      ...(byPrefix.length === 0 ? [] : [{ severity: "warning" as const, message: entry, hint, position }]),
      ...(byItself.length === 0 ? [] : [{ severity: "warning" as const, message: own, position }]),
    ];
  });
  return servers.length > 1 ? [...confusable, ...refused] : [];
}

/** Two rules that let the same call pass with nothing to undo lead to the same thing; any others may not. */
function differs(a: Rule, b: Rule): boolean {
  return a.class !== b.class || a.gate !== b.gate || a.inverse !== undefined || b.inverse !== undefined;
}

function meant(word: string, candidates: readonly string[]): { readonly hint?: string } {
  const name = nearest(word, candidates);
  return name === undefined ? {} : { hint: `did you mean \`${name}\`?` };
}

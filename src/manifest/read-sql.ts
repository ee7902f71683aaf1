// Which SQL does `gate: on_write` read of a call, and is there anything that reads it?
import type { Rule, SqlArgument } from "../core/policy.ts";
import { SQL_DIALECTS } from "../core/vocabulary.ts";
import { entryOf, type LocatedMap, memberOf, textOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";
import { readArgument } from "./read-bounds.ts";

/** Reads `sql` of a rule. */
export function readSql(rule: LocatedMap, problems: ProblemList): { readonly sql?: SqlArgument } {
  const node = memberOf(rule, "sql");
  const statement = readArgument(memberOf(node, "statement"), "`statement`", problems);
  const dialect = SQL_DIALECTS.find((name) => name === textOf(memberOf(node, "dialect")));
  return statement === undefined || dialect === undefined ? {} : { sql: { statement, dialect } };
}

/** Says that `sql` is there for nothing. */
export function checkSql(node: LocatedMap, rule: Rule, problems: ProblemList): void {
  const parts = [rule, ...(rule.cases?.rules.values() ?? [])];
  const entry = entryOf(node, "sql");
  if (entry === undefined || parts.some(({ gate }) => gate === "on_write")) return;
  problems.add(
    entry.offset,
    `\`sql\` is what \`gate: on_write\` reads, and the gate is \`${rule.gate}\``,
    "add `gate: on_write`, or leave `sql` out",
  );
}

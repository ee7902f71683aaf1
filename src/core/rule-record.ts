// What does the journal keep of the rule that governed a call? Enough to undo the call without the manifest of that day.
import type { Json, JsonObject } from "./json.ts";
import { isJsonObject } from "./json.ts";
import type { GoverningRule } from "./policy.ts";
import type { Reference } from "./template.ts";

/** The part of a rule that undo goes by. */
export interface RuleRecord {
  /** As written in the manifest; null where no rule matched. */
  readonly match: string | null;
  readonly line: number | null;
  readonly gate: string;
  readonly ignore: readonly Reference[];
  /** Of the read that shows the state. */
  readonly absentWhen: readonly string[];
  readonly failedWhen: readonly string[];
}

/** Gives what is kept of a rule. */
export function recordRule(governing: GoverningRule): RuleRecord {
  if (governing === "unmentioned") return { match: null, line: null, gate: "always", ignore: [], absentWhen: [], failedWhen: [] };
  const read = governing.snapshot ?? governing.observe;
  return {
    match: governing.match,
    line: governing.position.line,
    gate: governing.gate,
    ignore: governing.ignore,
    absentWhen: read?.absentWhen ?? [],
    failedWhen: governing.failedWhen,
  };
}

/** Gives the JSON that is stored with an action: a record is plain data already. */
export function storedRule(record: RuleRecord): JsonObject {
  return record as unknown as JsonObject;
}

/** Reads it back. The journal verifies what it hands out, so a shape other than recordRule's is a bug of ours. */
export function ruleRecordFrom(stored: Json): RuleRecord {
  if (!isJsonObject(stored)) throw new TypeError("a rule in the journal isn't an object");
  return stored as unknown as RuleRecord;
}

// What does the journal keep of the rule that governed a call? Enough to undo the call without the manifest of that day.
import type { Json, JsonObject } from "./json.ts";
import { isJsonObject } from "./json.ts";
import type { GoverningRule, Rule } from "./policy.ts";
import { type Reference, referencesIn } from "./template.ts";

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
  /** Set where the inverse writes a whole text back: its state is that very text, even if it could be read as JSON. */
  readonly asText?: true;
}

/** What a read of the state is judged by. */
export type ReadWords = Pick<RuleRecord, "absentWhen" | "failedWhen" | "asText">;

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
    ...(writesWholeBack(governing) ? { asText: true } : {}),
  };
}

/** Tells whether a rule needs its state only as a whole: no path reads from it, and none in it is ignored. */
function writesWholeBack({ inverse, observe, resource, ignore }: Rule): boolean {
  const templates = [inverse?.args, observe?.args, ...(resource ?? [])].filter((template) => template !== undefined);
  const read = templates.flatMap(referencesIn).filter(({ namespace }) => namespace === "snapshot");
  return read.length > 0 && ignore.length === 0 && read.every(({ steps }) => steps.length === 0);
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

// What does the journal keep of the rule that governed a call? Enough to undo the call without the manifest of that day.
import { compileTemplate } from "./compile-template.ts";
import type { ToolHints } from "./hints.ts";
import type { Json, JsonObject } from "./json.ts";
import { isJsonObject } from "./json.ts";
import { type CallTemplate, type GoverningRule, type Rule, readsIn, type StateRead, templateOf } from "./policy.ts";
import { type ReadWords, termsOf } from "./read-terms.ts";
import { readIgnoredPath } from "./reference.ts";
import { pathsRead } from "./references-in.ts";
import type { ListTemplate, PathStep, Reference, Template } from "./template.ts";
import { writeTemplate } from "./write-template.ts";

/** The part of a rule that undo goes by. What the rule doesn't say is absent, and so is what older versions didn't record. */
export interface RuleRecord extends Pick<Rule, "case" | "when" | "sets" | "identity" | "commutes" | "undo" | "resultFields">, ReadWords {
  /** As written in the manifest; null where no rule matched. */
  readonly match: string | null;
  readonly line: number | null;
  readonly gate: string;
  readonly ignore: readonly Reference[];
  /** How the read of its `confirm` is taken. */
  readonly confirm?: ReadWords;
  /** For a call that is held: in which way it is more than the rule lets through. */
  readonly why?: string;
  /** What the server said of the tool when it was called, as far as it had listed it in that session. */
  readonly hints?: ToolHints;
  /** The calls that put it back, in order, unresolved. */
  readonly inverse?: readonly InverseTemplate[];
  /** Of a step of an undo that makes one of several calls: which one it makes, from 1, and of how many. */
  readonly part?: { readonly at: number; readonly of: number };
}

/** A call of an inverse as a policy has it, wherever that stands. */
export type InverseTemplate = Omit<CallTemplate, "position">;

/** Gives what is kept of a rule. */
export function recordRule(governing: GoverningRule): RuleRecord {
  if (governing === "unmentioned") return { match: null, line: null, gate: "always", ignore: [], absentWhen: [], failedWhen: [] };
  const { match, position, gate, ignore, failedWhen, inverse, sets, identity, commutes, undo, resultFields } = governing;
  const read = governing.snapshot ?? governing.observe;
  const confirm = confirmWords(governing);
  return {
    match,
    line: position.line,
    gate,
    ignore,
    ...wordsOf(governing, read),
    failedWhen,
    ...(inverse && { inverse: inverse.map(({ position: _, ...call }) => call) }),
    ...(governing.case === undefined ? {} : { case: governing.case }),
    ...(governing.when && { when: governing.when }),
    ...(governing.redact && { redact: governing.redact }),
    ...(resultFields && { resultFields }),
    ...(sets && { sets }),
    ...(identity && { identity }),
    ...(commutes && { commutes }),
    ...(undo && { undo }),
    ...(confirm && { confirm }),
  };
}

/** Gives how the read of a rule's `confirm` is taken; undefined where it has none. */
export function confirmWords({ confirm, failedWhen, redact }: Rule): ReadWords | undefined {
  if (confirm === undefined) return undefined;
  const terms =
    "reads" in confirm ? { absentWhen: [], reads: confirm.reads.map((each) => ({ name: each.name, ...termsOf(each) })) } : termsOf(confirm);
  return { ...terms, failedWhen, ...(redact && { redact }) };
}

function wordsOf(rule: Rule, read: StateRead | undefined): Omit<ReadWords, "failedWhen"> {
  if (read === undefined) return { absentWhen: [] };
  const asText = (name?: string) => (writesWholeBack(rule, name) ? { asText: true as const } : {});
  if (!("reads" in read)) return { ...termsOf(read), ...asText() };
  return { absentWhen: [], reads: read.reads.map((each) => ({ name: each.name, ...termsOf(each), ...asText(each.name) })) };
}

/** Tells whether a rule needs a state, or what the read of that name shows of it, only as a whole: no path reads from it, and no key names one in it. */
function writesWholeBack(rule: Rule, name: string | undefined): boolean {
  const { inverse = [], observe, confirm, resource, require = [], verify = [], ignore, sets = [], identity = [] } = rule;
  const within = (steps: readonly PathStep[]) => {
    if (name === undefined) return [steps];
    const [first, ...rest] = steps;
    return first?.kind === "member" && first.name === name ? [rest] : [];
  };
  const checks = [...require, ...verify].flatMap(({ read, expect }) => [read.args, ...(expect === undefined ? [] : [expect])]);
  const reads = [observe, confirm].flatMap((each) => (each === undefined ? [] : readsIn(each).map(({ args }) => args)));
  const templates = [...inverse.map(templateOf), ...reads, ...(resource ?? []), ...checks];
  const read = templates.flatMap((template) => [...pathsRead(template, "snapshot"), ...pathsRead(template, "current")]).flatMap(within);
  const named = [...ignore, ...sets, ...identity].flatMap(({ steps }) => within(steps));
  return read.length > 0 && [...read, ...named].every((steps) => steps.length === 0);
}

/** The members that name paths in the state. */
const PATHS = ["ignore", "sets", "identity"] as const;

/** Gives the JSON that is stored with an action: plain data, with the inverse and the paths as they are written, a fraction of their size. */
export function storedRule(record: RuleRecord): JsonObject {
  const { inverse } = record;
  const paths = PATHS.flatMap((name) => (record[name] ? [[name, record[name].map(({ text }) => text)] as const] : []));
  // A single call is stored as older builds did.
  const calls = inverse?.map(writtenCall);
  const written = calls && { inverse: calls.length === 1 ? calls[0] : calls };
  return { ...record, ...Object.fromEntries(paths), ...written } as unknown as JsonObject;
}

/** Reads it back. The journal verifies what it hands out, so a shape other than storedRule's is a bug of ours. */
export function ruleRecordFrom(stored: Json): RuleRecord {
  if (!isJsonObject(stored)) throw new TypeError("a rule in the journal isn't an object");
  const paths = PATHS.flatMap((name) => (Array.isArray(stored[name]) ? [[name, stored[name].map(pathFrom)] as const] : []));
  const inverse = stored["inverse"];
  const calls = Array.isArray(inverse) ? inverse : inverse === undefined ? [] : [inverse];
  const read = { ...Object.fromEntries(paths), ...(calls.length === 0 ? {} : { inverse: calls.filter(isJsonObject).map(inverseFrom) }) };
  return { ...stored, ...read } as unknown as RuleRecord;
}

/** Reads of a stored rule which one of several calls a step makes; undefined where it is the only one. */
export function partFrom(stored: Json): RuleRecord["part"] {
  return isJsonObject(stored) ? (stored["part"] as RuleRecord["part"]) : undefined; // storedRule wrote it
}

/** Reads of a stored rule in which way a held call is more than it lets through; undefined where that needs no words. */
export function whyIn(stored: Json): string | undefined {
  return isJsonObject(stored) && typeof stored["why"] === "string" ? stored["why"] : undefined;
}

/** Tells whether a step of an undo is one of several calls, and not the last. */
export function isEarlierPart({ rule }: { readonly rule: Json }): boolean {
  const part = partFrom(rule);
  return part !== undefined && part.at < part.of;
}

/** Older journals hold whole references. */
function pathFrom(stored: Json): Reference {
  if (typeof stored !== "string") return stored as unknown as Reference;
  const read = readIgnoredPath(stored);
  if (read.kind === "invalid") throw new TypeError(`a path in the journal can't be read: ${read.reason}`);
  return read.reference;
}

function writtenCall({ forEach, args, ...call }: InverseTemplate) {
  return { ...call, args: writeTemplate(args), ...(forEach && { forEach: writeTemplate(forEach) }) };
}

function inverseFrom({ forEach, args, ...call }: JsonObject): InverseTemplate {
  const list = forEach === undefined ? undefined : (compiled(forEach) as ListTemplate); // writtenCall wrote one
  return { ...call, args: compiled(args as Json, list), ...(list && { forEach: list }) } as unknown as InverseTemplate;
}

function compiled(stored: Json, list?: ListTemplate): Template {
  const read = compileTemplate(stored, list);
  if (read.kind === "invalid") throw new TypeError("an inverse in the journal can't be read");
  return read.template;
}

// How is a proposal put together, and how sure is it? From the calls that were found; says in its reason what is uncertain.
import type { JsonObject } from "../core/json.ts";
import type { ActionClass } from "../core/vocabulary.ts";
import type { Arguments } from "./arguments.ts";
import { restoringArguments } from "./arguments.ts";
import type { FoundRead, FoundTool } from "./pair.ts";
import type { ToolFacts } from "./tool-facts.ts";
import { quoted } from "./words.ts";

/**
 * A call that a rule would make: a tool of the same server, and arguments as the manifest has them, with references. `absentWhen`: guessed words by
 * which a read says that the thing isn't there.
 */
export interface DraftCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly absentWhen?: readonly string[];
}

/** Words by which most servers say that a thing isn't there: no schema has them, so they are a guess. */
const ABSENCE_GUESS = ["not found", "no such", "does not exist", "doesn't exist"] as const;

/** How sure it is: `high` needs no person, `medium` speaks for itself but isn't proven, `low` is a guess or knows nothing. */
export type Confidence = "high" | "medium" | "low";

/** What is proposed for a tool, or for one mode of it. */
export interface Proposal {
  readonly class: ActionClass;
  readonly snapshot: DraftCall | null;
  /** What shows after the call what it made, where nothing is read before. */
  readonly observe: DraftCall | null;
  readonly inverse: DraftCall | null;
  readonly confidence: Confidence;
  /** Why, as a sentence without its full stop; says what is uncertain. */
  readonly reason: string;
  /** Inputs that the call changes and the inverse doesn't put back. */
  readonly notRestored: readonly string[];
  /** Required inputs of the calls for which nothing was found: a person has to write them, so it can't be accepted as it is. */
  readonly unresolved: readonly string[];
}

/** A proposal that leaves the tool to a person. */
export function held(confidence: Confidence, reason: string): Proposal {
  return { class: "irreversible", snapshot: null, observe: null, inverse: null, confidence, reason, notRestored: [], unresolved: [] };
}

/** A proposal to write back what was read before the call. */
export function reversible(call: ToolFacts, read: FoundRead, writer: FoundTool): Proposal {
  const found = restoringArguments(writer.facts, call, read);
  const sure = read.certain && writer.certain;
  return {
    class: "reversible",
    // A thing that is put wherever it isn't would be refused in place of being held, if the words were others.
    snapshot: call.deed === "put" || call.verb === "set" ? { tool: read.reader.name, args: read.args } : readCall(read),
    observe: null,
    inverse: { tool: writer.facts.name, args: found.args },
    confidence: confidence(found, sure),
    reason: `${name(read.reader)} shows the state before, and ${writer.facts === call ? "the same tool" : name(writer.facts)} writes it back${doubts(found, sure)}`,
    notRestored: found.notRestored,
    unresolved: found.unresolved,
  };
}

/** A proposal to offset the call by another; `why` says what that one does, `read` what it needs to know from before. */
export function compensable(call: ToolFacts, target: FoundTool, found: Arguments, why: string, read?: FoundRead): Proposal {
  return {
    class: "compensable",
    snapshot: read === undefined ? null : readCall(read),
    observe: null,
    inverse: { tool: target.facts.name, args: found.args },
    confidence: confidence(found, target.certain),
    reason: `${why}${target.facts === call ? "" : doubts(found, target.certain)}`,
    notRestored: found.notRestored,
    unresolved: found.unresolved,
  };
}

/** Gives a read as a rule has it; one of a single thing fails once that is gone, and its words for that are guessed. */
export function readCall({ reader, args, single }: FoundRead): DraftCall {
  return { tool: reader.name, args, ...(single && { absentWhen: ABSENCE_GUESS }) };
}

function confidence(found: Arguments, certain: boolean): Confidence {
  if (found.unresolved.length > 0) return "low";
  return found.grounded && certain && found.notRestored.length === 0 ? "high" : "medium";
}

function doubts(found: Arguments, certain: boolean): string {
  const doubt = [
    ...(certain ? [] : ["whether it is quite that"]),
    ...(found.unresolved.length > 0
      ? [`nothing says what to send as ${found.unresolved.map((each) => quoted(each.slice(0, 60))).join(", ")}`]
      : []),
    ...(found.unresolved.length === 0 && !found.grounded ? ["the server doesn't say what its reads show"] : []),
    ...(found.notRestored.length > 0 ? [`not put back: ${found.notRestored.map((each) => quoted(each.slice(0, 60))).join(", ")}`] : []),
  ];
  return doubt.length === 0 ? "" : ` (not sure: ${doubt.join("; ")})`;
}

/** Quotes the verb that decides, as the beginning of a reason. */
export function said({ verb }: ToolFacts): string {
  return `its name says "${verb ?? ""}"`;
}

/** Quotes the name of a tool for a reason. */
export function name(facts: ToolFacts): string {
  return quoted(facts.name.slice(0, 90));
}

/** Says what is guessed of how the server says that a thing isn't there, and what to do about it; undefined where nothing is. A sentence without its full stop. */
export function absenceGuess({ snapshot, observe, by }: Reads): string | undefined {
  const all = [snapshot, observe, ...(by?.cases ?? []).flatMap((each) => [each.snapshot, each.observe])];
  const read = all.find((each) => each?.absentWhen !== undefined);
  if (!read?.absentWhen) return undefined;
  const words = read.absentWhen.map(quoted).join(", ");
  return `${quoted(read.tool.slice(0, 90))} says one of ${words} when a thing isn't there; if the server's words are others, put those into absent_when, or undo halts where it has to know`;
}
type Reads = Pick<Proposal, "snapshot" | "observe"> & {
  readonly by?: { readonly cases: readonly Pick<Proposal, "snapshot" | "observe">[] };
};

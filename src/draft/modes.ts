// Which things does a tool do whose argument chooses (`method: create | delete`)? Each mode is looked at as if it were a tool of its own; the
// tool as a whole is as hard to undo as its least undoable mode. A mode that nothing is known of counts as irreversible.

import { isJsonObject } from "../core/json.ts";
import type { ActionClass } from "../core/vocabulary.ts";
import { type Catalog, catalogOf } from "./pair.ts";
import type { Proposal } from "./proposal.ts";
import { propose } from "./propose.ts";
import { isIdentity } from "./same-input.ts";
import { type Input, readWords, type ToolFacts } from "./tool-facts.ts";
import { deedOf, oppositesOf } from "./verbs.ts";
import { wordsOf } from "./words.ts";

/** What is proposed for one value of the argument that chooses. */
export interface ModeDraft extends Proposal {
  readonly mode: string;
}
/** A tool taken apart by its modes; `argument` is the input that chooses. */
export interface Modes {
  readonly argument: string;
  readonly modes: readonly { readonly mode: string; readonly facts: ToolFacts }[];
}

const CHOOSERS = new Set(["method", "action", "operation", "mode", "op"]);
/** Verbs that say only that something is done, so that an argument has to say what. */
export const VAGUE: ReadonlySet<string> = new Set(["write", "manage", "put", "execute", "perform", "modify", "update"]);

/** Takes a tool apart by its modes; undefined where it has none, or its name says already what it does. */
export function modesOf(call: ToolFacts): Modes | undefined {
  // A `merge_method` that may be left out is one of the things that are set.
  const chooser = call.inputs.find(({ key, required }) => CHOOSERS.has(key) || (required && CHOOSERS.has(key.split(" ").at(-1) ?? "")));
  if (chooser === undefined) return undefined;
  const both = oppositesOf(call.verb ?? "").some((word) => call.words.includes(word)); // `pause_resume_engine`
  const vague = call.deed === undefined || call.thing.length === 0 || VAGUE.has(call.verb ?? "") || both;
  const values = valuesOf(chooser);
  const known = values.filter((value) => readWords(wordsOf(value)).deed !== undefined);
  if (!vague || values.length < 2 || known.length < 2 || known.length < values.length / 2) return undefined;
  return { argument: chooser.name, modes: values.map((mode) => ({ mode, facts: asTool(call, chooser, mode, values) })) };
}

/** The values that its schema lists, or that its description puts between quotes. */
function valuesOf({ choices, type, schema }: Input): readonly string[] {
  if (choices.length > 0 || type !== "string" || !isJsonObject(schema)) return choices;
  const { description } = schema;
  if (typeof description !== "string") return [];
  const said = description.slice(0, 4000);
  const listed = [...said.matchAll(/^\s*[-*]\s*['"`]?([a-z][a-z_-]{1,40})['"`]?\s*[-:]/gm)];
  const found = listed.length > 0 ? listed : [...said.matchAll(/['"`]([a-z][a-z_-]{1,40})['"`]/g)];
  return [...new Set(found.map(([, value = ""]) => value))];
}

function asTool(call: ToolFacts, chooser: Input, mode: string, all: readonly string[]): ToolFacts {
  const words = readWords(wordsOf(mode));
  // What is marked as read can be marked as unread.
  const read = words.deed === "read" && all.includes(`un${mode}`) ? { ...words, deed: "switch" as const } : words;
  const own = call.verb !== undefined && VAGUE.has(call.verb) ? call.thing : call.words.filter((word) => word !== "manage");
  const { outputSchema: _, ...tool } = call.tool; // of which mode it is the result, nothing says
  const inputs = call.inputs.map((input) => {
    if (input === chooser) return { ...input, choices: [mode], required: true };
    return isIdentity(input) && !input.key.startsWith("new ") ? { ...input, required: true } : input;
  });
  return { ...read, tool, name: call.name, thing: read.thing.length === 0 ? readWords(own).thing : read.thing, inputs };
}

/** Proposes for each mode. */
export function proposeModes(catalog: Catalog, { modes }: Modes): readonly ModeDraft[] {
  const own = modes.map(({ facts }) => facts);
  const reads = own.filter(({ deed }) => deed === "read");
  const whole = catalogOf([...own, ...catalog.all.filter(({ name }) => name !== own[0]?.name)], [...catalog.reads, ...reads]);
  return modes.map(({ mode, facts }) => {
    if (facts.deed === "read") return { mode, ...READ };
    const proposal = propose(whole, facts);
    return {
      mode,
      ...proposal,
      confidence: proposal.confidence === "high" && proposal.class !== "irreversible" ? "medium" : proposal.confidence,
    };
  });
}

const READ: Proposal = {
  class: "readonly",
  snapshot: null,
  observe: null,
  inverse: null,
  confidence: "medium",
  reason: "a read by its name",
  notRestored: [],
  unresolved: [],
};

const HARDEST = ["irreversible", "compensable", "reversible", "readonly"] as const satisfies readonly ActionClass[];

/** What the modes say of the tool as a whole. */
export function wholeOf(argument: string, cases: readonly ModeDraft[]): Proposal {
  const worst = HARDEST.find((each) => cases.some((one) => one.class === each)) ?? "irreversible";
  const undoable = worst === "irreversible" ? [] : cases;
  const list = cases.map((one) => `${one.mode}: ${one.class}`).join(", ");
  return {
    class: worst,
    snapshot: undoable.find(({ snapshot }) => snapshot !== null)?.snapshot ?? null,
    observe: undoable.find(({ observe }) => observe !== null)?.observe ?? null,
    inverse: undoable.find(({ inverse }) => inverse !== null)?.inverse ?? null,
    confidence: cases.some(({ confidence }) => confidence === "low") ? "low" : "medium",
    reason: `what it does depends on ${argument} (${list})`,
    notRestored: [...new Set(cases.flatMap(({ notRestored }) => notRestored))],
    unresolved: [...new Set(undoable.flatMap(({ unresolved }) => unresolved))],
  };
}

/** Tells whether a value of an argument that chooses says that something is changed. */
export function choosesChange({ inputs }: ToolFacts): string | undefined {
  const choosers = inputs.filter(({ key }) => CHOOSERS.has(key));
  return choosers.flatMap(valuesOf).find((value) => ["add", "change", "put", "remove"].includes(deedOf(wordsOf(value)[0] ?? "") ?? ""));
}

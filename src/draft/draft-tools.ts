// What would a careful person propose for each tool of a server? Class, snapshot, inverse with arguments, how sure, and why. Pure; a changing
// tool is called a read only where its hints or an unmistakable name say so and nothing contradicts.
import type { ListedTool } from "../upstream/upstream.ts";
import { type ModeDraft, modesOf, proposeModes, wholeOf } from "./modes.ts";
import { type Catalog, catalogOf } from "./pair.ts";
import { held, type Proposal } from "./proposal.ts";
import { propose } from "./propose.ts";
import { readSign } from "./read-sign.ts";
import { factsOf, type ToolFacts } from "./tool-facts.ts";
import { clipped, isMatchable } from "./words.ts";

/** What is proposed for one tool. `said` is the server's description, on one line and short; empty where there is none. */
export interface ToolDraft extends Proposal {
  readonly name: string;
  readonly said: string;
  /** The argument that chooses what the tool does, and what is proposed for each of its values. */
  readonly by?: { readonly argument: string; readonly cases: readonly ModeDraft[] };
  /** False for certain reads, which need nobody. */
  readonly todo: boolean;
}

/** How much of a server's description is looked at, in characters: what a comment shows of it is far shorter. */
const MOST_READ = 800;

/** Drafts for each tool, in their order. */
export function draftTools(tools: readonly ListedTool[]): readonly ToolDraft[] {
  const all = factsOf(tools);
  const signs = all.map(readSign);
  // A rule can't name a tool that no pattern matches.
  const nameable = all.filter(({ name }) => isMatchable(name));
  const reads = new Set(all.filter((_facts, index) => signs[index]?.kind === "read"));
  const catalog = catalogOf(
    nameable,
    nameable.filter((facts) => reads.has(facts)),
  );
  return all.map((facts, index) => {
    const sign = signs[index];
    const base = { name: facts.name, said: clipped(onOneLine(facts.tool.description ?? "")) };
    if (sign?.kind !== "read") return { ...base, ...proposalFor(catalog, facts, sign?.why ?? ""), todo: true };
    const reason = READ_REASONS[sign.by];
    const certain = sign.by !== "likely";
    const read = { class: "readonly", snapshot: null, observe: null, inverse: null, notRestored: [], unresolved: [] } as const;
    return { ...base, ...read, confidence: certain ? "high" : "medium", reason, todo: !certain };
  });
}

function proposalFor(catalog: Catalog, facts: ToolFacts, why: string): Proposal & Pick<ToolDraft, "by"> {
  const modes = modesOf(facts);
  if (modes !== undefined) {
    const cases = proposeModes(catalog, modes);
    return { ...wholeOf(modes.argument, cases), by: { argument: modes.argument, cases } };
  }
  if (facts.deed === "read") return held("low", why);
  return propose(catalog, facts);
}

const READ_REASONS = {
  hint: "the server says that it only reads",
  name: "a read by its name",
  likely: "it is named like a read, and nothing else says that it is one",
} as const;

function onOneLine(text: string): string {
  return text
    .slice(0, MOST_READ)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
}

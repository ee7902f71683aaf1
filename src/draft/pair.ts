// Which other tool of the server shows what a tool changes, and which takes it back? By verbs and things; of several the likeliest. Never pairs
// tools that are about different things.

import type { JsonObject } from "../core/json.ts";
import { readArguments, type StateSource } from "./arguments.ts";
import { isIdentity, namesThing } from "./same-input.ts";
import { bareThing, showsMany, type ToolFacts } from "./tool-facts.ts";
import { type Deed, MAKEUP_WORDS, oppositesOf } from "./verbs.ts";
import { singular, wordsOf } from "./words.ts";

/** A read before the call, with its arguments; `single`: it shows one thing, that it is told; `certain`: that is the same by its name, too. */
export interface FoundRead extends StateSource {
  readonly args: JsonObject;
  readonly single: boolean;
  readonly certain: boolean;
}
/** A tool that takes back; `certain`: it is about the same thing by its name. */
export interface FoundTool {
  readonly facts: ToolFacts;
  readonly certain: boolean;
}

/** The tools of a server, by what they do. */
export interface Catalog {
  readonly all: readonly ToolFacts[];
  readonly reads: readonly ToolFacts[];
  readonly byDeed: ReadonlyMap<Deed, readonly ToolFacts[]>;
}

/** Sorts tools; `reads` are those that only read, as far as can be told. */
export function catalogOf(all: readonly ToolFacts[], reads: readonly ToolFacts[]): Catalog {
  const byDeed = new Map<Deed, ToolFacts[]>();
  for (const facts of all) {
    if (facts.deed === undefined) continue;
    const list = byDeed.get(facts.deed);
    if (list === undefined) byDeed.set(facts.deed, [facts]);
    else list.push(facts);
  }
  return { all, reads, byDeed };
}

/** Finds the read that shows a thing before the call: it needs nothing that the call doesn't have, and shows one rather than many. */
export function findRead({ reads }: Catalog, call: ToolFacts): FoundRead | undefined {
  let best: (FoundRead & { readonly score: number }) | undefined;
  for (const reader of reads) {
    const closeness = readCloseness(reader, call);
    const reads = reader.deed === "read" || reader.deed === undefined || reader.verb === "open";
    if (closeness === 0 || !reads || isOfTheMoment(reader, call)) continue;
    const found = readArguments(reader, call);
    // Where neither says what it is about, only what they are told can be the same.
    if (found === undefined || (call.thing.length === 0 && found.identity.size === 0)) continue;
    const single = found.identity.size > 0 && showsOne(reader) && (showsMany(call) || !showsMany(reader));
    const score =
      closeness * 10 +
      readRank(reader) +
      20 * shareNamed(found.identity, call) +
      (found.identity.size > 0 ? 10 : 0) +
      (call.inputs.some((input) => found.identity.has(input.name) && namesThing(input, call)) ? 20 : 0) -
      (isNarrower(reader, call) ? 3 : 0) -
      (/\bdeprecated\b/i.test(reader.tool.description?.slice(0, 500) ?? "") ? 25 : 0);
    if (best === undefined || score > best.score)
      best = { reader, ...found, single, certain: single && closeness >= 3 && !(closeness === 3 && found.identity.has("id")), score };
  }
  return best;
}

/** How much of what says which thing the call is about the read is told. */
function shareNamed(identity: ReadonlySet<string>, call: ToolFacts): number {
  const names = call.inputs.filter((input) => input.required && isIdentity(input));
  return names.length === 0 ? 0 : names.filter(({ name }) => identity.has(name)).length / names.length;
}

const RANKS: Readonly<Record<string, number>> = {
  get: 16,
  retrieve: 16,
  read: 16,
  describe: 14,
  fetch: 14,
  show: 14,
  view: 12,
  open: 10,
  find: 8,
  list: 2,
  query: 1,
  search: 0,
};

function showsOne({ verb }: ToolFacts): boolean {
  return verb !== "list" && verb !== "search" && verb !== "query";
}

function readRank({ verb = "" }: ToolFacts): number {
  return Object.hasOwn(RANKS, verb) ? (RANKS[verb] ?? 0) : 6;
}

const MOMENTS = ["current", "active", "next", "latest", "last", "first", "random", "my"];

/** `get_current_page` shows one, but not the one that the call names. */
function isOfTheMoment(reader: ToolFacts, call: ToolFacts): boolean {
  return MOMENTS.some((word) => reader.words.includes(word) && !call.words.includes(word));
}

/** A read of a part of the thing that the call doesn't name, as its comments. */
function isNarrower(reader: ToolFacts, call: ToolFacts): boolean {
  return bareThing(reader.thing).length > bareThing(call.thing).length;
}

/** 4 for the same thing, 3 for the thing of which the call changes an input, 2 for one that is called shorter, 0 for another one. */
function readCloseness(reader: ToolFacts, call: ToolFacts): number {
  // The rows of a table's file aren't shown by what shows the table.
  if (call.thing.some((word) => FILES.has(word) && !reader.words.includes(word))) return 0;
  if (sameWords(reader.thing, call.thing)) return 5;
  const shown = bareThing(reader.thing);
  const changed = bareThing(call.thing);
  if (sameWords(shown, changed)) return 4;
  if (shown.length === 0 || changed.length === 0) return 0;
  if (MAKEUP_WORDS.has(shown.at(-1) ?? "") && sameWords(shown.slice(0, -1), changed)) return 4;
  // `update_issue_title` is about an issue whose title is an input.
  if (startsWith(changed, shown)) {
    const rest = changed.slice(shown.length);
    return rest.every((word) => call.inputs.some((input) => !isIdentity(input) && input.key.split(" ").includes(word))) ? 3 : 0;
  }
  if (call.where.length > 0 && sameWords(shown, bareThing(call.where)))
    return (call.deed === "change" || call.deed === "move") && !showsMany(call) ? 1 : 0;
  return showsOne(reader) && (endsWith(shown, changed) || endsWith(changed, shown)) ? 2 : 0;
}

const FILES: ReadonlySet<string> = new Set("csv tsv xls xlsx pdf docx zip".split(" "));

/** Of two tools that remove, `delete` goes with `create`, and `remove` with `add`. */
const PARTNERS: ReadonlySet<string> = new Set(
  ["create delete", "create destroy", "create drop", "insert delete", "add remove"].flatMap((pair) => [
    pair,
    pair.split(" ").reverse().join(" "),
  ]),
);

/** Finds among the tools of some deeds the one about the same thing. */
export function findCounterpart(
  { byDeed }: Catalog,
  call: ToolFacts,
  deeds: readonly Deed[],
  suits: (facts: ToolFacts) => boolean = () => true,
): FoundTool | undefined {
  let best: (FoundTool & { readonly score: number }) | undefined;
  for (const [place, deed] of deeds.entries()) {
    for (const facts of byDeed.get(deed) ?? []) {
      const closeness = facts === call ? 0 : toolCloseness(facts, call);
      const score = closeness === 0 || !suits(facts) ? 0 : closeness * 10 - place + (PARTNERS.has(`${facts.verb} ${call.verb}`) ? 0.5 : 0);
      if (score > (best?.score ?? 0)) best = { facts, certain: closeness >= 3, score };
    }
  }
  return best;
}

/**
 * Finds the only tool that removes anything, where the description of the call speaks of what that one removes; or the one that removes
 * whatever there is (`delete_item`), where its description speaks of what the call adds.
 */
export function findOnlyRemover({ byDeed }: Catalog, call: ToolFacts): FoundTool | undefined {
  const removers = byDeed.get("remove") ?? [];
  const [only] = removers;
  const thing = only === undefined ? "" : bareThing(only.thing).join(" ");
  if (only !== undefined && removers.length === 1 && thing !== "" && !addsTo(call, only) && speaksOf(call, thing))
    return { facts: only, certain: false };
  const added = call.thing.at(-1);
  const any = removers.filter((facts) => facts.thing.length === 1 && ANYTHING.has(facts.thing[0] ?? "") && !addsTo(call, facts));
  const [remover] = any;
  return remover !== undefined && any.length === 1 && added !== undefined && speaksOf(remover, added)
    ? { facts: remover, certain: false }
    : undefined;
}
/** What is added to a thing that the call names isn't that thing. */
export function addsTo(call: ToolFacts, { thing }: ToolFacts): boolean {
  const key = `${bareThing(thing).join(" ")} id`;
  return call.inputs.some((input) => input.required && input.key === key);
}

const ANYTHING: ReadonlySet<string> = new Set(["item", "object", "resource", "entity", "element"]);

function speaksOf({ tool }: ToolFacts, thing: string): boolean {
  return wordsOf(tool.description?.slice(0, 2000) ?? "").some((word) => singular(word) === thing);
}

/** Finds the tool whose verb says the opposite, about the same thing. */
export function findOpposite({ all }: Catalog, call: ToolFacts): FoundTool | undefined {
  const opposites = oppositesOf(call.verb ?? "");
  let best: (FoundTool & { readonly score: number }) | undefined;
  for (const facts of opposites.length === 0 ? [] : all) {
    const place = opposites.indexOf(facts.verb ?? "");
    const closeness = facts !== call && place >= 0 ? toolCloseness(facts, call) : 0;
    const score = closeness === 0 ? 0 : closeness * 10 - place;
    if (score > (best?.score ?? 0)) best = { facts, certain: closeness >= 3, score };
  }
  return best;
}

/** 4 for the same thing at the same place, 3 where one of them doesn't say the place, 2 where one is called shorter. */
function toolCloseness(one: ToolFacts, other: ToolFacts): number {
  const alike = one.where.length > 0 === other.where.length > 0; // a contact in a folder is no contact folder
  if (alike && sameWords([...one.thing, ...one.where], [...other.thing, ...other.where])) return 4;
  // What takes a thing out of one place doesn't undo its coming to be, or to another place.
  const places = one.where.length === 0 || sameWords(one.where, other.where) || (other.deed === "remove" && other.where.length === 0);
  if (!places) return 0;
  if (one.thing.length === 0 || other.thing.length === 0) return 0;
  if (sameWords(one.thing, other.thing)) return 3;
  const [a, b] = [bareThing(one.thing), bareThing(other.thing)];
  if (sameWords(a, b) || endsWith(a, b) || endsWith(b, a)) return 2;
  // A subtask is a task, and a task is no subtask.
  return other.deed === "add" && a.length === b.length && isPartOf(b, a) ? 1 : 0;
}

function isPartOf(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((word, index) => word === whole[index] || (index === part.length - 1 && word === `sub${whole[index]}`));
}

function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}

function startsWith(words: readonly string[], start: readonly string[]): boolean {
  return start.length < words.length && sameWords(words.slice(0, start.length), start);
}

function endsWith(words: readonly string[], end: readonly string[]): boolean {
  return end.length > 0 && end.length < words.length && sameWords(words.slice(-end.length), end);
}

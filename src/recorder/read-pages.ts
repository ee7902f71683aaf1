// What do all the pages of a read show together? The first page, with the lists of all of them in it. A page that can't be read makes all of it
// unreadable. Never goes on for ever.
import { canonicalJson, isJsonObject, type Json, objectFrom } from "../core/json.ts";
import type { Pages } from "../core/read-terms.ts";
import { readIgnoredPath, readPath, readReference } from "../core/reference.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import type { State } from "../core/state.ts";
import type { PathStep } from "../core/template.ts";
import { unreadable } from "./judge-answer.ts";

/** More pages than these are a server that never comes to an end. */
const MOST_PAGES = 1000;

/** Reads page after page with `ask`, as long as one names the next. */
export async function readPages(call: ResolvedCall, pages: Pages, ask: (page: ResolvedCall) => Promise<State>): Promise<State> {
  const { next, items } = { next: stepsOf(pages.next), items: pathOf(pages.items) };
  const name = `${call.server}.${call.tool}`;
  const first = await ask(call);
  const all: Json[] = [];
  const seen = new Set<string>();
  let page = first;
  for (let count = 1; count <= MOST_PAGES; count++) {
    // What was there a moment ago is gone: it was not seen whole.
    if (page.kind === "absent" && count > 1) return unreadable("incomplete", `${name} shows nothing on page ${count}`);
    if (page.kind !== "present") return page;
    const listed = readPath(page.value, items);
    if (listed.kind === "absent" || !Array.isArray(listed.value))
      return unreadable("incomplete", `${name} has no list \`${pages.items}\` on page ${count}`);
    for (const item of listed.value as readonly Json[]) all.push(item);
    const following = nextPage(call, pages, page.value);
    if (following === undefined) return first.kind === "present" ? whole(first.value, items, all, next) : first;
    const mark = canonicalJson(following.args);
    if (seen.has(mark)) return unreadable("incomplete", `${name} names the same next page twice`);
    seen.add(mark);
    page = await ask(following);
  }
  return unreadable("incomplete", `${name} has more than ${MOST_PAGES} pages`);
}

/** Gives the call for the page after one, by what that shows; undefined where it is the last one. */
export function nextPage(call: ResolvedCall, pages: Pages, shown: Json): ResolvedCall | undefined {
  const after = readPath(shown, stepsOf(pages.next));
  if (after.kind === "absent" || isEnd(after.value)) return undefined;
  return { ...call, args: withValue(call.args, stepsOf(pages.cursor), after.value) };
}

function isEnd(value: Json): boolean {
  return value === null || value === "" || value === false;
}

/** The cursor says something of how it was read, nothing of the state. */
function whole(first: Json, items: readonly PathStep[], all: readonly Json[], next: readonly PathStep[]): State {
  return { kind: "present", value: withValue(withValue(first, next, undefined), items, all) };
}

/** Gives a value with another one at a path of members; undefined: with none there. */
function withValue(value: Json | undefined, steps: readonly PathStep[], put: Json | undefined): Json {
  const [step, ...rest] = steps;
  if (step?.kind !== "member") return put ?? null;
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const own = members.find(([name]) => name === step.name)?.[1];
  if (put === undefined && own === undefined) return value ?? {};
  const replaced = rest.length === 0 && put === undefined ? [] : [[step.name, withValue(own, rest, put)] as const];
  const at = members.findIndex(([name]) => name === step.name);
  return objectFrom(at < 0 ? [...members, ...replaced] : [...members.slice(0, at), ...replaced, ...members.slice(at + 1)]);
}

function stepsOf(text: string): readonly PathStep[] {
  const read = readReference(text, 0);
  return read.kind === "reference" ? read.reference.steps : []; // the manifest was refused otherwise
}

function pathOf(text: string): readonly PathStep[] {
  const read = readIgnoredPath(text);
  return read.kind === "reference" ? read.reference.steps : [];
}

// What do several pages show together, and when do they show nothing that could be relied on?
import { expect, test } from "bun:test";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { incompleteness, inRecordedForm, knowsAbsence } from "../../src/core/read-terms.ts";
import type { ResolvedCall } from "../../src/core/resolved-call.ts";
import type { RuleRecord } from "../../src/core/rule-record.ts";
import type { State } from "../../src/core/state.ts";
import { readPages } from "../../src/recorder/read-pages.ts";

const PAGES = { cursor: "$.page.at", next: "$snapshot.meta.next", items: "data.rows" };
const CALL: ResolvedCall = { server: "kv", tool: "list", args: { kind: "x", page: { size: 2 } } };

/** Reads pages that are given by their cursor, "" for the first; `asked` is what was sent. */
async function read(pages: Readonly<Record<string, State>>): Promise<{ state: State; asked: Json[] }> {
  const asked: Json[] = [];
  const ask = async ({ args }: ResolvedCall): Promise<State> => {
    asked.push(args);
    const { at } = (args as { page: JsonObject }).page;
    return pages[at === undefined ? "" : String(at)] ?? { kind: "absent" };
  };
  return { state: await readPages(CALL, PAGES, ask), asked };
}

const page = (rows: Json, next?: Json): State => ({
  kind: "present",
  value: { meta: { total: 3, ...(next === undefined ? {} : { next }) }, data: { rows } },
});

test("all pages are one list in the first page, without its cursor, and the other arguments stay", async () => {
  const { state, asked } = await read({ "": page([1, 2], 7), "7": page([3], "") });
  expect(state).toEqual({ kind: "present", value: { meta: { total: 3 }, data: { rows: [1, 2, 3] } } });
  expect(asked).toEqual([CALL.args, { kind: "x", page: { size: 2, at: 7 } }]);
});

test("nothing, null, an empty text and false are no next page", async () => {
  for (const end of [undefined, null, "", false])
    expect((await read({ "": page([1], end) })).state).toEqual({ kind: "present", value: { meta: { total: 3 }, data: { rows: [1] } } });
});

test("P3: a page that is gone, unreadable, without its list, or named twice makes all of it unreadable", async () => {
  const failed: State = { kind: "unreadable", cause: "failed", why: "no answer" };
  expect((await read({ "": page([1], "a") })).state).toMatchObject({ kind: "unreadable", cause: "incomplete" });
  expect((await read({ "": page([1], "a"), a: failed })).state).toEqual(failed);
  expect((await read({ "": page([1], "a"), a: page({}) })).state).toMatchObject({ why: "kv.list has no list `data.rows` on page 2" });
  expect((await read({ "": page([1], "a"), a: page([2], "a") })).state).toMatchObject({ why: "kv.list names the same next page twice" });
  expect((await read({})).state).toMatchObject({ kind: "absent" });
});

test("P3: an answer is whole only where each part is as it has to be; null is also what isn't there", () => {
  const terms = { absentWhen: [], complete: { whole: true, next: null } };
  expect(incompleteness(terms, { whole: true, more: 1 })).toBeUndefined();
  expect(incompleteness(terms, { whole: true, next: null })).toBeUndefined();
  expect(incompleteness(terms, { next: null })).toBe("whole is not there, where a whole answer has true");
  expect(incompleteness(terms, { whole: true, next: "a" })).toBe('next is "a", where a whole answer has null');
  expect(incompleteness(terms, "text")).toBeDefined();
});

test("P3: absence is known only where every read has words for it", () => {
  expect(knowsAbsence({ absentWhen: [] })).toBe(false);
  expect(knowsAbsence({ absentWhen: [], absentResults: ["No *"] })).toBe(true);
  expect(
    knowsAbsence({
      absentWhen: [],
      reads: [
        { name: "a", absentWhen: ["gone"] },
        { name: "b", absentWhen: [] },
      ],
    }),
  ).toBe(false);
});

test("P3: today's words are taken in the form in which a state was recorded", () => {
  const rule = { match: "kv.set", line: 1, gate: "never", ignore: [], failedWhen: [] };
  const today: RuleRecord = { ...rule, absentWhen: ["new"], extract: { a: "x" }, pages: PAGES, asText: true };
  expect(inRecordedForm(today, { ...rule, absentWhen: ["old"], complete: { b: 1 } })).toEqual({
    ...rule,
    absentWhen: ["new"],
    complete: { b: 1 },
  });
  const named: RuleRecord = { ...rule, absentWhen: [], reads: [{ name: "a", absentWhen: ["new"], extract: { x: "y" } }] };
  const recorded: RuleRecord = {
    ...rule,
    absentWhen: [],
    reads: [
      { name: "a", absentWhen: ["old"] },
      { name: "b", absentWhen: ["b"] },
    ],
  };
  expect(inRecordedForm(named, recorded).reads).toEqual([
    { name: "a", absentWhen: ["new"] },
    { name: "b", absentWhen: ["b"] },
  ]);
});

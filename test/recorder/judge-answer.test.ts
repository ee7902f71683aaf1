// What does an answer to a read say of the state? Words for absence are the server's own, never what it repeats of the names that the agent chose.
import { expect, test } from "bun:test";
import type { Json } from "../../src/core/json.ts";
import type { ReadWords } from "../../src/core/read-terms.ts";
import type { State } from "../../src/core/state.ts";
import { judgeAnswer } from "../../src/recorder/judge-answer.ts";
import type { Answer } from "../../src/upstream/upstream.ts";

/** Judges an answer with this text; `isError` false: a plain result. */
function judge(args: Json, text: string, words: Partial<ReadWords>, isError = true) {
  const result = { content: [{ type: "text", text }], isError };
  const answer = { kind: "result", result } as unknown as Answer; // the message that it came in is for others
  return judgeAnswer({ server: "s", tool: "read", args }, answer, { absentWhen: [], failedWhen: [], ...words });
}

const unreadable = (text: string): State => ({ kind: "unreadable", cause: "tool-error", why: `s.read answered: ${text}` });
const echoed = (text: string) => unreadable(`${text} (the words for absence stand only in what it was asked)`);

const WORDS = { absentWhen: ["enoent", "not found", "no such row"] };

test.each([
  ["the name as it was sent", { path: "enoent.txt" }, "Error: file too large to read: enoent.txt"],
  ["in another case", { path: "ENOENT.txt" }, "Error: file too large to read: enoent.txt"],
  ["in a word of the server's", { id: "enoent" }, "cannot parse item_enoent_1"],
  ["the last part of a path", { path: "a/b/enoent.txt" }, "enoent.txt is locked"],
  ["a path made whole", { path: "./enoent" }, "EACCES: permission denied, open '/data/enoent'"],
  ["as JSON", { id: 'not found "x"' }, 'bad request {"id":"not found \\"x\\""}'],
  ["escaped for a URL", { id: "enoent/é" }, "GET /items/enoent%2F%C3%A9 : 500"],
  ["unescaped", { id: "x%20not%20found" }, "access denied: x not found"],
  ["cut off", { path: "enoent.txt and more" }, "Error: too large: enoent.txt an..."],
  ["not as it was sent, for all that is known", { path: "enoent.txt" }, "Error: ENOENT"],
  ["deep inside", { where: [{ any: ["not found"] }] }, "permission denied for not found"],
  ["a name of a member", { where: { "not found": 1 } }, "column not found is ambiguous"],
  ["joined to the server's own words", { id: "not" }, "not found in cache; the database can't be reached"],
  ["what it was asked between words of its own", { table: "row" }, "no such row"],
])("P3: an error that only repeats the words is no absence: %s", (_how, args, text) => {
  expect(judge(args, text, WORDS)).toMatchObject({ kind: "unreadable", cause: "tool-error" });
});

test("P3: a number that was asked for is no word of the server's", () => {
  expect(judge({ id: 404 }, "item 404 is locked", { absentWhen: ["404"] })).toEqual(echoed("item 404 is locked"));
  expect(judge({ id: 14045 }, "Error 404: no item 14045", { absentWhen: ["404"] })).toMatchObject({ kind: "absent" });
});

test.each([
  ["a name with the words in it", { path: "enoent.txt" }, "ENOENT: no such file, open 'enoent.txt'"],
  ["such a path made whole", { path: "./enoent.txt" }, "ENOENT: no such file, open '/data/enoent.txt'"],
  ["a page of that name", { path: "app/not-found.tsx" }, "Not found: app/not-found.tsx"],
  ["a name inside of the words", { path: "e" }, "ENOENT: no such file, open 'e'"],
  ["a part of a path that is one of the words", { path: "no/such/found" }, "Not found: no/such/found"],
  ["an argument's name that is one of the words", { found: "x" }, "Not found: x"],
  ["nothing that could be repeated", {}, "not found"],
])("absence said by the server itself counts: %s", (_how, args, text) => {
  expect(judge(args, text, WORDS)).toMatchObject({ kind: "absent" });
});

test("P3: a plain result that fits only by what it repeats shows neither absence nor a value", () => {
  const words = { absentResults: ["*: no such note*"] };
  const note = "my: no such note list";
  expect(judge({ note }, `${note}: milk`, words, false)).toEqual(echoed(`${note}: milk`));
  expect(judge({ note }, `${note}: no such note`, words, false)).toMatchObject({ kind: "absent" });
  expect(judge({ id: "[]" }, "[]", { absentResults: ["[]"] }, false)).toEqual(echoed("[]"));
  expect(judge({ id: "7" }, "[]", { absentResults: ["[]"] }, false)).toMatchObject({ kind: "absent" });
});

test("an error without the words is told as it is", () => {
  expect(judge({ id: "not found" }, "access denied", WORDS)).toEqual(unreadable("access denied"));
});

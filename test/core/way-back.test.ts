// For which elements is a repeated call made, where others have changed the list since? For those that aren't there as they were, and where that
// can't be told, for none: what others have added is never made twice.
import { expect, test } from "bun:test";
import { compileTemplate } from "../../src/core/compile-template.ts";
import type { Json } from "../../src/core/json.ts";
import type { PlanAction } from "../../src/core/plan-step.ts";
import { readIgnoredPath } from "../../src/core/reference.ts";
import { readsOf } from "../../src/core/resolve-calls.ts";
import type { InverseTemplate } from "../../src/core/rule-record.ts";
import type { ListTemplate, Template } from "../../src/core/template.ts";
import { judgeStep, present, write } from "./plan-actions.ts";

function compiled(value: Json, list?: ListTemplate): Template {
  const read = compileTemplate(value, list);
  if (read.kind === "invalid") throw new Error(read.problems.map(({ reason }) => reason).join("; "));
  return read.template;
}
function ignoredPath(path: string) {
  const read = readIgnoredPath(path);
  if (read.kind === "invalid") throw new Error(read.reason);
  return read.reference;
}
function call(tool: string, args: Json, forEach?: string): InverseTemplate {
  const list = forEach === undefined ? undefined : (compiled(forEach) as ListTemplate); // a reference, as every test has it
  return { server: "notes", tool, args: compiled(args, list), ...(list && { forEach: list }) };
}

const CREATE = call("create", { id: "$item.id", title: "$item.title" }, "$snapshot.items[]");
const CLEAR = call("clear", { board: "$snapshot.board" });
const RETITLE = call("retitle", { board: "$snapshot.board", name: "$snapshot.name" });

const item = (id: string, title = id) => ({ id, title });
const board = (items: Json[], name = "n") => ({ board: 1, name, items });
const creates = (...items: Json[]) => items.map((args) => ({ server: "notes", tool: "create", args }));

/** A change of a board of items, and what is to put it back. */
function change(before: Json, left: Json, templates: readonly InverseTemplate[], args: Json = {}): PlanAction {
  return write({
    rules: { ignore: [], sets: [], identity: [], relevant: templates.flatMap((each) => readsOf([each], "snapshot")) },
    before: present(before),
    left: present(left),
    inverse: creates(null), // made anew wherever the tests merge
    wayBack: { templates, args, result: undefined },
  });
}

const [A, B, C] = [item("a"), item("b"), item("c")];
const DELETED_A = [board([A, B]), board([B])] as const;

test("P3: beside what others added, only what the agent took away is made again", () => {
  const step = judgeStep(change(...DELETED_A, [CREATE]), present(board([B, C])));
  expect(step).toMatchObject({ kind: "merge", inverse: creates(A), meant: { value: { items: [A, B, C] } } });
});

test("P3: what the agent altered is written back, and nothing else of the list", () => {
  const step = judgeStep(change(board([A, B]), board([item("a", "agent's"), B]), [CREATE]), present(board([item("a", "agent's"), B, C])));
  expect(step).toMatchObject({ kind: "merge", inverse: creates(A) });
});

test("P3: what others have put back themselves isn't made again", () => {
  const step = judgeStep(change(board([A, B, C]), board([C]), [CREATE]), present(board([B, C])));
  expect(step).toMatchObject({ kind: "merge", inverse: creates(A) });
});

test("P3: of equal elements as many are made as are missing", () => {
  const tags = (...list: Json[]) => ({ name: "n", tags: list });
  const each = call("tag", { tag: "$item" }, "$snapshot.tags[]");
  const step = judgeStep(
    change(tags("x", "x", "y"), tags("x", "y"), [each, call("retitle", { name: "$snapshot.name" })]),
    present({ ...tags("x", "y"), name: "new" }),
  );
  expect(step.inverse).toEqual([
    { server: "notes", tool: "tag", args: { tag: "x" } },
    { server: "notes", tool: "retitle", args: { name: "new" } },
  ]);
});

test("P3: a list that an earlier call may have cleared is a conflict where others have added to it, and is made whole where none is left", () => {
  expect(judgeStep(change(...DELETED_A, [CLEAR, CREATE]), present(board([B, C])))).toMatchObject({
    kind: "conflict",
    reason: "not-mergeable",
  });
  const renamed = judgeStep(change(board([A, B]), board([]), [RETITLE, CREATE]), present(board([], "new")));
  expect(renamed).toMatchObject({ kind: "merge", inverse: [{ tool: "retitle", args: { name: "new" } }, ...creates(A, B)] });
});

test("P3: a list of the arguments is gone through as long as nobody has put anything of it back, and is a conflict then", () => {
  const byName = [call("create", { id: "$item", title: "$snapshot.items[id=$item].title" }, "$.ids[]")];
  const deleted = change(board([A, B, C]), board([C]), byName, { ids: ["a", "b"] });
  const own = { ...deleted, rules: { ...deleted.rules, relevant: readsOf([CREATE], "snapshot") } };
  expect(judgeStep(own, present(board([item("c", "new")])))).toMatchObject({ kind: "merge", inverse: creates(A, B) });
  expect(judgeStep(own, present(board([B, item("c", "new")])))).toMatchObject({ kind: "conflict", reason: "not-mergeable" });
});

test("P3: what is gone through as it is now, beside others' changes, is a conflict", () => {
  const removing = call("remove", { id: "$item.id" }, "$current.items[]");
  expect(judgeStep(change(...DELETED_A, [removing, CREATE]), present(board([B, C])))).toMatchObject({ kind: "conflict" });
});

test("P3: a merge that no call is left for isn't taken for done: what the agent added can't be taken away by making things", () => {
  const step = judgeStep(change(board([A]), board([A, B]), [CREATE]), present(board([A, B, C])));
  expect(step).toMatchObject({ kind: "conflict", reason: "not-mergeable" });
});

test("P3: nobody changed it since: only what isn't there as it was is written back, however many there are", () => {
  const altered = change(board([A, B, C]), board([A, item("b", "agent's"), C]), [CREATE]);
  expect(judgeStep(altered, present(board([A, item("b", "agent's"), C])))).toMatchObject({ kind: "restore", inverse: creates(B), done: 0 });
  const deleted = change(board([A, B, C]), board([B]), [CREATE]);
  expect(judgeStep(deleted, present(board([B])))).toMatchObject({ kind: "restore", inverse: creates(A, C) });
});

test("P3: an element needs no call for what doesn't count of it, and one for what else goes into its call", () => {
  const seen = (time: number, ...items: Json[]) => board(items.map((each) => ({ ...(each as object), time }) as Json));
  const whole = [call("create", "$item", "$snapshot.items[]")];
  const altered = change(seen(1, A, B), seen(2, A, item("b", "agent's")), whole);
  const ignoring = { ...altered, rules: { ...altered.rules, ignore: [ignoredPath("items[].time")] } };
  expect(judgeStep(ignoring, present(seen(3, A, item("b", "agent's")))).inverse).toEqual(creates({ ...B, time: 1 }));
  const named = [call("create", { id: "$item.id", title: "$snapshot.name" }, "$snapshot.items[]")];
  const renamed = change(board([A, B]), board([A, B], "new"), named);
  expect(judgeStep(renamed, present(board([A, B], "new"))).inverse).toEqual(creates(item("a", "n"), item("b", "n")));
});

test("P3: where only the order is to change, every element is called for, without those that are done", () => {
  const moved = change(board([A, B, C]), board([C, A, B]), [CREATE]);
  const facts = { inverse: creates(A, B, C) };
  expect(judgeStep({ ...moved, ...facts }, present(board([C, A, B]))).inverse).toEqual(creates(A, B, C));
  const begun = { ...moved, ...facts, done: 1, left: present(board([C, B, A])) };
  expect(judgeStep(begun, present(board([C, B, A]))).inverse).toEqual(creates(B, C));
});

test("P3: several repeated calls are made for all elements: one may take away what the next one makes", () => {
  const remove = call("remove", { id: "$item.id" }, "$snapshot.items[]");
  const altered = change(board([A, B]), board([A, item("b", "agent's")]), [remove, CREATE]);
  expect(judgeStep({ ...altered, inverse: creates(A, B) }, present(board([A, item("b", "agent's")]))).inverse).toEqual(creates(A, B));
});

test("P3: of elements of which an undo that was cut off had put some back, only the others are left, and none where somebody was at it", () => {
  const cut = { status: "undoing", interrupted: true, done: 1 } as const;
  const deleted = { ...change(board([A, B, C]), board([]), [CREATE]), inverse: creates(A, B, C), ...cut, left: present(board([A])) };
  expect(judgeStep(deleted, present(board([A])))).toMatchObject({ kind: "restore", inverse: creates(B, C), done: 1 });
  expect(judgeStep(deleted, present(board([A, B])))).toMatchObject({ kind: "merge", inverse: creates(C), done: 2 });
  const other = judgeStep(deleted, present(board([A, B, item("x")])));
  expect(other).toMatchObject({ kind: "unknown", reason: "undo-not-known", inverse: undefined });
});

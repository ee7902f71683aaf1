// Can undo put back what a server only says in prose, in pages, in several answers, or in lists with other names? On a server of ours, through the executable.
import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Agent, runOf, textOf } from "../support/agent.ts";
import { connectRaw } from "../support/control.ts";
import { actions, runs, undo } from "../support/documents.ts";
import { BUN, makeSandbox, type Sandbox } from "../support/sandbox.ts";

const RULES = String.raw`
  - { match: "shelf.browse", class: readonly }
  - match: "shelf.place"
    class: reversible
    snapshot:
      tool: "shelf.describe"
      args: { id: "$.id" }
      absent_when: { result: ["No such book: *"] }
      extract: { title: "(?m)^Title: (.*)$", shelf: "Shelf: (\\S+)", lender: "Lent to (.+)" }
    inverse: { tool: "shelf.place", args: { id: "$.id", title: "$snapshot.title", shelf: "$snapshot.shelf" } }
  - match: "shelf.retitle"
    class: reversible
    snapshot:
      tool: "shelf.browse"
      pages: { cursor: "$.cursor", next: "$snapshot.nextCursor", items: "books" }
      complete: { whole: true }
    inverse: { tool: "shelf.retitle", args: { id: "$.id", title: "$snapshot.books[id=$.id].title" } }
    resource: "book:$.id"
  - match: "shelf.place_many"
    class: compensable
    inverse: { tool: "shelf.clear_many", args: { books: { for_each: "$result.placed[]", item: { id: "$item.bookId" } } } }
  - match: "shelf.move"
    class: reversible
    snapshot:
      book: { tool: "shelf.describe", args: { id: "$.id" }, absent_when: { result: ["No such book: *"] }, extract: { shelf: "Shelf: (.*)", title: "Title: (.*)" } }
      stock: { tool: "shelf.stock", args: { id: "$.id" }, absent_when: { error: ["nothing in stock"] } }
    ignore: [book.title]
    inverse: { tool: "shelf.move", args: { id: "$.id", shelf: "$snapshot.book.shelf", count: { from: "$snapshot.stock.count", missing: null } } }
`;

interface ShelfState {
  readonly next: number;
  readonly books: readonly { readonly id: string; readonly title: string; readonly shelf: string }[];
  readonly stock: Readonly<Record<string, number>>;
}

interface Shelf extends Sandbox {
  state(): ShelfState;
  edit(change: (state: ShelfState) => ShelfState): void;
}

const FIRST: ShelfState = {
  next: 1,
  books: ["a", "b", "c", "d", "e"].map((id) => ({ id, title: `title of ${id}`, shelf: `S-${id}` })),
  stock: { a: 3 },
};

function makeShelf(rules = RULES): Shelf {
  const sandbox = makeSandbox();
  const file = join(sandbox.folder, "shelf.json");
  const args = JSON.stringify([join(import.meta.dir, "../support/shelf-server.ts"), file]);
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n  shelf: { command: ${JSON.stringify(BUN)}, args: ${args} }\ntools:${rules}`);
  const state = () => JSON.parse(readFileSync(file, "utf8")) as ShelfState;
  const write = (to: ShelfState) => void sandbox.write("shelf.json", JSON.stringify(to));
  write(FIRST);
  return { ...sandbox, state, edit: (change) => write(change(state())) };
}

/** Makes one call that isn't expected to pass, and gives what the agent was told. */
async function answerTo(shelf: Shelf, tool: string, args: object): Promise<string> {
  const agent = await Agent.start(shelf);
  const result = await agent.call(tool, args);
  await agent.end();
  expect(result.isError).toBe(true);
  return textOf(result);
}

const byId = ({ books }: ShelfState) => Object.fromEntries(books.map((book) => [book.id, book]));

test("P3: what a server only says in prose is put back by the fields that were taken out of it", async () => {
  using shelf = makeShelf();
  await runOf(shelf, ["place", { id: "b", title: "changed", shelf: "X" }]);
  expect(byId(shelf.state())["b"]?.title).toBe("changed");
  expect(await undo(shelf)).toMatchObject({ state: "undone", steps: [{ kind: "restore", end: "undone", verified: true }] });
  expect(byId(shelf.state())).toEqual(byId(FIRST));
});

test("P3: an answer that says in plain words that nothing is there is absence, whole, and a write over it is held", async () => {
  using shelf = makeShelf();
  expect(await answerTo(shelf, "place", { id: "new", title: "t", shelf: "s" })).toContain("held");
  await runOf(shelf, ["place", { id: "c", title: "No such book: c", shelf: "Y" }]); // content that has the words in it
  expect((await undo(shelf)).state).toBe("undone");
  expect(byId(shelf.state())["c"]?.title).toBe("title of c");
});

test("P3: a record far down a list of pages goes back, and what somebody changed in another one is kept", async () => {
  using shelf = makeShelf();
  await runOf(shelf, ["retitle", { id: "e", title: "by the agent" }]);
  shelf.edit((state) => ({ ...state, books: state.books.map((book) => (book.id === "a" ? { ...book, title: "by a person" } : book)) }));
  expect(await undo(shelf)).toMatchObject({ state: "undone", steps: [{ kind: "merge", end: "undone", verified: true }] });
  expect(byId(shelf.state())).toEqual({ ...byId(FIRST), a: { id: "a", title: "by a person", shelf: "S-a" } });
});

const CLEARING = `
  - match: "shelf.clear_many"
    class: reversible
    snapshot: { tool: "shelf.browse", pages: { cursor: "$.cursor", next: "$snapshot.nextCursor", items: books } }
    inverse: { for_each: "$snapshot.books[]", tool: "shelf.place", args: { id: "$item.id", title: "$item.title", shelf: "$item.shelf" } }
`;

test("P3: what the agent took out of a list is made again, element by element, and nothing of what others have added since", async () => {
  using shelf = makeShelf(CLEARING);
  shelf.edit((state) => ({ ...state, books: state.books.slice(0, 2) }));
  await runOf(shelf, ["clear_many", { books: [{ id: "a" }] }]);
  const added = { id: "x", title: "a person's", shelf: "S-x" };
  shelf.edit((state) => ({ ...state, books: [...state.books, added] }));
  expect(await undo(shelf)).toMatchObject({ state: "undone", steps: [{ kind: "merge", end: "undone" }] });
  const [b, a] = [FIRST.books[1], FIRST.books[0]];
  expect(shelf.state().books).toEqual([b, added, a] as never);
  expect((await actions(shelf)).map(({ tool, args }) => [tool, args])).toEqual([["place", a]] as never);
});

test("P3: of a list only what isn't there as it was is written back, as the plan says; stopped in the middle, the rest of it; it is done again", async () => {
  using shelf = makeShelf(CLEARING);
  await runOf(shelf, ["clear_many", { books: [{ id: "a" }, { id: "c" }, { id: "d" }] }]);
  const kept = shelf.state().books;
  const [planned] = (await shelf.json<{ steps: { inverses: { args: object }[] }[] }>("undo", "--dry-run")).steps;
  expect(planned?.inverses.map(({ args }) => args)).toEqual(["a", "c", "d"].map((id) => byId(FIRST)[id] as object));
  const refused = shelf.write("shelf.json.refused", "c");
  expect(await undo(shelf)).toMatchObject({
    state: "partial",
    steps: [{ end: "stuck", endDetail: expect.stringContaining("1 of 3 calls done") }],
  });
  rmSync(refused);
  expect((await shelf.run("undo", "--dry-run")).out).toContain("1 of its 3 calls is done already");
  expect(await undo(shelf)).toMatchObject({ state: "undone", steps: [{ end: "undone", verified: true }] });
  expect(byId(shelf.state())).toEqual(byId(FIRST));
  expect(await shelf.json<object>("redo", "--yes")).toMatchObject({ state: "undone" });
  expect(shelf.state().books).toEqual(kept);
  expect(await undo(shelf)).toMatchObject({ state: "undone", steps: [{ end: "undone", verified: true }] });
  expect(byId(shelf.state())).toEqual(byId(FIRST));
});

const TITLE_ONLY = `
  - match: "shelf.place"
    class: reversible
    snapshot: { tool: "shelf.describe", args: { id: "$.id" }, absent_when: { result: ["No such book: *"] }, extract: { title: "Title: (.*)", shelf: "Shelf: (.*)" } }
    inverse: { tool: "shelf.retitle", args: { id: "$.id", title: "$snapshot.title" } }
`;

test("P3: what an inverse leaves as the agent left it is named, in the plan, the end and the record, and never passes for undone", async () => {
  using shelf = makeShelf(TITLE_ONLY);
  await runOf(shelf, ["place", { id: "b", title: "title of b", shelf: "X" }]);
  const plan = (await shelf.run("undo", "--dry-run")).out;
  expect(plan).toContain("! permanent");
  expect(plan).toMatch(/its inverse doesn't put back what the call changed\s+still as the agent left it:\s+shelf: "S-b" -> "X"/);
  const remains = [{ path: "shelf", from: "S-b", to: "X" }];
  const left = await undo(shelf);
  expect(left).toMatchObject({ state: "partial", outstanding: [1], steps: [{ kind: "permanent", reason: "not-restored", remains }] });
  expect((await actions(shelf, left.run))[0]).toMatchObject({
    status: "permanent",
    reason: "not-restored",
    detail: "still as the agent left it: shelf",
  });
  shelf.edit((state) => ({ ...state, books: state.books.map((book) => (book.id === "b" ? { ...book, shelf: "S-b" } : book)) }));
  expect(await undo(shelf, left.run)).toMatchObject({
    state: "undone",
    outstanding: [],
    steps: [{ kind: "done", reason: "as-before", remains: [] }],
  });
});

test("P3: of what is put back the rest is named that stands, and what a person has put back isn't", async () => {
  using shelf = makeShelf(TITLE_ONLY);
  await runOf(shelf, ["place", { id: "b", title: "new", shelf: "X" }], ["place", { id: "c", title: "new", shelf: "X" }]);
  shelf.edit((state) => ({ ...state, books: state.books.map((book) => (book.id === "c" ? { ...book, shelf: "S-c" } : book)) }));
  const said = (await shelf.run("undo", "--yes")).out;
  expect(said).toContain('put back but for shelf (still "X")');
  expect(said.match(/but for/g)).toHaveLength(1);
  const [{ id = "" } = {}] = (await runs(shelf)).filter(({ kind }) => kind === "agent");
  expect((await actions(shelf, id)).map(({ status, detail }) => [status, detail])).toEqual([
    ["undone", "still as the agent left it: shelf"],
    ["undone", null],
  ]);
});

test("P3: before half a snapshot there is no write: an answer that isn't whole, or never ends, refuses it", async () => {
  using shelf = makeShelf();
  for (const trouble of ["partial", "endless"]) {
    const file = shelf.write(`shelf.json.${trouble}`, "");
    const why = await answerTo(shelf, "retitle", { id: "e", title: "new" });
    expect(why).toContain(trouble === "partial" ? "whole is false, where a whole answer has true" : "has more than 1000 pages");
    rmSync(file);
  }
  expect(shelf.state()).toEqual(FIRST);
  await runOf(shelf, ["retitle", { id: "e", title: "new" }]);
  shelf.write("shelf.json.partial", "");
  expect(await undo(shelf)).toMatchObject({ halt: 1, steps: [{ kind: "conflict", reason: "state-unreadable" }] });
});

test("P3: what was made in a batch is taken away again by what the server called each of it", async () => {
  using shelf = makeShelf();
  await runOf(shelf, [
    "place_many",
    {
      books: [
        { title: "one", shelf: "N" },
        { title: "two", shelf: "N" },
      ],
    },
  ]);
  expect(shelf.state().books).toHaveLength(7);
  expect((await undo(shelf)).state).toBe("undone");
  expect(shelf.state().books).toEqual([...FIRST.books]);
});

test("P3: several reads make one state: all of it goes back, what one of them lacked too, and what changed since is named by its read", async () => {
  using shelf = makeShelf();
  await runOf(shelf, ["move", { id: "a", shelf: "Z", count: 9 }], ["move", { id: "b", shelf: "Z", count: 4 }]);
  shelf.edit((state) => ({ ...state, books: state.books.map((book) => ({ ...book, title: "retitled" })) }));
  expect(await undo(shelf)).toMatchObject({
    state: "undone",
    steps: [
      { end: "undone", verified: true },
      { end: "undone", verified: true },
    ],
  });
  expect(shelf.state()).toEqual({ ...FIRST, books: FIRST.books.map((book) => ({ ...book, title: "retitled" })) });

  await runOf(shelf, ["move", { id: "a", shelf: "Z", count: 9 }]);
  shelf.edit((state) => ({ ...state, stock: { a: 10 } }));
  expect(await undo(shelf)).toMatchObject({
    halt: 1,
    steps: [{ kind: "conflict", conflicts: [{ path: "stock.count", before: 3, left: 9, now: 10 }] }],
  });
});

test("P2: of several reads one that fails refuses the write, whatever the others show", async () => {
  using shelf = makeShelf(RULES.replace("nothing in stock", "no such thing"));
  expect(await answerTo(shelf, "move", { id: "b", shelf: "Z", count: 1 })).toContain("stock: shelf.stock answered: nothing in stock");
  expect(shelf.state()).toEqual(FIRST);
  expect(await actions(shelf)).toMatchObject([{ status: "denied" }]);
});

test("P6: through a session that goes on, the pages that follow a recorded read are read too, and no others", async () => {
  using shelf = makeShelf(RULES.replace('  - { match: "shelf.browse", class: readonly }\n', ""));
  const agent = await Agent.start(shelf);
  await agent.call("retitle", { id: "e", title: "by the agent" });
  const [run] = await runs(shelf);
  using control = await connectRaw(shelf);
  const browse = async (args: object) =>
    (await control.ask("undo/read", { run: run?.id, server: "shelf", tool: "browse", arguments: args })).result?.["kind"];
  expect(await browse({ cursor: "2" })).toBe("ended");
  expect(await browse({})).toBe("result");
  expect([await browse({ cursor: "3" }), await browse({ cursor: "4" })]).toEqual(["ended", "ended"]);
  expect([await browse({ cursor: "2" }), await browse({ cursor: "4" })]).toEqual(["result", "result"]);
  expect(await undo(shelf, "--live")).toMatchObject({ state: "undone", steps: [{ kind: "restore", verified: true }] });
  expect(byId(shelf.state())).toEqual(byId(FIRST));
  await agent.end();
});

// What a server says of its tools and of what they did: does a person see it, and does it ever let anything pass?
import { expect, test } from "bun:test";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions, undo } from "../support/documents.ts";
import { makeNotes, NOTES_RULES } from "../support/notes.ts";
import { makeTwoNotes } from "../support/two-notes.ts";

const HOUR = 3_600_000;
const WITHIN = NOTES_RULES.replace('resource: "note:$result.key"', "$&\n    undo: { within: 2h }");

interface Hinted {
  readonly hints: unknown;
  readonly effect: unknown;
}
interface Term {
  readonly until: string | null;
  readonly terms: unknown;
}

const flat = (text: string) => text.replace(/\s+/g, " ");

test("P5: a server that calls each of its tools a read lets nothing pass by that; whoever is asked sees it", async () => {
  using notes = makeNotes(NOTES_RULES, ["--all-read"]);
  await using agent = await Agent.start(notes);
  await agent.request("tools/list");
  heldId(await agent.call("send", { to: "x" }));
  expect(textOf(await agent.call("remove", { key: "a" }))).toContain("no rule of the policy mentions this tool");
  await agent.call("set", { key: "a", value: "new" });
  expect(notes.received().map(({ name }) => name)).not.toContain("send");
  expect(notes.state().notes).toEqual({ a: "new", b: "second", c: "third" });
  expect(flat((await notes.run("gates")).out)).toContain("server says of this tool that it only reads (nothing is let through for that)");
  expect(flat((await notes.run("show")).out)).toContain("the server calls this tool a read");
  const recorded = (await actions(notes)) as unknown as readonly Hinted[];
  expect(recorded.map(({ hints }) => hints)).toEqual(Array(3).fill({ readOnlyHint: true }));
});

test("behind one entry, too, each call is recorded with what its own server says of the tool", async () => {
  using notes = makeTwoNotes([], ["--all-read"]);
  await using agent = await Agent.start(notes);
  await agent.request("tools/list");
  heldId(await agent.call("right__send", { to: "x" }));
  expect(await actions(notes)).toMatchObject([{ hints: { readOnlyHint: true } }]);
});

test("a call made before the server has listed its tools is recorded without hints", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "new" });
  expect(await actions(notes)).toMatchObject([{ hints: null, effect: null }]);
});

test("what a result says of its effect is recorded and shown, and its time for undoing counts where it is the shorter", async () => {
  using notes = makeNotes(WITHIN);
  const undoBy = new Date(Date.now() + HOUR).toISOString();
  notes.sayEffect("create", {
    version: 1,
    effect: { summary: "a note was made" },
    sideEffects: ["a mail\u0007 went out", "a log entry"],
    undoBy,
  });
  await using agent = await Agent.start(notes);
  await agent.call("create", { value: "new" });
  await agent.end();
  const effect = { version: "1", effect: "a note was made", sideEffects: "a mail\u0007 went out; a log entry", undoBy };
  expect(await actions(notes)).toMatchObject([{ effect }]);
  expect((await undo(notes, "--dry-run")).steps as unknown).toMatchObject([{ until: undoBy, effect, kind: "compensate" }]);
  for (const command of [["show"], ["undo", "--dry-run"]]) {
    const shown = flat((await notes.run(...command)).out);
    expect(shown).toContain("the server says of it: a note was made");
    expect(shown).toContain("side effects, as the server says: a mail");
    expect(shown).not.toContain("\u0007");
    expect(shown).toContain("as the server says");
  }
  expect((await notes.run("undo", "--json")).out).toContain("has side effects");
  expect(notes.state().notes["n1"]).toBe("new");
  expect((await undo(notes, "--yes")).state).toBe("undone");
});

test("P5: a time for undoing that a result names never makes longer what the policy says, nor do words that are no time", async () => {
  using notes = makeNotes(WITHIN);
  await using agent = await Agent.start(notes);
  for (const undoBy of [new Date(Date.now() + 48 * HOUR).toISOString(), "whenever you like"]) {
    notes.sayEffect("create", { undoBy, reversible: true });
    await agent.call("create", { value: "new" });
  }
  await agent.end();
  const steps = (await undo(notes, "--dry-run")).steps as unknown as readonly Term[];
  for (const { until } of steps) expect(Date.parse(until ?? "")).toBeLessThan(Date.now() + 3 * HOUR);
  expect(steps).toHaveLength(2);
});

test.each([
  ["its time is over", { undoBy: "2020-01-01" }, "its undo window has closed"],
  ["it is final", { irreversible: true }, "the server says that it can't be undone"],
])("a call of which its result says that %s is only undone if a person says to try", async (_name, effect, words) => {
  using notes = makeNotes();
  notes.sayEffect("create", effect);
  await using agent = await Agent.start(notes);
  await agent.call("create", { value: "new" });
  await agent.call("set", { key: "a", value: "new" });
  await agent.end();
  expect(await undo(notes, "--yes")).toMatchObject({ state: "partial", steps: [{ end: "undone" }, { kind: "expired" }] });
  expect(notes.state().notes).toMatchObject({ n1: "new", a: "first" });
  expect(flat((await notes.run("undo", "--dry-run")).out)).toContain(words);
  expect(await undo(notes, "--yes", "--try-expired")).toMatchObject({ state: "undone" });
  expect(notes.state().notes["n1"]).toBeUndefined();
});

test("what a rule keeps out of the record isn't in what a result says of its effect either", async () => {
  using notes = makeNotes(`\n  - { match: "notes.send", class: irreversible, gate: never, redact: ["$.to"] }\n`);
  notes.sayEffect("send", { effect: "sent to ada-lovelace" });
  await using agent = await Agent.start(notes);
  await agent.call("send", { to: "ada-lovelace" });
  await agent.end();
  const [sent] = (await actions(notes)) as unknown as readonly { effect: { effect: string } }[];
  expect(sent?.effect.effect).toContain("sent to [redacted");
  expect((await notes.run("show", "--json")).out).not.toContain("ada-lovelace");
});

test("check names the reads of a policy which the server doesn't call reads", async () => {
  using notes = makeNotes(`
  - { match: "notes.*", class: irreversible }
  - { match: "notes.get", class: readonly }
  - { match: "notes.remove", class: readonly }
`);
  const { out, code } = await notes.run("check");
  expect(out).toContain("9:5: warning: a read by the policy, but not by the server's own account: `notes.remove`");
  expect(code).toBe(0);
});

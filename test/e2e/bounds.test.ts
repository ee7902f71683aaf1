// Which calls does a policy let through by their arguments, their number, their caller and its environment? With the real proxy.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions, until } from "../support/documents.ts";
import { HttpAgent, serve } from "../support/http.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";

const UNDOABLE = `class: compensable, inverse: { tool: "notes.remove", args: { key: "$.key" } }`;

function withTop(notes: NotesSandbox, top: string): void {
  const text = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  notes.write("synartesis.yaml", text.replace("version: 1\n", `version: 1\n${top}\n`));
}

/** What became of the calls of the latest run, once they are all recorded: a refusal is written down after its answer. */
async function statuses(notes: NotesSandbox, count: number): Promise<readonly (readonly [string, string | null])[]> {
  await until(`${count} calls are recorded`, async () => (await actions(notes)).length === count);
  return (await actions(notes)).map(({ status, reason }) => [status, reason] as const);
}

test("arguments outside of the schema are held, with the constraint and what would be accepted, for the agent and for the person", async () => {
  using notes = makeNotes(`\n  - { match: "notes.set", ${UNDOABLE}, args: { properties: { value: { maxLength: 3 } } } }\n`);
  await using agent = await Agent.start(notes);
  const held = await agent.call("set", { key: "a", value: "long" });
  expect(textOf(held)).toContain('$.value must NOT have more than 3 characters; accepted there: {"maxLength":3}');
  await agent.call("set", { key: "b", value: "new" });
  expect(notes.state().notes).toMatchObject({ a: "first", b: "new" });
  const gates = (await notes.run("gates")).out.replace(/\s+/g, " ");
  expect(gates).toContain("must NOT have more than 3 characters");
  expect(gates).toContain("irreversible: its rule isn't for such arguments, so nothing will undo it");
  expect((await notes.run("show")).out.replace(/\s+/g, " ")).toContain("must NOT have more than 3 characters");
  expect((await actions(notes)).map(({ why }) => why)).toEqual([expect.stringContaining("$.value must NOT have more"), null]);
  expect((await notes.run("approve", heldId(held))).code).toBe(0);
  await agent.call("set", { key: "a", value: "long" });
  expect(notes.state().notes["a"]).toBe("long");
});

test("P4: a call that its rule isn't for is irreversible once it is approved: no inverse is made for it, and undo says so", async () => {
  using notes = makeNotes(`
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }
    args: { properties: { value: { maxLength: 3 } } }
    when_absent: { class: compensable, inverse: { tool: "notes.remove", args: { key: "$.key" } } }
`);
  {
    await using agent = await Agent.start(notes);
    for (const key of ["a", "new"]) {
      const held = await agent.call("set", { key, value: "long" });
      expect((await notes.run("approve", heldId(held))).code).toBe(0);
      await agent.call("set", { key, value: "long" });
    }
    expect(notes.state().notes).toMatchObject({ a: "long", new: "long" });
  }
  expect((await statuses(notes, 4)).filter(([status]) => status === "permanent")).toHaveLength(2);
  const undone = await notes.json<{ steps: { kind: string }[] }>("undo", "--yes");
  // The calls as they were held are steps, too.
  expect(undone.steps.map(({ kind }) => kind).filter((kind) => kind !== "skip")).toEqual(["permanent", "permanent"]);
  expect(notes.state().notes).toMatchObject({ a: "long", new: "long" });
});

test("P6: with `otherwise: deny` nothing is sent and nobody can approve it", async () => {
  using notes = makeNotes(
    `\n  - { match: "notes.set", ${UNDOABLE}, args: { properties: { value: { maxLength: 3 } } }, otherwise: deny }\n`,
  );
  await using agent = await Agent.start(notes);
  expect(textOf(await agent.call("set", { key: "a", value: "long" }))).toContain("Refused by Synartesis");
  expect(notes.received()).toEqual([]);
  expect(await statuses(notes, 1)).toEqual([["denied", "arguments-outside"]]);
});

test("a limit on a run counts what was sent, reads as well, and calls at the same time", async () => {
  using notes = makeNotes(`
  - { match: "notes.set", ${UNDOABLE}, limits: { per_run: 2 }, otherwise: deny }
  - { match: "notes.get", class: readonly, limits: { per_minute: 1 } }
`);
  await using agent = await Agent.start(notes);
  notes.trouble("set", "error-before");
  await Promise.all(["a", "b", "c", "a"].map((key) => agent.call("set", { key, value: "new" })));
  await agent.call("get", { key: "a" });
  expect(textOf(await agent.call("get", { key: "b" }))).toContain("1 such calls within a minute");
  const sent = notes.received().filter(({ name }) => name === "set");
  expect(sent).toHaveLength(2);
  expect((await statuses(notes, 6)).filter(([, reason]) => reason === "limit-reached")).toEqual([
    ["denied", "limit-reached"],
    ["denied", "limit-reached"],
    ["held", "limit-reached"],
  ]);
});

test("a list that is too long is held", async () => {
  using notes = makeNotes(`\n  - { match: "notes.set", ${UNDOABLE}, limits: { items: { path: "$.keys", max: 2 } } }\n`);
  await using agent = await Agent.start(notes);
  expect(textOf(await agent.call("set", { key: "a", value: "v", keys: ["a", "b", "c"] }))).toContain(
    "$.keys has 3 elements, and 2 are let through",
  );
  await agent.call("set", { key: "b", value: "v", keys: ["a", "b"] });
  expect(notes.received()).toHaveLength(1);
});

test("P6: a caller that isn't allowed it is denied; one whose proxy was started with the scope passes", async () => {
  using notes = makeNotes(`\n  - { match: "notes.set", ${UNDOABLE}, scopes: ["notes:write", "other"] }\n`);
  {
    await using agent = await Agent.start(notes, ["--scopes", "notes:write"]);
    const denied = textOf(await agent.call("set", { key: "a", value: "new" }));
    expect(denied).toContain("(other)");
    expect(await statuses(notes, 1)).toEqual([["denied", "scope-missing"]]);
  }
  await using allowed = await Agent.start(notes, ["--scopes", "other, notes:write"]);
  await allowed.call("set", { key: "a", value: "new" });
  expect(notes.state().notes["a"]).toBe("new");
});

test("P6: a token is made with its scopes, and by HTTP each client is allowed what its own token says", async () => {
  using notes = makeNotes(`\n  - { match: "notes.set", ${UNDOABLE}, scopes: ["notes:write"] }\n`);
  const make = (...words: string[]) => notes.json<{ token: string; entry: object }>("token", "create", ...words);
  const writer = await make("writer", "--scopes", "notes:write, notes:read");
  const reader = await make("reader", "--scopes", "notes:read");
  expect(writer.entry).toMatchObject({ name: "writer", scopes: ["notes:write", "notes:read"] });
  const { out } = await notes.run("token", "create", "ci", "--scopes", "notes:write");
  expect(out).toMatch(/- \{ name: "ci", sha256: "[0-9a-f]{64}", scopes: \["notes:write"\] \}/);
  withTop(notes, `tokens: ${JSON.stringify([writer.entry, reader.entry])}`);
  await using served = await serve(notes, [], {});
  const as = (token: string) => HttpAgent.start(served.url, { headers: { authorization: `Bearer ${token}` } });
  const denied = await as(reader.token);
  expect((await denied.call("set", { key: "a", value: "new" })).text).toContain("(notes:write)");
  expect(notes.state().notes["a"]).toBe("first");
  const allowed = await as(writer.token);
  await allowed.call("set", { key: "a", value: "new" });
  expect(notes.state().notes["a"]).toBe("new");
});

test("P6: what denies a call beside `by` denies one without a case, too, which nobody can approve then", async () => {
  using notes = makeNotes(`
  - { match: "notes.set", by: "$.key", cases: { a: { ${UNDOABLE} } }, scopes: ["notes:write"] }
  - { match: "notes.create", by: "$.value", cases: { a: { class: irreversible } }, environments: [staging] }
  - { match: "notes.send", by: "$.to", cases: { a: { class: irreversible } }, args: { properties: { to: { maxLength: 3 } } }, otherwise: deny }
`);
  withTop(notes, "environment: production");
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "b", value: "new" });
  await agent.call("create", { value: "b" });
  await agent.call("send", { to: "everybody" });
  heldId(await agent.call("send", { to: "b" }));
  expect(notes.received()).toEqual([]);
  expect(await statuses(notes, 4)).toEqual([
    ["denied", "scope-missing"],
    ["denied", "environment-other"],
    ["denied", "arguments-outside"],
    ["held", "no-case"],
  ]);
});

test("what another environment is for is denied in this one", async () => {
  using notes = makeNotes(`
  - { match: "notes.set", ${UNDOABLE}, environments: [staging, test] }
  - { match: "notes.create", ${UNDOABLE}, environments: [production] }
`);
  withTop(notes, "environment: production");
  await using agent = await Agent.start(notes);
  expect(textOf(await agent.call("set", { key: "a", value: "new" }))).toContain("staging, test; this is production");
  await agent.call("create", { value: "new" });
  expect(await statuses(notes, 2)).toEqual([
    ["denied", "environment-other"],
    ["applied", null],
  ]);
});

test("P6: a class that is denied stays denied whatever a rule's gate says; what no rule mentions can be denied too", async () => {
  using notes = makeNotes(`
  - { match: "notes.send", class: irreversible, gate: never }
  - { match: "notes.set", ${UNDOABLE} }
`);
  withTop(notes, "autonomy: { irreversible: deny, compensable: ask, unmentioned: deny }");
  await using agent = await Agent.start(notes);
  await agent.call("send", { to: "x" });
  await agent.call("remove", { key: "a" });
  heldId(await agent.call("set", { key: "a", value: "new" }));
  expect(notes.received()).toEqual([]);
  expect(await statuses(notes, 3)).toEqual([
    ["denied", "by-policy"],
    ["denied", "by-policy"],
    ["held", "gate-always"],
  ]);
});

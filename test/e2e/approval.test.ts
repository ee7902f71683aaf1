// What is an approval good for? One exact call, once, for an hour, from a person; and what does a denial do?
import { expect, test } from "bun:test";
import { openJournal } from "../../src/journal/open.ts";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions, journalFile } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

const HOUR = 60 * 60 * 1000;

/** Approves as a person did some time ago. */
async function approveAgo(notes: NotesSandbox, action: string, milliseconds: number): Promise<void> {
  const journal = await openJournal({ file: journalFile(notes), mode: "existing", clock: () => Date.now() - milliseconds });
  try {
    await journal.approve(action, "ada", HOUR);
  } finally {
    await journal.close();
  }
}

test("P6: one approval raced by eight proxies lets exactly one call through", async () => {
  using notes = makeNotes();
  const agents = await Promise.all(Array.from({ length: 8 }, () => Agent.start(notes)));
  for (const to of ["ada", "bob", "cy"]) {
    const first = await Promise.all(agents.map((agent) => agent.call("send", { to })));
    const held = new Set(first.map(heldId));
    expect(held.size).toBe(1);
    expect((await notes.run("approve", ...held)).code).toBe(0);
    const answers = await Promise.all(agents.map((agent) => agent.call("send", { to })));
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1);
    expect(new Set(answers.filter(({ isError }) => isError).map(heldId)).size).toBe(1);
    expect(notes.received().filter(({ args }) => args["to"] === to)).toHaveLength(1);
  }
  await Promise.all(agents.map((agent) => agent.end()));
  expect(notes.state().sent).toEqual(["ada", "bob", "cy"]);
});

test("P6: eight approvals of one hold at once are one approval", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  const answers = await Promise.all(Array.from({ length: 8 }, () => notes.run("approve", held)));
  expect(answers.filter(({ code }) => code === 0)).toHaveLength(1);
  expect(answers.filter(({ code }) => code === 1)).toHaveLength(7);
  for (let time = 0; time < 3; time++) await agent.call("send", { to: "ada" });
  expect(notes.state().sent).toEqual(["ada"]);
});

test("P6: an approval that isn't used yet is listed, and can be taken back with a reason", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  expect((await notes.run("approve", held, "--by", "maria")).code).toBe(0);
  expect((await notes.run("gates")).out).toMatch(new RegExp(`by maria, not used yet.*[^]*synartesis deny ${held}`));
  expect(await notes.json<object>("gates")).toMatchObject({ waiting: [], approved: [{ id: held }] });
  expect((await notes.run("deny", "--all")).out).toBe("nothing waits for an answer\n");
  const answer = await notes.run("deny", held.slice(0, 8), "--reason", "not ada");
  expect(answer).toMatchObject({ code: 0, out: expect.stringContaining("its approval is taken back") });
  expect(textOf(await agent.call("send", { to: "ada" }))).toContain("not ada");
  expect(notes.state().sent).toEqual([]);
  expect(await notes.json<object>("gates")).toEqual({ waiting: [], approved: [] });
});

test("an approval that is used can't be taken back, and says so", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  await notes.run("approve", held);
  await agent.call("send", { to: "ada" });
  expect(await notes.run("deny", held)).toMatchObject({ code: 1, err: expect.stringContaining("the approval is used") });
});

test("P6: an approval isn't good for other arguments or another tool", async () => {
  using notes = makeNotes(`\n  - { match: "notes.*", class: irreversible }\n`);
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("remove", { key: "a" }));
  expect((await notes.run("approve", held)).code).toBe(0);
  for (const other of [{ key: "b" }, { key: "a", force: true }, { key: "a\u0000" }, { key: ["a"] }, {}])
    expect(heldId(await agent.call("remove", other))).not.toBe(held);
  expect(heldId(await agent.call("get", { key: "a" }))).not.toBe(held);
  expect(notes.received()).toEqual([]);
  expect((await agent.call("remove", { key: "a" })).isError).toBeUndefined();
});

test("P6: an approval isn't good once its rule says something else", async () => {
  using notes = makeNotes();
  const first = await Agent.start(notes);
  const held = heldId(await first.call("send", { to: "ada" }));
  await first.end();
  expect((await notes.run("approve", held)).code).toBe(0);
  notes.setRules(NOTES_RULES.replace("irreversible", "irreversible\n    gate: always"));
  await using second = await Agent.start(notes);
  expect(heldId(await second.call("send", { to: "ada" }))).not.toBe(held);
  expect(notes.state().sent).toEqual([]);
});

test("P6: an approval is good in another session, and names who gave it", async () => {
  using notes = makeNotes();
  const first = await Agent.start(notes);
  const held = heldId(await first.call("send", { to: "ada" }));
  await first.end();
  expect((await notes.run("approve", held, "--by", "maria")).code).toBe(0);
  const second = await Agent.start(notes);
  expect((await second.call("send", { to: "ada" })).isError).toBeUndefined();
  await second.end();
  expect(notes.state().sent).toEqual(["ada"]);
  const plan = await notes.json<{ steps: { approvedBy: string | null }[] }>("undo", "--dry-run");
  expect(plan.steps.map(({ approvedBy }) => approvedBy)).toEqual(["maria"]);
});

test("P6: an approval isn't good after its hour", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const late = heldId(await agent.call("send", { to: "ada" }));
  await approveAgo(notes, late, HOUR + 1000);
  const again = heldId(await agent.call("send", { to: "ada" }));
  expect(again).not.toBe(late);
  expect(notes.state().sent).toEqual([]);
  expect((await actions(notes)).find(({ id }) => id === late)?.status).toBe("expired");
  await approveAgo(notes, again, HOUR - 60_000);
  await agent.call("send", { to: "ada" });
  expect(notes.state().sent).toEqual(["ada"]);
});

test("P6: nothing that the client starts can answer for a person", async () => {
  using notes = makeNotes();
  await using agent = await Agent.startAsChild(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  for (const words of [
    ["approve", held],
    ["approve", "--all", "--by", "maria"],
    ["deny", held],
  ]) {
    const answer = await notes.run(...words);
    expect(answer.code).toBe(1);
    expect(answer.err).toContain("test-agent");
  }
  expect(heldId(await agent.call("send", { to: "ada" }))).toBe(held);
  expect(notes.state().sent).toEqual([]);
});

test("a call is the same hold while it is held, however it is written and from whatever session", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await using other = await Agent.start(notes);
  const written = ['{"to":"ada","cc":1}', '{ "cc": 1, "to": "\\u0061da" }'];
  const answers = await Promise.all(
    [agent, other].flatMap((each) =>
      written.map((args, index) =>
        each.await(900 + index, () =>
          each.send(`{"jsonrpc":"2.0","id":${900 + index},"method":"tools/call","params":{"name":"send","arguments":${args}}}`),
        ),
      ),
    ),
  );
  expect(new Set(answers.map(({ result }) => heldId(result as Parameters<typeof heldId>[0]))).size).toBe(1);
  const { waiting } = await notes.json<{ waiting: unknown[] }>("gates");
  expect(waiting).toHaveLength(1);
});

test("a denial and its reason reach the agent once; then the call is held anew", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  expect((await notes.run("deny", held, "--reason", "she asked us not to")).code).toBe(0);
  const answers = (await Promise.all([1, 2, 3].map(() => agent.call("send", { to: "ada" })))).map(textOf);
  expect(answers.filter((text) => text.includes("she asked us not to"))).toHaveLength(1);
  expect(answers.filter((text) => text.startsWith("Held by Synartesis"))).toHaveLength(2);
  expect(notes.state().sent).toEqual([]);
  expect((await notes.run("approve")).code).toBe(0);
  await agent.call("send", { to: "ada" });
  expect(notes.state().sent).toEqual(["ada"]);
});

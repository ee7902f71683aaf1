// Does `gate: on_write` let reads pass and hold the rest? With the executable, where parsers have to be found inside of it.
import { expect, test } from "bun:test";
import { SQL_DIALECTS } from "../../src/core/vocabulary.ts";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions } from "../support/documents.ts";
import { makeNotes } from "../support/notes.ts";

for (const dialect of SQL_DIALECTS) {
  test(`P5: a certain read passes, and is a read in the record; anything else waits for a person, and is none: ${dialect}`, async () => {
    using notes = makeNotes(`
  - { match: "notes.send", class: readonly, gate: on_write, sql: { statement: "$.text", dialect: ${dialect} } }
`);
    await using agent = await Agent.start(notes);
    const read = { text: "SELECT name, count(*) FROM people WHERE id = 4 GROUP BY name" };
    const change = { text: "DELETE FROM people; SELECT 1" };
    await agent.call("send", read);
    const held = await agent.call("send", change);
    expect(textOf(held)).toContain("this isn't one of them for certain (it is 2 statements)");
    expect(notes.received().map(({ args }) => args)).toEqual([read]);
    expect((await notes.run("approve", heldId(held))).code).toBe(0);
    await agent.call("send", change);
    await agent.end();
    expect(notes.received().map(({ args }) => args)).toEqual([read, change]);
    expect((await actions(notes)).map(({ class: kind, status }) => [kind, status])).toEqual([
      ["readonly", "applied"],
      ["irreversible", "approved"],
      ["irreversible", "permanent"],
    ]);
  });
}

test("P5: without `sql` every text has to be a read in all dialects", async () => {
  using notes = makeNotes(`
  - { match: "notes.*", class: irreversible, gate: on_write }
`);
  await using agent = await Agent.start(notes);
  await agent.call("send", { text: "SELECT 1" });
  expect(textOf(await agent.call("set", { key: "SELECT 1", value: "DROP TABLE x" }))).toContain("(as PostgreSQL, DROP isn't a read)");
  expect(notes.received().map(({ name }) => name)).toEqual(["send"]);
});

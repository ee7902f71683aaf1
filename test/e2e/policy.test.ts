// What does the proxy let through? A policy that doesn't speak of a tool, or can't be understood, lets nothing through.
import { expect, test } from "bun:test";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions } from "../support/documents.ts";
import { makeNotes } from "../support/notes.ts";

test("P5: a tool that no rule mentions is held, and runs once a person has agreed", async () => {
  using notes = makeNotes(`\n  - { match: "notes.get", class: readonly }\n`);
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("remove", { key: "a" }));
  expect(notes.received()).toEqual([]);
  expect(await actions(notes)).toMatchObject([{ id: held, tool: "remove", class: "irreversible", status: "held", reason: "unmentioned" }]);
  expect((await notes.run("approve", held)).code).toBe(0);
  await agent.call("remove", { key: "a" });
  expect(notes.received()).toEqual([{ name: "remove", args: { key: "a" } }]);
  expect((await actions(notes)).at(-1)).toMatchObject({ status: "permanent", reason: "irreversible" });
});

test("P5: an unmentioned name that the server never listed is held too", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.request("tools/list");
  expect(textOf(await agent.call("drop_everything"))).toContain("the server's own list");
  expect(textOf(await agent.call("__proto__"))).toContain("Held by Synartesis");
  expect(notes.received()).toEqual([]);
  expect((await actions(notes)).map(({ status, reason }) => [status, reason])).toEqual([
    ["held", "tool-unlisted"],
    ["held", "tool-unlisted"],
  ]);
});

test("P5: a tool's name in another case, or with something around it, isn't the tool that a rule allows", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  for (const name of ["Get", "get ", "notes.get", "get\u0000", ""])
    expect(textOf(await agent.call(name, { key: "a" }))).toContain("Held by");
  expect(notes.received()).toEqual([]);
});

const MALFORMED = {
  "a class that doesn't exist": [`\n  - match: "notes.get"\n    class: harmless\n`, 8, 12],
  "a key that doesn't exist": [`\n  - match: "notes.get"\n    class: readonly\n    gates: never\n`, 9, 5],
  "a rule given twice": [`\n  - { match: "notes.get", class: readonly }\n  - { match: "notes.get", class: irreversible }\n`, 8, 14],
  "a server that doesn't exist": [`\n  - { match: "nodes.get", class: readonly }\n`, 7, 14],
  "no YAML": [`\n  - { match: "notes.get"\n`, undefined, undefined],
} as const;

for (const [what, [rules, line, column]] of Object.entries(MALFORMED)) {
  test(`P5: a policy with ${what} stops the proxy, with the place and nothing on stdout`, async () => {
    using notes = makeNotes(rules);
    const ended = await notes.run("proxy");
    expect(ended).toMatchObject({ code: 2, out: "" });
    expect(ended.err).toContain(line === undefined ? "synartesis.yaml:" : `synartesis.yaml:${line}:${column}`);
    expect(ended.err).toMatch(/synartesis\.yaml:\d+:\d+/);
    expect(notes.received()).toEqual([]);
  });
}

// A server that dies in the middle of a session.
import { expect, test } from "bun:test";
import { Agent, textOf } from "../support/agent.ts";
import { makeNotes } from "../support/notes.ts";

interface Shown {
  readonly actions: { readonly tool: string; readonly status: string; readonly reason: string | null }[];
}

test("P4: a server that dies takes its call with it as unknown, is started once more, and the session goes on", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("set", "die-after");
  const lost = await agent.request("tools/call", { name: "set", arguments: { key: "a", value: "lost" } });
  expect(lost.error?.message).toContain("It is not known whether it took effect");
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("lost");
  expect((await agent.call("set", { key: "b", value: "after" })).isError).toBeUndefined();
  await agent.end();
  const { actions } = await notes.json<Shown>("show");
  expect(actions.map(({ tool, status }) => [tool, status])).toEqual([
    ["set", "unknown"],
    ["get", "applied"],
    ["set", "applied"],
  ]);
});

test("P1: a server that dies twice is not started again, and every request is told so", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  for (const _ of ["once", "twice"]) {
    notes.trouble("get", "die-before");
    const reply = await agent.request("tools/call", { name: "get", arguments: { key: "a" } });
    expect(reply.error?.message).toContain("its reply was lost");
  }
  const reply = await agent.request("tools/call", { name: "get", arguments: { key: "a" } });
  expect(reply.error?.message).toContain("was not sent, so nothing has changed");
  const listed = await agent.request("tools/list");
  expect(listed.error?.message).toContain("exited with code 7");
  const changed = await agent.call("set", { key: "a", value: "x" });
  expect(changed.isError).toBe(true);
  expect(notes.state().notes["a"]).toBe("first");
});

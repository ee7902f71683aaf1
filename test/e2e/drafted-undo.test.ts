// Does a policy that init proposes, accepted as it is, keep its word? An ordinary server with a draft, an agent's calls, a person's edit, undo.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runOf } from "../support/agent.ts";
import { expectIntact, stepsOf, undo } from "../support/documents.ts";
import { BUN, makeSandbox, type Sandbox } from "../support/sandbox.ts";

type Tickets = Record<string, { title: string; body: string }>;

const FIRST = { "T-1": { title: "first", body: "of a person" } };
const stateFile = (sandbox: Sandbox) => join(sandbox.folder, "tickets.json");
const ticketsOf = (sandbox: Sandbox): Tickets => JSON.parse(readFileSync(stateFile(sandbox), "utf8")).tickets;

/** What a person does in the server itself. */
function setTickets(sandbox: Sandbox, tickets: Tickets, next = 2): void {
  writeFileSync(stateFile(sandbox), JSON.stringify({ next, tickets }));
}

/** A sandbox with the tickets server, and the draft for it accepted whole; `gone`: the server's words for a ticket that isn't there. */
async function draftedTickets(gone = "no such ticket"): Promise<Sandbox> {
  const sandbox = makeSandbox();
  setTickets(sandbox, FIRST);
  const server = [BUN, join(import.meta.dir, "../support/tickets-server.ts"), "--state", stateFile(sandbox), "--gone", gone];
  const { code, err } = await sandbox.run("init", "tickets", "--accept", "all", "--manifest", "synartesis.yaml", "--", ...server);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return sandbox;
}

test("P3: undo with a drafted policy halts at a ticket that a person changed since the agent made it", async () => {
  using sandbox = await draftedTickets();
  await runOf(sandbox, ["create_ticket", { title: "new", body: "by the agent" }]);
  const rewritten = { ...FIRST, "T-2": { title: "new", body: "a person's work" } };
  setTickets(sandbox, rewritten, 3);
  const ended = await sandbox.run("undo", "--yes");
  expect(ended.code).toBe(1);
  expect(ended.out).toContain("it was changed since");
  expect(ticketsOf(sandbox)).toEqual(rewritten);
});

test("P2: undo with a drafted policy takes away what the agent made, writes back what it changed, and reads both back", async () => {
  using sandbox = await draftedTickets();
  await runOf(
    sandbox,
    ["update_ticket", { id: "T-1", title: "first", body: "by the agent" }],
    ["create_ticket", { title: "new", body: "" }],
    ["update_ticket", { id: "T-2", title: "new", body: "more" }],
  );
  const done = await undo(sandbox);
  expect(done).toMatchObject({ state: "undone", steps: [{ verified: true }, { verified: true }, { verified: true }] });
  expect(ticketsOf(sandbox)).toEqual(FIRST);
});

test("undo with a drafted policy makes anew what the agent deleted, once, and goes on; that isn't called verified", async () => {
  using sandbox = await draftedTickets();
  setTickets(sandbox, { ...FIRST, "T-2": { title: "second", body: "of a person" } }, 3);
  await runOf(sandbox, ["update_ticket", { id: "T-1", title: "first", body: "by the agent" }], ["delete_ticket", { id: "T-2" }]);
  const done = await undo(sandbox);
  expect(stepsOf(done)).toEqual([
    [2, "restore", "undone"],
    [1, "restore", "undone"],
  ]);
  expect(done).toMatchObject({ state: "undone", steps: [{ verified: false }, { verified: true }] });
  const whole = { ...FIRST, "T-3": { title: "second", body: "of a person" } };
  expect(ticketsOf(sandbox)).toEqual(whole);
  await sandbox.run("undo", done.run, "--yes");
  expect(ticketsOf(sandbox)).toEqual(whole);
  await expectIntact(sandbox);
});

test.each([
  ["changed", [["update_ticket", { id: "T-1", title: "first", body: "by the agent" }]], "T-1"],
  ["made", [["create_ticket", { title: "new", body: "by the agent" }]], "T-2"],
] as const)(
  "P3: what the agent %s and then deleted is made anew under another name, and isn't called undone: undo halts there",
  async (_what, calls, id) => {
    using sandbox = await draftedTickets();
    await runOf(sandbox, ...calls.map(([tool, args]): [string, object] => [tool, args]), ["delete_ticket", { id }]);
    const ended = await sandbox.run("undo", "--yes");
    expect(ended.code).toBe(1);
    expect(ended.out).toContain("Halted at 1");
    expect(ended.out).toContain("made anew under another name");
    expect(ended.out).not.toContain("--overwrite");
    expect(Object.values(ticketsOf(sandbox)).map(({ body }) => body)).toContain("by the agent");
    const again = await sandbox.run("undo", "--yes");
    expect(again.code).toBe(1);
    expect(again.out).toContain("Halted at 1");
    const left = await sandbox.run("undo", "--yes", "--skip", "1");
    expect(left.out).toContain("still standing: 1");
  },
);

test("where a drafted guess isn't how the server says it, undo halts and says what to do; with the right words and --replan it comes through", async () => {
  using sandbox = await draftedTickets("unknown ticket");
  await runOf(sandbox, ["delete_ticket", { id: "T-1" }]);
  const halted = await sandbox.run("undo", "--yes");
  expect(halted.code).toBe(1);
  expect(halted.out).toContain("put its words into the rule's absent_when");
  expect(halted.out).not.toContain("what others changed");
  expect(ticketsOf(sandbox)).toEqual({});
  const manifest = join(sandbox.folder, "synartesis.yaml");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll('"no such"', '"unknown ticket"'));
  const done = await undo(sandbox, "--replan");
  expect(done).toMatchObject({ state: "undone", steps: [{ end: "undone", verified: false }] });
  expect(ticketsOf(sandbox)).toEqual({ "T-2": FIRST["T-1"] });
});

// What can a rule do with a server that the agent never sees? Whatever it could do with the called one: capture, observe, put back, also while the
// session goes on; and nothing of it reaches the agent.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, childrenOf, isRunning, textOf } from "../support/agent.ts";
import { undo, until } from "../support/documents.ts";
import { HttpAgent, serve } from "../support/http.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { BUN } from "../support/sandbox.ts";
import { makeTwoNotes } from "../support/two-notes.ts";

const RULES = `
  - { match: "notes.get", class: readonly }
  - { match: "notes.list", class: readonly }
  - match: "notes.create"
    class: compensable
    observe: { tool: "store.get", args: { key: "$result.key" }, absent_when: ["no such note"] }
    inverse: { tool: "store.remove", args: { key: "$result.key" } }
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "store.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "store.set", args: { key: "$.key", value: "$snapshot.value" } }
`;

interface Hidden extends NotesSandbox {
  /** Tool calls that the hidden server had, over all its processes. */
  stored(): string[];
  /** The arguments with which it was asked for a tool. */
  asked(tool: string): object[];
  /** How often it was started. */
  starts(): number;
}

/** Notes whose way back is on a hidden server over the same state. `more` goes into its entry. */
function makeHidden(more = ""): Hidden {
  const notes = makeNotes();
  const log = join(notes.folder, "store.log");
  const args = JSON.stringify([
    ...[join(import.meta.dir, "../support/notes-server.ts"), "--state", join(notes.folder, "notes.json")],
    ...["--log", log, "--name", "hidden-store"],
  ]);
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8").split("tools:")[0];
  const hidden = `  store: { command: ${JSON.stringify(BUN)}, args: ${args}, hidden: true${more} }`;
  notes.write("synartesis.yaml", `${manifest}${hidden}\ntools:${RULES}`);
  const lines = (file: string) => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
  const calls = () => lines(log).map((line) => JSON.parse(line) as { name: string; args: object });
  return {
    ...notes,
    stored: () => calls().map(({ name }) => name),
    asked: (tool) => calls().flatMap(({ name, args }) => (name === tool ? [args] : [])),
    starts: () => lines(`${log}.heard`).filter((line) => line.includes('"initialize"')).length,
  };
}

test("P1: a hidden server's tools are not listed, it can't be an entry of its own, and it isn't started before a rule needs it", async () => {
  using notes = makeHidden();
  await using agent = await Agent.start(notes);
  const { result } = await agent.request("tools/list");
  const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect(names).toContain("create");
  expect(names.filter((name) => name.includes("store") || name.includes("__"))).toEqual([]);
  await agent.call("get", { key: "a" });
  expect(notes.starts()).toBe(0);
  await agent.call("set", { key: "a", value: "agent's" });
  await agent.call("set", { key: "b", value: "agent's" });
  expect(notes.starts()).toBe(1);
  const refused = await notes.run("proxy", "--server", "store");
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('the manifest has no server "store"')]);
});

test("P3: what a hidden server captured and observed is put back through it, and done again by redo", async () => {
  using notes = makeHidden();
  const before = notes.state().notes;
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "agent's" });
  await agent.call("create", { value: "new" });
  await agent.end();
  const after = notes.state().notes;
  expect(after).toEqual({ ...before, a: "agent's", n1: "new" });
  expect((await notes.run("undo", "--yes")).code).toBe(0);
  expect(notes.state().notes).toEqual(before);
  expect(notes.stored().filter((tool) => tool !== "get")).toEqual(["remove", "set"]);
  expect((await notes.run("redo", "--yes")).out).toContain("notes.create");
  expect(Object.values(notes.state().notes).toSorted()).toEqual(Object.values(after).toSorted());
});

test("P3: a note that somebody changed since is not removed through a hidden server", async () => {
  using notes = makeHidden();
  const agent = await Agent.start(notes);
  await agent.call("create", { value: "new" });
  await agent.end();
  notes.setState({ ...notes.state(), notes: { n1: "a person's" } });
  expect((await notes.run("undo", "--yes")).code).toBe(1);
  expect(notes.state().notes).toEqual({ n1: "a person's" });
  expect(notes.stored()).not.toContain("remove");
});

test("P3: what was made where nothing was is taken away by what it is at the time of the undo", async () => {
  using notes = makeHidden();
  const absent =
    '\n    when_absent: { class: compensable, inverse: { tool: "store.remove", args: { key: "$.key", was: "$current.value" } } }';
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  notes.write(
    "synartesis.yaml",
    manifest.replace(/"\$snapshot.value" } }/, (found) => `${found}${absent}`),
  );
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "new", value: "agent's" });
  await agent.end();
  expect((await notes.run("show")).out).toContain("$current.value");
  expect((await notes.run("undo", "--yes")).code).toBe(0);
  expect(notes.state().notes).not.toHaveProperty("new");
  expect(notes.asked("remove")).toEqual([{ key: "new", was: "agent's" }]);
});

test("an undo of a session that goes on uses the hidden server that the proxy has started", async () => {
  using notes = makeHidden();
  const before = notes.state().notes;
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "agent's" });
  expect((await notes.run("undo", "--yes", "--live")).code).toBe(0);
  expect(notes.state().notes).toEqual(before);
  expect(notes.starts()).toBe(1);
});

test("a hidden server ends with the proxy", async () => {
  using notes = makeHidden();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "agent's" });
  const servers = childrenOf(await agent.proxyPid());
  await agent.end();
  expect([notes.starts(), servers.length >= 2, servers.filter(isRunning)]).toEqual([1, true, []]);
});

test("P3: behind one entry for several servers, a rule uses another one of them as the agent does, and hidden ones stay hidden", async () => {
  const hidden = `store: { command: ${JSON.stringify(BUN)}, args: [${JSON.stringify(join(import.meta.dir, "../support/notes-server.ts"))}], hidden: true }`;
  using notes = makeTwoNotes([hidden]);
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  // What is sent on the left is taken back on the right.
  const rule = '- match: "left.send"\n    class: compensable\n    inverse: { tool: "right.set", args: { key: "sent", value: "$.to" } }';
  notes.write("synartesis.yaml", manifest.replace('- match: "left.send"\n    class: irreversible', rule));
  const agent = await Agent.start(notes);
  const { result } = await agent.request("tools/list");
  const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect([names.some((name) => name.startsWith("right__")), names.filter((name) => name.includes("store"))]).toEqual([true, []]);
  await agent.call("left__send", { to: "somebody" });
  expect((await notes.run("undo", "--yes", "--live")).code).toBe(0);
  expect([notes.state("left").sent, notes.state("right").notes["sent"]]).toEqual([["somebody"], "somebody"]);
  await agent.end();
});

test("a hidden server that has ended is started again when a rule needs it", async () => {
  using notes = makeHidden();
  await using agent = await Agent.start(notes);
  notes.trouble("get", "die-before");
  const refused = await agent.call("set", { key: "a", value: "lost" });
  expect([refused.isError, textOf(refused)]).toEqual([
    true,
    expect.stringContaining("the policy's own server ended before it answered get"),
  ]);
  expect(notes.state().notes["a"]).toBe("first");
  await until("the next call finds it", async () => (await agent.call("set", { key: "a", value: "agent's" })).isError !== true);
  expect(notes.starts()).toBe(2);
});

test("P2: a change whose state only a hidden server shows is refused where that can't be started", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the manifest's own notation
  using notes = makeHidden(', env: { X: "${NOT_SET}" }');
  await using agent = await Agent.start(notes);
  const refused = await agent.call("set", { key: "a", value: "agent's" });
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining("NOT_SET")]);
  expect(textOf(refused)).not.toContain("store");
  expect(notes.state().notes["a"]).toBe("first");
});

test("why a call is refused, or what failed its verification, is told the agent without a hidden server's name, and people with it", async () => {
  using notes = makeHidden();
  const check = `verify: [{ name: "it is there", read: { tool: "store.list" }, expect: { notes: none } }]`;
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  notes.write("synartesis.yaml", `${manifest}  - { match: "notes.send", class: irreversible, gate: never, ${check} }\n`);
  await using agent = await Agent.start(notes);
  notes.trouble("get", "error-before");
  const refused = textOf(await agent.call("set", { key: "a", value: "agent's" }));
  expect(refused).toContain("Why: the policy's own look answered:");
  const refuted = textOf(await agent.call("send", { to: "somebody" }));
  expect(refuted).toContain("it is there (the policy's own look):");
  expect(`${refused}${refuted}`).not.toContain("store");
  expect((await notes.run("show")).out).toMatch(/store\.get answered[\s\S]*store\.list/);
});

test("check compares a hidden server with the rules, and doesn't ask for rules for its tools; list shows only what the agent sees", async () => {
  using notes = makeHidden();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "agent's" });
  await agent.end();
  const checked = await notes.json<{ errors: number; findings: { message: string }[] }>("check");
  expect(checked.errors).toBe(0);
  expect(checked.findings.filter(({ message }) => message.includes("store"))).toEqual([]);
  const { runs } = await notes.json<{ runs: { servers: string[] }[] }>("list");
  expect(runs.map(({ servers }) => servers)).toEqual([["notes"]]);
});

test("today's policy can put back through a hidden server that it has added since", async () => {
  using notes = makeHidden();
  const withStore = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  notes.setRules('\n  - { match: "notes.*", class: irreversible, gate: never }\n');
  const agent = await Agent.start(notes);
  await agent.call("create", { value: "new" });
  await agent.end();
  notes.write("synartesis.yaml", withStore);
  expect((await notes.run("undo", "--yes", "--replan")).code).toBe(0);
  expect(notes.state().notes).not.toHaveProperty("n1");
});

test("P1: by HTTP too, a rule reads and puts back through a hidden server that no client sees, also while the session goes on", async () => {
  using notes = makeHidden();
  await using served = await serve(notes);
  const agent = await HttpAgent.start(served.url);
  const { result } = await agent.request("tools/list");
  expect((result as { tools: { name: string }[] }).tools.map(({ name }) => name)).not.toContain("store__get");
  await agent.call("set", { key: "a", value: "agent's" });
  expect(notes.state().notes["a"]).toBe("agent's");
  expect(notes.asked("get")[0]).toEqual({ key: "a" });
  expect((await undo(notes, "--live")).state).toBe("undone");
  expect(notes.asked("set")).toEqual([{ key: "a", value: "first" }]);
  expect(notes.state().notes["a"]).toBe("first");
  expect(notes.starts()).toBe(1);
});

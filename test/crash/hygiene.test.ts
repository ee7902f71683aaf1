// What is left when the proxy ends, in whatever way: no process that it started, and a journal that says how far it got. And what does it say when
// it can't start, or when the client says something broken?
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { Agent } from "../support/agent.ts";
import { journalFile, runs } from "../support/documents.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { until } from "../support/patience.ts";
import { EXECUTABLE } from "../support/sandbox.ts";
import { afterCrash, gone, kill, serverBelow, treeOf } from "./scene.ts";

const SET = { key: "a", value: "the agent's" };

/** Starts the proxy without saying anything to it. */
function startSilent(notes: NotesSandbox, ...words: string[]): Bun.Subprocess<"pipe", "pipe", "pipe"> {
  return Bun.spawn([EXECUTABLE, "proxy", ...words], { cwd: notes.folder, env: notes.env, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
}

test("EOF before the first message ends everything, and leaves no journal", async () => {
  using notes = makeNotes();
  const proxy = startSilent(notes);
  await until("the server runs", () => treeOf(proxy.pid).length > 1);
  const pids = treeOf(proxy.pid);
  proxy.stdin.end();
  expect(await proxy.exited).toBe(0);
  await gone(pids);
  expect(existsSync(journalFile(notes))).toBe(false);
});

test("EOF that is there before the proxy reads ends it as well", async () => {
  using notes = makeNotes();
  const proxy = Bun.spawn([EXECUTABLE, "proxy"], { cwd: notes.folder, env: notes.env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  expect(await proxy.exited).toBe(0);
  expect(await proxy.stdout.text()).toBe("");
});

test("a client that only asks which era the server speaks leaves no run behind", async () => {
  using notes = makeNotes();
  const proxy = startSilent(notes);
  const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  proxy.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta: meta } })}\n`);
  const { value } = await proxy.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toContain('"id":1');
  proxy.stdin.end();
  expect(await proxy.exited).toBe(0);
  expect(existsSync(journalFile(notes))).toBe(false);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("%s ends everything in order, and the run with it", async (signal) => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", SET);
  const pids = treeOf(agent.child.pid);
  kill(await agent.proxyPid(), signal);
  expect(await agent.child.exited).toBe(0);
  await gone(pids);
  const { run, actions } = await afterCrash(notes);
  expect(run.state).toBe("ended");
  expect(actions.map(({ status }) => status)).toEqual(["applied"]);
});

test("P2: SIGKILL: the server sees its input end and goes, and nothing is written any more", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("set", SET);
  const pids = treeOf(agent.child.pid);
  kill(await agent.proxyPid());
  await gone(pids);
  const reached = notes.received().length;
  expect((await afterCrash(notes)).actions.map(({ status }) => status)).toEqual(["applied"]);
  expect(notes.received()).toHaveLength(reached);
});

test.each([[["--ignore-eof"]], [["--ignore-eof", "--ignore-term"]]])(
  "a server that ignores its end (%s) is ended after a grace period",
  async (options) => {
    using notes = makeNotes(undefined, options);
    await using agent = await Agent.start(notes);
    await agent.call("set", SET);
    const pids = treeOf(agent.child.pid);
    expect(await agent.end()).toBe(0);
    await gone(pids);
    expect((await afterCrash(notes)).run.state).toBe("ended");
  },
);

test("P2: SIGKILL with a server that ignores the end of its input: it is ended all the same", async () => {
  using notes = makeNotes(undefined, ["--ignore-eof"]);
  await using agent = await Agent.start(notes);
  await agent.call("set", SET);
  const pids = treeOf(agent.child.pid);
  const server = serverBelow(await agent.proxyPid());
  expect(pids).toContain(server);
  kill(await agent.proxyPid());
  await gone(pids);
  expect((await afterCrash(notes)).actions.map(({ status }) => status)).toEqual(["applied"]);
});

test("a server that can't start: the client is told what it printed last", async () => {
  using notes = makeNotes();
  const proxy = startSilent(notes, "--server", "notes", "--", "sh", "-c", "echo 'set TOKEN first' >&2; exit 3");
  proxy.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n');
  const { value } = await proxy.stdout.getReader().read();
  const answer = JSON.parse(new TextDecoder().decode(value));
  expect(answer).toMatchObject({ id: 1, error: { code: -32603 } });
  expect(answer.error.message).toContain("set TOKEN first");
  proxy.stdin.end();
  expect(await proxy.exited).toBe(0);
  expect(await proxy.stderr.text()).toContain("set TOKEN first");
});

test("a command that isn't there is a configuration error, with its name and what to do", async () => {
  using notes = makeNotes();
  const proxy = startSilent(notes, "--server", "notes", "--", "no-such-command");
  expect(await proxy.exited).toBe(2);
  expect(await proxy.stdout.text()).toBe("");
  expect(await proxy.stderr.text()).toContain("no-such-command");
});

test("broken lines of the client get the errors they deserve, and the session goes on", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  agent.send('{"jsonrpc":"2.0","id":5,"method"');
  agent.send("[]");
  agent.send('{"jsonrpc":"2.0"}');
  await agent.request("ping");
  const errors = agent.lines.map((line) => JSON.parse(line)).filter(({ error }) => error !== undefined);
  expect(errors.map(({ id, error }) => [id, error.code])).toEqual([
    [null, -32700],
    [null, -32600],
    [null, -32600],
  ]);
});

test("P2: a client that starts the proxy twice at once hurts nothing: both serve, both end, one record", async () => {
  using notes = makeNotes();
  const [one, two] = await Promise.all([Agent.start(notes), Agent.start(notes)]);
  const pids = [...treeOf(one.child.pid), ...treeOf(two.child.pid)];
  await Promise.all([one.call("set", { key: "a", value: "1" }), two.call("set", { key: "b", value: "2" })]);
  await Promise.all([one.end(), two.end()]);
  await gone(pids);
  await afterCrash(notes);
  expect((await runs(notes)).map(({ state, calls }) => `${state} ${calls}`)).toEqual(["ended 1", "ended 1"]);
});

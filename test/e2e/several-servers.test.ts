// All servers of a manifest behind one entry, as a client and a person see them.
import { expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { schemaMark } from "../../src/core/schema-mark.ts";
import { openJournal } from "../../src/journal/open.ts";
import { Agent, childrenOf, heldId, type RpcReply, textOf } from "../support/agent.ts";
import { type ActionDocument, actions, expectIntact, journalFile, runs, stepsOf, undo, until } from "../support/documents.ts";
import { HttpAgent, modernPost, replyOf, serve } from "../support/http.ts";
import { breakWrites, makeHttpNotes } from "../support/http-notes.ts";
import { serveHttp } from "../support/http-server.ts";
import { makeNotes } from "../support/notes.ts";
import { BUN, EXECUTABLE, makeSandbox } from "../support/sandbox.ts";
import { makeTwoNotes } from "../support/two-notes.ts";

/** A manifest with `notes`, at a URL, and `files`, a program. */
function makeMixedNotes() {
  const server = join(import.meta.dir, "../support/notes-server.ts");
  const files = `files: { command: ${JSON.stringify(BUN)}, args: [${JSON.stringify(server)}, --state, s.json] }`;
  const notes = makeHttpNotes({}, serveHttp(), [files]);
  notes.write("s.json", JSON.stringify({ next: 1, notes: { a: "of the program" }, sent: [] }));
  return notes;
}

const toolNames = (reply: RpcReply) => (reply.result as { tools: { name: string }[] }).tools.map(({ name }) => name);
const methods = (agent: Agent) => agent.lines.map((line) => (JSON.parse(line) as { method?: string }).method);
const NAMES = ["get", "list", "set", "create", "remove", "send"];

test("P1: the tools of all servers are there as server__tool, and what they do is one run, with server and tool apart", async () => {
  using notes = makeTwoNotes();
  await using agent = await Agent.start(notes);
  const hello = JSON.parse(agent.lines[0] ?? "");
  expect(hello.result.serverInfo.name).toBe("synartesis");
  expect(toolNames(await agent.request("tools/list"))).toEqual([
    ...NAMES.map((name) => `left__${name}`),
    ...NAMES.map((name) => `right__${name}`),
  ]);
  await agent.call("left__set", { key: "a", value: "L" });
  await agent.call("right__set", { key: "a", value: "R" });
  expect(textOf(await agent.call("right__get", { key: "a" }))).toContain('"R"');
  expect(await agent.end()).toBe(0);
  expect([notes.state("left").notes["a"], notes.state("right").notes["a"]]).toEqual(["L", "R"]);
  expect(await runs(notes)).toHaveLength(1);
  const recorded = (await actions(notes)) as readonly (ActionDocument & { server: string })[];
  expect(recorded.map(({ server, tool, status }) => [server, tool, status])).toEqual([
    ["left", "set", "applied"],
    ["right", "set", "applied"],
    ["right", "get", "applied"],
  ]);
  await expectIntact(notes);
});

test("P3: the run remembers for every server what the tools take that its undo calls", async () => {
  using notes = makeTwoNotes();
  await using agent = await Agent.start(notes);
  await agent.request("tools/list");
  await agent.call("left__set", { key: "a", value: "L" });
  await agent.end();
  const journal = await openJournal({ file: journalFile(notes), mode: "existing" });
  const [run] = await journal.runs();
  await journal.close();
  const schema = (...required: string[]) =>
    schemaMark({ type: "object", properties: Object.fromEntries(required.map((name) => [name, { type: "string" }])), required });
  const schemas = { get: schema("key"), set: schema("key", "value"), remove: schema("key") };
  expect(run?.servers.map((server) => [server.name, server.schemas])).toEqual([
    ["left", schemas],
    ["right", schemas],
  ]);
});

test("P3: undo puts back what was done on every server, and starts only those that it needs", async () => {
  const started = "idle-started";
  using notes = makeTwoNotes([`idle: { command: sh, args: ["-c", "touch ${started}; exec cat >/dev/null"] }`]);
  await using agent = await Agent.start(notes);
  await agent.call("left__set", { key: "a", value: "L" });
  await agent.call("right__create", { value: "R" });
  await agent.end();
  expect(existsSync(join(notes.folder, started))).toBe(true);
  rmSync(join(notes.folder, started));
  expect(stepsOf(await undo(notes))).toEqual([
    [2, "compensate", "undone"],
    [1, "restore", "undone"],
  ]);
  expect(notes.state("left").notes).toEqual({ a: "first", b: "second", c: "third" });
  expect(notes.state("right").notes).toEqual({ a: "first", b: "second", c: "third" });
  expect(existsSync(join(notes.folder, started))).toBe(false);
});

test("P6: a held call names server and tool, and an approval lets exactly that server's call pass", async () => {
  using notes = makeTwoNotes();
  await using agent = await Agent.start(notes);
  const held = await agent.call("right__send", { to: "ann" });
  expect(textOf(held)).toContain("Held by Synartesis: right.send was not carried out");
  expect((await notes.run("approve", heldId(held))).code).toBe(0);
  expect(textOf(await agent.call("left__send", { to: "ann" }))).toContain("Held by Synartesis: left.send");
  expect(textOf(await agent.call("right__send", { to: "ann" }))).not.toContain("Held");
  expect([notes.state("left").sent, notes.state("right").sent]).toEqual([[], ["ann"]]);
});

test("P1: a server that can't be started, and one that dies, leave the others working; the client is told that the list has changed", async () => {
  using notes = makeTwoNotes([
    "ghost: { command: no-such-command-here }",
    'broken: { command: sh, args: ["-c", "echo TOKEN is missing >&2; exit 3"] }',
  ]);
  await using agent = await Agent.start(notes, ["--log-level", "error"]);
  expect(toolNames(await agent.request("tools/list"))).toHaveLength(12);
  for (const name of ["ghost__x", "broken__x"]) {
    const reply = await agent.request("tools/call", { name, arguments: {} });
    expect(reply.error?.message).toMatch(/can't answer: .*(no-such-command-here|TOKEN is missing).* This request was not sent to it/s);
  }
  for (const _ of ["once", "twice"]) {
    notes.trouble("left", "get", "die-before");
    const lost = await agent.request("tools/call", { name: "left__get", arguments: { key: "a" } });
    expect(lost.error?.message).toContain("its reply was lost");
  }
  await until("the client hears of it", () => methods(agent).includes("notifications/tools/list_changed"));
  expect(toolNames(await agent.request("tools/list"))).toEqual(NAMES.map((name) => `right__${name}`));
  const gone = await agent.request("tools/call", { name: "left__get", arguments: { key: "a" } });
  expect(gone.error?.message).toContain("the server left can't answer: it exited with code 7");
  await agent.call("right__set", { key: "a", value: "still" });
  expect(notes.state("right").notes["a"]).toBe("still");
  await agent.end();
  const log = await agent.stderr;
  expect(log).toContain("no-such-command-here");
  expect(log).toContain("TOKEN is missing");
});

test("P1: a variable that isn't set, or holds what can't be sent, leaves out the server that needs it alone, and says where it stands", async () => {
  using notes = makeTwoNotes([
    `unset: { command: cat, env: { A: "\${NO_SUCH_VARIABLE}" } }`,
    `header: { url: "http://127.0.0.1:9/mcp", headers: { X: "\${TWO_LINES}" } }`,
  ]);
  notes.env["TWO_LINES"] = "secret\r\nX-Forged: 1";
  await using agent = await Agent.start(notes);
  expect(toolNames(await agent.request("tools/list"))).toHaveLength(12);
  const why = async (name: string) => (await agent.request("tools/call", { name, arguments: {} })).error?.message;
  expect(await why("unset__x")).toMatch(
    /the server unset can't answer: the environment variable `NO_SUCH_VARIABLE` is not set \(.*synartesis\.yaml:5:36\)\./,
  );
  expect(await why("header__x")).toContain("the value of the header X has characters that a header can't hold");
  await agent.call("left__set", { key: "a", value: "L" });
  await agent.end();
  const log = await agent.stderr;
  expect(log).toContain("`NO_SUCH_VARIABLE` is not set");
  expect(log).not.toContain("secret");
  expect((await undo(notes)).state).toBe("undone");
  const { code, out } = await notes.run("check");
  expect([code, out.includes("left: 6 tools")]).toEqual([2, true]);
  expect(out).toContain("server `header` can't be checked: ");
});

test("P5: where no server can be started, or the manifest itself is wrong, the proxy doesn't start", async () => {
  using sandbox = makeSandbox();
  const start = async (servers: string) => {
    sandbox.write("synartesis.yaml", `version: 1\nservers:\n${servers}tools: []\n`);
    const { code, out, err } = await sandbox.run("proxy");
    expect([code, out]).toEqual([2, ""]);
    return err;
  };
  const needy = (name: string) => `  ${name}: { command: cat, args: ["\${NO_${name.toUpperCase()}}"] }\n`;
  expect(await start(needy("a") + needy("b"))).toContain("the environment variable `NO_A` is not set (");
  const fine = "  a: { command: cat }\n";
  expect(await start(`${fine}  b: { command: cat, args: ["\${1}"] }\n`)).toContain("synartesis.yaml:4:29: error: malformed variable");
  const header = `${fine}  b: { url: "https://x.example/mcp", headers: { X: "a\\nb" } }\n`;
  expect(await start(header)).toContain("synartesis.yaml:4:52: error: the value of the header `X` has characters");
  expect(await start(`${fine}  b: { url: "localhost:80" }\n`)).toContain(
    "synartesis.yaml:4:13: error: `url` must be an http or https address",
  );
});

test("P1: a server that is started once more goes on under its name", async () => {
  using notes = makeTwoNotes();
  await using agent = await Agent.start(notes);
  notes.trouble("left", "set", "die-after");
  const lost = await agent.request("tools/call", { name: "left__set", arguments: { key: "a", value: "lost" } });
  expect(lost.error?.message).toContain("It is not known whether it took effect");
  expect(textOf(await agent.call("left__get", { key: "a" }))).toContain("lost");
  expect(toolNames(await agent.request("tools/list"))).toHaveLength(12);
});

test("everything that was started ends with the client", async () => {
  using notes = makeTwoNotes();
  await using agent = await Agent.start(notes);
  const servers = childrenOf(await agent.proxyPid());
  expect(servers).toHaveLength(4); // beside each its guardian
  expect(await agent.end()).toBe(0);
  for (const pid of servers) expect(() => process.kill(pid, 0)).toThrow();
});

test("P1: with one server in the manifest, or one that is named, tools keep their names", async () => {
  using one = makeNotes();
  await using only = await Agent.start(one);
  expect(toolNames(await only.request("tools/list"))).toEqual(NAMES);
  using two = makeTwoNotes();
  await using named = await Agent.start(two, ["--server", "right"]);
  expect(toolNames(await named.request("tools/list"))).toEqual(NAMES);
  await named.call("set", { key: "a", value: "R" });
  expect(two.state("right").notes["a"]).toBe("R");
});

test("a tool's name that clients refuse is named on stderr by the proxy, and by check, with what to do", async () => {
  const long = "a-server-with-a-name-that-leaves-hardly-any-room-for-its-tools";
  using notes = makeTwoNotes([
    `${long}: { command: ${JSON.stringify(BUN)}, args: ["${join(import.meta.dir, "../support/notes-server.ts")}"] }`,
  ]);
  await using agent = await Agent.start(notes);
  expect(toolNames(await agent.request("tools/list"))).toContain(`${long}__get`);
  await agent.end();
  const line = (await agent.stderr).split("\n").find((text) => text.includes(`${long}__get`));
  expect(line).toContain("more than 64");
  expect(line).toContain(`synartesis proxy --server ${long}`);
  const check = await notes.run("check");
  expect(check.code).toBe(0);
  expect(check.out).toContain(`\`${long}__get\` has 67 characters, more than 64`);
});

test("where several servers can't stand behind one entry, the proxy says why and what to do, and exits with 2", async () => {
  using sandbox = makeSandbox();
  const start = async (servers: string, ...words: string[]) => {
    sandbox.write("synartesis.yaml", `version: 1\nservers:\n${servers}tools:\n  - { match: "*.*", class: irreversible }\n`);
    return sandbox.run("proxy", ...words);
  };
  const cases = [
    [await start("  a: { command: cat }\n  a_: { command: cat }\n"), "could be either one's", "rename one of them"],
    [
      await start("  a: { via: { client: x, file: x.json, name: a } }\n  b: { via: { client: x, file: x.json, name: b } }\n"),
      "no such client is known",
      "claude-code",
    ],
    [await start("  a: { command: cat }\n  b: { command: cat }\n", "--", "cat"), "a command after -- needs --server", "a, b"],
    [await start("  a: { command: cat }\n  b: { command: cat }\n", "--server", "c"), 'no server "c"', "a, b"],
    [await start("  a: { command: no-such-1 }\n  b: { command: no-such-2 }\n"), "no-such-1", "is it installed"],
  ] as const;
  for (const [{ code, out, err }, why, what] of cases) {
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(why);
    expect(err).toContain(what);
  }
});

test("a server whose command is this very entry is left out, and nothing starts itself again and again", async () => {
  using notes = makeTwoNotes([`self: { command: ${JSON.stringify(EXECUTABLE)}, args: ["proxy"] }`]);
  await using agent = await Agent.start(notes);
  expect(toolNames(await agent.request("tools/list"))).toHaveLength(12);
  await agent.end();
  expect(await agent.stderr).toContain("would start itself again and again");
});

test("P1: a server at a URL stands beside a program; a reply that it loses is told, and undo reaches it", async () => {
  using notes = makeMixedNotes();
  await using agent = await Agent.start(notes);
  const names = toolNames(await agent.request("tools/list"));
  expect([names.includes("notes__set"), names.includes("files__set")]).toEqual([true, true]);
  breakWrites(notes, "it happened");
  const lost = await agent.request("tools/call", { name: "notes__set", arguments: { key: "a", value: "it happened" } });
  expect(lost.error?.message).toContain("It is not known whether it took effect");
  notes.first = () => undefined;
  expect((await agent.call("notes__set", { key: "b", value: "agent's" })).isError).toBeUndefined();
  await agent.end();
  expect((await actions(notes)).map(({ tool, status }) => [tool, status])).toEqual([
    ["set", "unknown"],
    ["set", "applied"],
  ]);
  expect((await undo(notes)).steps.map(({ seq, kind }) => [seq, kind])).toEqual([
    [2, "restore"],
    [1, "unknown"],
  ]);
  expect(notes.notes.get("b")).toBe("second");
});

test("P1: several servers, a program and one at a URL, serve clients by HTTP, each session with its own and a run of its own", async () => {
  using notes = makeMixedNotes();
  await using served = await serve(notes);
  const one = await HttpAgent.start(served.url, { name: "one" });
  await one.call("notes__set", { key: "a", value: "of one" });
  expect(await one.end()).toBe(200);
  const two = await HttpAgent.start(served.url, { name: "two" });
  expect((await two.call("files__get", { key: "a" })).text).toContain("Held by Synartesis: files.get");
  expect(notes.notes.get("a")).toBe("of one");
  expect(await two.end()).toBe(200);
  await until("both runs have ended", async () => (await runs(notes)).every(({ state }) => state === "ended"));
  expect(await runs(notes)).toHaveLength(2);
  await until("the server has been told of both ends", () => notes.ended.length === 2);
  await expectIntact(notes);
});

test("a client of the modern era is led back to initialize by servers that want that", async () => {
  using notes = makeMixedNotes();
  await using served = await serve(notes);
  const reply = await replyOf(await modernPost(served.url, { id: 1, method: "server/discover" }));
  expect(reply.error?.message).toContain("initialize");
});

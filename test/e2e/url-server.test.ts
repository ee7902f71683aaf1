// A server that is reached by URL, behind the executable: calls, a held one, undo, a session that ends, logins.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Agent, heldId, textOf } from "../support/agent.ts";
import { actions, expectIntact, runs, undo, until } from "../support/documents.ts";
import { breakWrites, type HttpNotes, journalOf, makeHttpNotes } from "../support/http-notes.ts";
import { type OAuthWorld, serveOAuth } from "../support/oauth-server.ts";

describe("a server at a URL", () => {
  test("P3: what an agent changed there is recorded, and put back by undo over a session of its own", async () => {
    using notes = makeHttpNotes();
    await using agent = await Agent.start(notes);
    expect((await agent.call("set", { key: "a", value: "agent's" })).isError).toBeUndefined();
    expect(textOf(await agent.call("get", { key: "a" }))).toContain("agent's");
    await agent.end();
    expect(notes.ended).toEqual(["s1"]);
    const done = await undo(notes);
    expect(done).toMatchObject({
      state: "undone",
      steps: [
        { seq: 2, kind: "skip" },
        { seq: 1, kind: "restore", end: "undone" },
      ],
    });
    expect([notes.notes.get("a"), notes.ended]).toEqual(["first", ["s1", "s2"]]);
    await expectIntact(notes);
  });

  test("P6: a call that can't be taken back waits for a person, and passes once", async () => {
    using notes = makeHttpNotes();
    await using agent = await Agent.start(notes);
    const held = heldId(await agent.call("send", { value: "hello" }));
    expect([notes.sent, notes.server.of("tools/call").length]).toEqual([[], 0]);
    expect((await notes.run("approve", held)).code).toBe(0);
    expect((await agent.call("send", { value: "hello" })).isError).toBeUndefined();
    heldId(await agent.call("send", { value: "hello" }));
    expect(notes.sent).toEqual(["hello"]);
  });

  test("P7: the secret in a header reaches the server, and never the journal or the log; undo expands it again", async () => {
    using notes = makeHttpNotes({ Authorization: `Bearer \${NOTES_TOKEN}` });
    notes.env["NOTES_TOKEN"] = "s3cret-of-the-test";
    const agent = await Agent.start(notes, ["--log-level", "debug"]);
    await agent.call("set", { key: "a", value: "new" });
    notes.first = ({ message }) => (message?.method === "x/refused" ? new Response("no", { status: 403 }) : undefined);
    await agent.request("x/refused");
    await agent.end();
    expect(await agent.stderr).not.toContain("s3cret");
    for (const file of readdirSync(join(notes.folder, ".synartesis")))
      expect(readFileSync(join(notes.folder, ".synartesis", file)).includes("s3cret")).toBe(false);
    expect(readFileSync(journalOf(notes)).length).toBeGreaterThan(0);
    expect((await undo(notes)).state).toBe("undone");
    expect(notes.server.seen.every(({ headers }) => headers.get("authorization") === "Bearer s3cret-of-the-test")).toBe(true);
  });

  test("P4: a session that the server forgot is begun anew; the call that found out was not carried out, and says so", async () => {
    using notes = makeHttpNotes();
    await using agent = await Agent.start(notes);
    await agent.call("get", { key: "a" });
    for (const round of ["once", "again"]) {
      notes.forget();
      const refused = await agent.request("tools/call", { name: "get", arguments: { key: "a" } });
      expect(refused.error?.message).toMatch(/was not sent, so nothing has changed.*session had ended/);
      expect((await agent.call("set", { key: "a", value: round })).isError).toBeUndefined();
      // Our own read after the change would find out in the agent's stead.
      await until("the state after it was read", () => notes.server.of("tools/call").at(-1)?.message.params.name === "get");
    }
    expect(notes.notes.get("a")).toBe("again");
    expect(notes.server.of("initialize").map(({ message }) => message.params.clientInfo.name)).toEqual([
      "test-agent",
      "test-agent",
      "test-agent",
    ]);
  });

  test("P4: a reply that breaks off makes its call unknown, and the session goes on", async () => {
    using notes = makeHttpNotes();
    await using agent = await Agent.start(notes);
    breakWrites(notes, "it happened");
    const lost = await agent.request("tools/call", { name: "set", arguments: { key: "a", value: "it happened" } });
    expect(lost.error?.message).toContain("It is not known whether it took effect");
    notes.first = () => undefined;
    expect(textOf(await agent.call("get", { key: "a" }))).toContain("it happened");
    await agent.end();
    expect((await actions(notes)).map(({ tool, status, reason }) => [tool, status, reason])).toEqual([
      ["set", "unknown", "reply-lost"],
      ["get", "applied", null],
    ]);
    expect((await undo(notes)).steps.map(({ kind }) => kind)).toContain("unknown");
  });

  test("P4: a server that is down fails what is sent, certainly not carried out, and serves again when it is back", async () => {
    using notes = makeHttpNotes();
    await using agent = await Agent.start(notes);
    notes.first = () => new Response(null, { status: 429 });
    const refused = await agent.request("tools/call", { name: "set", arguments: { key: "a", value: "x" } });
    expect(JSON.stringify(refused)).toContain("HTTP 429");
    notes.first = () => undefined;
    expect((await agent.call("set", { key: "a", value: "x" })).isError).toBeUndefined();
    await agent.end();
    expect((await actions(notes)).map(({ status }) => status)).toEqual(["denied", "applied"]);
  });

  test("an address where nothing listens is told to the client, by check, and by undo", async () => {
    using notes = makeHttpNotes();
    const first = await Agent.start(notes);
    await first.call("set", { key: "a", value: "x" });
    await first.end();
    const [run] = await runs(notes);
    notes.server[Symbol.dispose]();
    await using agent = await Agent.start(notes);
    const reply = await agent.request("initialize", { protocolVersion: "2025-06-18", capabilities: {} });
    expect(reply.error?.message).toContain("connection refused");
    await agent.end();
    const check = await notes.run("check");
    expect([check.code, check.out.includes("connection refused")]).toEqual([2, true]);
    const undone = await notes.run("undo", run?.id ?? "", "--dry-run");
    expect([undone.code, undone.out.includes("connection refused")]).toEqual([1, true]);
  });

  test("undo refuses a server that is another one by now", async () => {
    using notes = makeHttpNotes();
    const agent = await Agent.start(notes);
    await agent.call("set", { key: "a", value: "x" });
    await agent.end();
    notes.first = ({ message }) =>
      message?.method === "initialize"
        ? Response.json({
            jsonrpc: "2.0",
            id: message.id,
            result: { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "other", version: "9" } },
          })
        : undefined;
    const { code, out } = await notes.run("undo", "--dry-run");
    expect([code, out.includes("notes is now other 9, but the run used http-notes 1")]).toEqual([1, true]);
  });
});

describe("init --url", () => {
  test("drafts a manifest that check accepts and that keeps the header as it was written", async () => {
    using notes = makeHttpNotes();
    notes.env["TOKEN"] = "abc";
    const { code, out } = await notes.run(
      "init",
      "far",
      "--url",
      notes.server.url.href,
      "--header",
      `Authorization: Bearer \${TOKEN}`,
      "--manifest",
      "new.yaml",
    );
    expect([code, out.includes("far, 3 tools")]).toEqual([0, true]);
    const text = readFileSync(join(notes.folder, "new.yaml"), "utf8");
    expect(text).toContain(`  far:\n    url: "${notes.server.url}"\n    headers:\n      Authorization: "Bearer \${TOKEN}"\n`);
    expect(notes.server.of("tools/list")[0]?.headers.get("authorization")).toBe("Bearer abc");
    expect((await notes.run("check", "--manifest", "new.yaml")).code).toBe(0);
    expect((await notes.run("init", "more", "--url", notes.server.url.href, "--manifest", "new.yaml")).code).toBe(0);
  });

  test.each([
    [["--url", "ftp://x"], "must be an http or https address"],
    [["--url", "http://user:secret@127.0.0.1/"], "can't hold a name and a password"],
    [["--url", "http://127.0.0.1/", "--header", "nonsense"], "--header takes a name and a value"],
    [["--url", "http://127.0.0.1/", "--header", "Accept: x"], "is set by the protocol itself"],
    [["--url", "http://127.0.0.1/", "--header", `X: \${NOT_SET_HERE}`], "is not set"],
    [["--header", "X: y", "--", "true"], "--header goes with --url only"],
    [["--url", "http://127.0.0.1/", "--", "true"], "not both"],
  ])("refuses %p", async (words, said) => {
    using notes = makeHttpNotes();
    const { code, err } = await notes.run("init", "far", ...words);
    expect([code, err.includes(said)]).toEqual([2, true]);
    expect(err).not.toContain("secret");
  });
});

describe("login", () => {
  /** Starts `login`, agrees as a person does once the address is printed, and waits for the end. */
  const logIn = async (notes: HttpNotes, world: OAuthWorld, ...words: string[]) => {
    const child = notes.start("login", ...words);
    let err = "";
    for await (const chunk of child.stderr) {
      err += new TextDecoder().decode(chunk);
      const address = /^ {2}(http\S+)$/m.exec(err)?.[1];
      if (address === undefined) continue;
      await world.agree(address);
      break;
    }
    return { code: await child.exited, out: await child.stdout.text(), err };
  };

  test("from a refused check to the agent's call, renewed in between, through undo, and back to nothing", async () => {
    using notes = makeHttpNotes();
    using world = serveOAuth(notes.server);
    const before = await notes.run("check");
    expect([before.code, before.out]).toEqual([
      2,
      expect.stringMatching(/wants a login.*nobody has logged in; a person runs: \S*synartesis login notes/),
    ]);
    const { code, out } = await logIn(notes, world, "notes");
    const folder = join(notes.folder, "home", ".synartesis", "logins");
    expect([code, out]).toEqual([0, `logged in to notes; the tokens are kept in ${folder}\n`]);
    const [file = ""] = readdirSync(folder);
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    await using agent = await Agent.start(notes);
    await agent.call("set", { key: "a", value: "one" });
    world.accepted.clear();
    expect((await agent.call("set", { key: "a", value: "two" })).isError).toBeUndefined();
    await agent.end();
    expect((await undo(notes)).state).toBe("undone");
    expect(notes.notes.get("a")).toBe("first");
    const token = JSON.parse(readFileSync(join(folder, file), "utf8")).tokens.access_token as string;
    expect(world.accepted.has(token)).toBe(true);
    expect(readFileSync(journalOf(notes)).includes(token)).toBe(false);
    expect((await notes.run("login", "notes", "--logout")).out).toBe("the login to notes is forgotten\n");
    expect([readdirSync(folder), (await notes.run("check")).code, world.complaints]).toEqual([[], 2, []]);
  });

  test("before there is a manifest, for init to use", async () => {
    using notes = makeHttpNotes();
    using world = serveOAuth(notes.server);
    const { url } = notes.server;
    const { code, out } = await logIn(notes, world, "far", "--url", url.href, "--json");
    expect([code, JSON.parse(out)]).toEqual([0, { server: "far", url: url.href, loggedIn: true, kept: "file" }]);
    expect((await notes.run("init", "far", "--url", url.href, "--manifest", "new.yaml")).code).toBe(0);
  });

  test.each([
    [["nobody"], 2, 'the manifest has no server "nobody"'],
    [["local"], 2, "is a command, not at a URL"],
    [["keyed"], 2, "an Authorization header, which would be sent in place of a login"],
    [["notes", "--port", "x"], 2, "--port x: not a port"],
    [["notes", "--client-secret-env", "X"], 2, "goes with --client-id only"],
    [["notes", "--client-id", "a", "--client-secret-env", "NOT_SET_HERE"], 2, "NOT_SET_HERE is not set"],
    [["notes", "--client-metadata", "http://x/y"], 2, "an https address with a path"],
    [["notes", "--url", "nonsense"], 2, "not an http or https address"],
    [["notes", "--timeout", "10ms"], 1, "nobody has agreed to it in time"],
  ])("%p ends with %i and says why", async (words, code, said) => {
    using notes = makeHttpNotes();
    using world = serveOAuth(notes.server);
    const servers = `  notes: { url: "${world.server.url}" }\n  local: { command: "true" }\n  keyed: { url: "${world.server.url}", headers: { authorization: "x" } }\n`;
    notes.write("synartesis.yaml", `version: 1\nservers:\n${servers}tools: []\n`);
    const ended = await notes.run("login", ...words);
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(said)]);
  });

  test("is told to be needless where the server wants none", async () => {
    using notes = makeHttpNotes();
    const { code, out } = await notes.run("login", "notes");
    expect([code, out]).toEqual([0, "notes answers without a login; nothing was done\n"]);
  });
});

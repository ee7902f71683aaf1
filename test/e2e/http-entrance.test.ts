// Who gets in by HTTP, and what is said to whoever doesn't? Every refusal has its status, its line in the log, and no trace of a token.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { until } from "../support/documents.ts";
import { HttpAgent, post, replyOf, serve, TOKEN } from "../support/http.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE } from "../support/sandbox.ts";

const HELLO = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};

/** Runs `proxy --http` that is expected to end at once. */
async function refusedStart(notes: NotesSandbox, words: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn([EXECUTABLE, "proxy", ...words], {
    cwd: notes.folder,
    env: { ...notes.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect([code, out]).toEqual([2, ""]);
  return err;
}

test("P6: without a token of sixteen characters nothing is served, and it says what to do", async () => {
  using notes = makeNotes();
  expect(await refusedStart(notes, ["--http", "0"])).toMatch(/needs a token.*\n.*token create/);
  expect(await refusedStart(notes, ["--http", "0"], { SYNARTESIS_TOKEN: "" })).toContain("too short: 0 characters");
  expect(await refusedStart(notes, ["--http", "0", "--token", "fifteen-letters"])).toMatch(/--token is too short: 15 characters, and 16/);
  expect(await refusedStart(notes, ["--http", "0", "--token", "has spaces in it, many"])).toContain("no spaces");
  expect(await refusedStart(notes, ["--http", "0", "--token-file", "not-there"])).toContain("can't be read (ENOENT)");
  expect(await refusedStart(notes, ["--http", "0", "--token", TOKEN, "--token-file", "x"])).toContain("not both");
  expect(await refusedStart(notes, ["--http", "65536", "--token", TOKEN])).toContain("from 0 to 65535");
  expect(await refusedStart(notes, ["--token", TOKEN])).toContain("--token goes with --http PORT");
  expect(await refusedStart(notes, ["--allow-origin", "https://a.example"])).toContain("--allow-origin goes with --http PORT");
  expect(await refusedStart(notes, ["--http", "0", "--token", TOKEN, "--allow-origin", "example.org"])).toContain("not an origin");
  expect(await refusedStart(notes, ["--http", "0", "--token", TOKEN, "--http-host", "192.0.2.1"])).toContain("can't listen on 192.0.2.1");
});

test("a port that is taken is an error that names it", async () => {
  using notes = makeNotes();
  await using served = await serve(notes);
  const { port } = new URL(served.url);
  const ended = await notes.run("proxy", "--http", port, "--token", TOKEN);
  expect(ended.code).toBe(2);
  expect(ended.err).toContain(`port ${port} (EADDRINUSE)`);
});

test("P6: a missing or wrong token is refused and logged, and no token is ever written down", async () => {
  using notes = makeNotes();
  const file = notes.write("token", `${TOKEN}\n`);
  await using served = await serve(notes, ["--token-file", file, "--log-level", "debug"], {});
  const wrong = "another-token-0123456789";
  for (const authorization of ["", `Bearer ${wrong}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(0, -1)}`, `Basic ${TOKEN}`, `Bearer`]) {
    const response = await post(served.url, HELLO, { authorization });
    expect([authorization, response.status]).toEqual([authorization, 401]);
    expect(response.headers.get("www-authenticate")).toStartWith("Bearer");
  }
  await (await HttpAgent.start(served.url)).end();
  await until("all is logged", () => served.stderr().split('"reason":"token"').length === 7);
  expect(served.stderr()).toContain('"msg":"the token\'s file can be read by others"');
  expect(served.stderr()).not.toContain(TOKEN.slice(0, 12));
  expect(served.stderr()).not.toContain(wrong);
});

test("a token of the manifest lets in, under its name, and the guarded server never sees ours", async () => {
  using notes = makeNotes();
  const made = await notes.json<{ token: string; entry: { name: string; sha256: string } }>("token", "create", "ci@host");
  expect(made.token).toMatch(/^[\w-]{43}$/);
  expect((await notes.run("token", "create", "ci agent")).code).toBe(2);
  const printed = (await notes.run("token", "create", "other")).out;
  expect(printed).toMatch(/- \{ name: "other", sha256: "[0-9a-f]{64}" \}/);
  notes.write(
    "synartesis.yaml",
    `version: 1\nservers:\n  env: { command: sh, args: ["-c", "env > seen; cat > /dev/null"] }\ntokens: [${JSON.stringify(made.entry)}]\n`,
  );
  await using served = await serve(notes, ["--log-level", "info"]);
  const waiting = new AbortController();
  // The head of the answer may be there before the server has said anything; its body isn't.
  const asked = post(served.url, HELLO, { authorization: `Bearer ${made.token}` }, waiting.signal)
    .then((response) => response.text())
    .catch((error: Error) => error.name);
  await until(
    "the server has started",
    async () =>
      (await Bun.file(join(notes.folder, "seen")).exists()) && (await Bun.file(join(notes.folder, "seen")).text()).includes("PATH="),
  );
  expect(await Bun.file(join(notes.folder, "seen")).text()).not.toContain("SYNARTESIS_TOKEN");
  waiting.abort();
  expect(await asked).toBe("AbortError");
  await until("the session that nobody waits for has ended", () => served.stderr().includes("did not wait for it"));
});

test("a hostile Host or Origin is refused, those of this machine and those that were named are not", async () => {
  using notes = makeNotes();
  await using served = await serve(notes, ["--allow-origin", "https://app.example", "--allow-host", "proxy.example"]);
  const statusOf = async (headers: Record<string, string>) =>
    (await post(served.url, { jsonrpc: "2.0", id: 1, method: "ping" }, headers)).status;
  for (const host of [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "127.0.0.1@evil.example",
    "proxy.example.evil",
  ])
    expect([host, await statusOf({ host })]).toEqual([host, 403]);
  for (const host of ["localhost", "127.0.0.1:9", "[::1]:80", "proxy.example", "PROXY.example:443"])
    expect([host, await statusOf({ host })]).toEqual([host, 400]);
  for (const origin of [
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://localhost@evil.example",
    "https://app.example.evil",
  ])
    expect([origin, await statusOf({ origin })]).toEqual([origin, 403]);
  for (const origin of ["https://app.example", "http://localhost:6274", "http://127.0.0.1"])
    expect([origin, await statusOf({ origin })]).toEqual([origin, 400]);
  expect(served.stderr()).toContain('"reason":"host"');
  expect(served.stderr()).toContain('"reason":"origin"');
});

test("only a page whose origin is allowed learns that it may speak to us", async () => {
  using notes = makeNotes();
  await using served = await serve(notes, ["--allow-origin", "https://app.example"]);
  const asked = { "access-control-request-method": "POST", "access-control-request-headers": "authorization,mcp-session-id" };
  const preflight = (origin: string) => fetch(served.url, { method: "OPTIONS", headers: { origin, ...asked } });
  const allowed = await preflight("https://app.example");
  expect([allowed.status, allowed.headers.get("access-control-allow-origin"), allowed.headers.get("access-control-allow-headers")]).toEqual(
    [204, "https://app.example", "authorization,mcp-session-id"],
  );
  const refused = await preflight("https://evil.example");
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  const plain = await post(served.url, HELLO);
  expect(plain.headers.get("access-control-allow-origin")).toBeNull();
});

test("a body of 100 MiB and a header of 100 KB are refused, declared or not, and nothing grows", async () => {
  using notes = makeNotes();
  await using served = await serve(notes, ["--max-message", "1MiB"]);
  const memory = () => Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(served.child.pid)]).stdout.toString()); // in KiB
  const before = memory();
  const piece = new Uint8Array(1024 * 1024).fill(0x20);
  const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(piece) });
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const declared = await fetch(served.url, { method: "POST", headers, body: new Uint8Array(100 * 1024 * 1024) });
  expect(declared.status).toBe(413);
  // The answer comes while we still send, so some clients see only that the connection was closed.
  const streamed = await fetch(served.url, { method: "POST", headers, body: endless }).then(
    (response) => response.status,
    () => 413,
  );
  expect(streamed).toBe(413);
  expect((await fetch(served.url, { headers: { ...headers, x: "a".repeat(100_000) } })).status).toBe(431);
  await until("it is logged", () => served.stderr().split('"reason":"size"').length === 3);
  expect(memory() - before).toBeLessThan(40 * 1024);
  expect((await HttpAgent.start(served.url)).headers["mcp-session-id"]).toBeString();
});

test("more sessions than are allowed are told to come again, and those that are there go on", async () => {
  using notes = makeNotes();
  await using served = await serve(notes, ["--max-sessions", "2"]);
  const [one, two] = [await HttpAgent.start(served.url), await HttpAgent.start(served.url)];
  const third = await post(served.url, HELLO);
  expect([third.status, third.headers.get("retry-after")]).toEqual([503, "5"]);
  expect((await replyOf(third)).id).toBe(0);
  expect(served.stderr()).toContain('"reason":"sessions"');
  expect((await one.call("get", { key: "a" })).isError).toBe(false);
  await two.end();
  await until("there is room again", async () => (await post(served.url, HELLO)).status === 200);
});

test("a session's id lets nobody in who has another token", async () => {
  using notes = makeNotes();
  const made = await notes.json<{ token: string; entry: object }>("token", "create", "other");
  notes.write("synartesis.yaml", `${await Bun.file(`${notes.folder}/synartesis.yaml`).text()}\ntokens: [${JSON.stringify(made.entry)}]\n`);
  await using served = await serve(notes);
  const agent = await HttpAgent.start(served.url);
  const other = { authorization: `Bearer ${made.token}` };
  expect((await agent.post({ jsonrpc: "2.0", id: 1, method: "ping" }, other)).status).toBe(404);
  expect((await agent.listen(other)).status).toBe(404);
  expect((await fetch(served.url, { method: "DELETE", headers: { ...agent.headers, ...other } })).status).toBe(404);
  expect((await agent.request("ping")).result).toEqual({});
});

test("sessions that nobody uses end by themselves", async () => {
  using notes = makeNotes();
  await using served = await serve(notes, ["--session-idle", "300ms", "--log-level", "info"]);
  const agent = await HttpAgent.start(served.url);
  await until("it has ended", () => served.stderr().includes("it was quiet for too long"));
  expect((await agent.post({ jsonrpc: "2.0", id: 1, method: "ping" })).status).toBe(404);
});

test("a thousand connections that are opened and left don't keep a session from its answers", async () => {
  using notes = makeNotes();
  await using served = await serve(notes, ["--max-sessions", "1"]);
  const agent = await HttpAgent.start(served.url);
  const { hostname, port } = new URL(served.url);
  const head = `POST /mcp HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n`;
  const halves = [
    "POST /mcp HTTP/1.1\r\nHo",
    `${head}Authorization: Bearer wrong-wrong-wrong-wrong\r\nContent-Length: 9000\r\n\r\n{`,
    `${head}Authorization: Bearer ${TOKEN}\r\nContent-Length: 9000\r\n\r\n{"jsonrpc"`,
    "",
  ];
  const open = (text: string) =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: { open: (socket) => void (text !== "" && socket.write(text)), data() {}, error() {} },
    });
  const sockets = await Promise.all(Array.from({ length: 1000 }, (_, at) => open(halves[at % halves.length] ?? "")));
  const begun = await Promise.all(Array.from({ length: 100 }, async () => (await post(served.url, HELLO)).status));
  expect(new Set(begun)).toEqual(new Set([503]));
  expect((await agent.call("get", { key: "a" })).isError).toBe(false);
  for (const socket of sockets) socket.terminate();
});

import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SynartesisError } from "../../src/errors.ts";
import { serverEnvironment } from "../../src/upstream/environment.ts";
import { forwardCall, sendCall } from "../../src/upstream/send-call.ts";
import { startServer } from "../../src/upstream/stdio.ts";
import { parseMessage } from "../../src/wire/message.ts";
import { clientRequest, endStarted, isAlive, startOdd, textOf, until } from "./fixture.ts";

afterEach(endStarted);

const resultOf = async (answer: Promise<unknown>) => (await answer) as { kind: string; result?: unknown };

describe("requests of our own", () => {
  test("are answered, and their replies reach nobody else", async () => {
    const { upstream, messages } = await startOdd();
    expect(await upstream.request("echo", { n: 1 })).toMatchObject({ kind: "result", result: { n: 1 } });
    expect(messages).toEqual([]);
  });

  test("carry ids of the type that the client uses, never 0", async () => {
    const { upstream } = await startOdd();
    upstream.noteClientId("7");
    await upstream.request("echo", {});
    upstream.noteClientId('"a"');
    await upstream.request("echo", {});
    const { result } = await resultOf(upstream.request("seen", {}));
    const [first, second] = (result as { id: unknown }[]).map(({ id }) => id);
    expect(first).toBeNumber();
    expect(first).toBeGreaterThan(2 ** 30);
    expect(first).toBeLessThan(2 ** 31);
    expect(second).toBeString();
  });

  test("that meet an id of the client's confuse nothing: the client's request travels under another id and gets its own back", async () => {
    const { upstream, messages } = await startOdd();
    const ours = upstream.request("hold", { whose: "ours" });
    const { result } = await resultOf(upstream.request("seen", {}));
    const { id } = (result as { id: number }[])[0] ?? { id: 0 };
    upstream.forward(clientRequest(`{"id" : ${id}, "method":"echo","params":{"whose":"client's", "big":12345678901234567890}}`));
    await until(() => messages.length === 1);
    expect(messages[0]).toMatchObject({ kind: "response", id: String(id), value: { result: { whose: "client's" } } });
    await upstream.request("release", {});
    expect(await ours).toMatchObject({ kind: "result", result: { whose: "ours" } });
    expect(messages.length).toBe(1);
  });

  test("that time out are cancelled, and their late reply reaches nobody", async () => {
    const { upstream, messages, logged } = await startOdd();
    expect(await upstream.request("hold", {}, { timeout: 50 })).toEqual({ kind: "timeout", milliseconds: 50 });
    const { result } = await resultOf(upstream.request("seen", {}));
    const [held, cancelled] = result as { id?: number; params: { requestId?: number } }[];
    expect(cancelled?.params.requestId).toBe(held?.id as number);
    await upstream.request("release", {});
    await until(() => logged.length > 0);
    expect(logged).toEqual(["dropped a second or late reply to a request of our own"]);
    expect(messages).toEqual([]);
  });

  test("take the first of two replies, and drop the second", async () => {
    const { upstream, messages, logged } = await startOdd();
    expect(await upstream.request("twice", {})).toMatchObject({ result: { first: true } });
    await upstream.request("echo", {});
    expect(messages).toEqual([]);
    expect(logged.length).toBe(1);
  });

  test("are matched by an id's type as well as its value", async () => {
    const { upstream, messages } = await startOdd();
    expect(await upstream.request("typed", {})).toMatchObject({ kind: "result", result: "as it was" });
    expect(messages.length).toBe(1);
  });

  test("are answered out of a batch, whose other messages go on", async () => {
    const { upstream, messages } = await startOdd();
    expect(await upstream.request("batch", {})).toMatchObject({ kind: "result", result: "in a batch" });
    expect(messages.map(({ kind }) => kind)).toEqual(["notification"]);
  });

  test("survive an answer in crumbs, of 2 MB, or nested without end, which is no answer", async () => {
    const { upstream } = await startOdd();
    expect(await upstream.request("crumbs", {})).toMatchObject({ result: "ä€𝄞" });
    const { result } = await resultOf(upstream.request("big", { size: 2_000_000 }));
    expect((result as { text: string }).text.length).toBe(2_000_000);
    expect(await upstream.request("deep", {})).toMatchObject({ kind: "error", message: { envelopeOnly: true } });
  });

  test("whose answer is too long fail, and the connection goes on", async () => {
    const { upstream } = await startOdd([], { maxMessage: 10_000 });
    expect(await upstream.request("big", { size: 50_000 })).toMatchObject({ kind: "error" });
    expect(await upstream.request("echo", {})).toMatchObject({ kind: "result" });
  });
});

describe("the one door", () => {
  test("P2: a tools/call is refused by forward, request and notify, and passes send-call", async () => {
    const { upstream, messages } = await startOdd();
    const call = clientRequest('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}');
    expect(() => upstream.forward(call)).toThrow("only through the recorder");
    await expect(upstream.request("tools/call", {})).rejects.toThrow("only through the recorder");
    expect(() => upstream.notify("tools/call")).toThrow("only through the recorder");
    expect(forwardCall(upstream, call)).toBe(true);
    await until(() => messages.length === 1);
    expect(await sendCall(upstream, { name: "u" })).toMatchObject({ result: { called: { name: "u" } } });
    expect(messages.map(textOf)).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"called":{"name":"t"}}}']);
  });
});

describe("what a server prints", () => {
  test("P1: reaches the listener as it came and in order, banners and all, before it has answered anything", async () => {
    const { upstream, messages } = await startOdd(["--chatty"]);
    await upstream.request("initialize", {});
    expect(messages.map(({ kind }) => kind)).toEqual(["strange", "strange", "strange", "notification"]);
    expect(textOf(messages[0])).toBe("No display available. Running in headless mode.");
  });

  test("P1: messages pass with the very bytes that they had, both ways", async () => {
    const { upstream, messages } = await startOdd([], { command: "cat", args: [] });
    const texts = [
      '{ "method":"x/unknown", "id":1.0,"params":{"\\u0061":12345678901234567890} }\r',
      '{"id":"1","method":"y","\u{1f600}":"\\ud800"}',
    ];
    for (const text of texts) upstream.forward(clientRequest(text));
    await until(() => messages.length === 2);
    expect(messages.map(textOf)).toEqual(texts);
  });

  test("on stderr is passed on byte for byte, and its end is kept", async () => {
    const { upstream, stderr } = await startOdd();
    const text = `${"é".repeat(3000)}\u001b[31mend`;
    await upstream.request("stderr", { text });
    await until(() => stderr().length >= text.length);
    expect(stderr()).toBe(text);
    expect(upstream.lastWords().endsWith("\u001b[31mend")).toBe(true);
    expect(Buffer.byteLength(upstream.lastWords())).toBeLessThanOrEqual(2048 + 2);
  });
});

describe("the end of a server", () => {
  test("that dies answers what is in flight, and says with what it went", async () => {
    const { upstream, exit } = await startOdd();
    const inFlight = upstream.request("never", {});
    const last = upstream.request("die", {});
    expect(await exit).toMatchObject({ code: 4, signal: null, lastWords: "last words" });
    expect([await inFlight, await last]).toEqual([{ kind: "ended" }, { kind: "ended" }]);
    expect(upstream.alive).toBe(false);
    expect(await upstream.request("echo", {})).toEqual({ kind: "ended" });
    const call = clientRequest('{"jsonrpc":"2.0","id":1,"method":"tools/call"}');
    expect(forwardCall(upstream, call)).toBe(false);
  });

  test("that closes its output but lives on is an end too", async () => {
    const { upstream, exit } = await startOdd(["--ignore-eof"]);
    const inFlight = upstream.request("mute", {});
    expect(await exit).toMatchObject({ signal: "SIGTERM" });
    expect(await inFlight).toEqual({ kind: "ended" });
  });

  test("comes with the end of its input, without a signal", async () => {
    const { upstream } = await startOdd();
    await upstream.request("echo", {});
    const inFlight = upstream.request("never", {});
    expect(await upstream.close()).toEqual([]);
    expect(await inFlight).toEqual({ kind: "ended" });
    expect(isAlive(upstream.pid as number)).toBe(false);
  });

  test("takes its descendants with it, those in sessions of their own too, and whatever they ignore", async () => {
    const { upstream } = await startOdd(["--ignore-term"]);
    const { result } = await resultOf(upstream.request("litter", {}));
    const pids = [upstream.pid as number, ...(result as number[])];
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    expect(await upstream.close({ grace: 100 })).toEqual([]);
    expect(pids.map(isAlive)).toEqual([false, false, false]);
  });
});

describe("starting", () => {
  const start = {
    name: "s",
    args: [],
    env: serverEnvironment(process.env, {}),
    events: { onMessage() {}, onExit() {} },
    log: { log() {} },
  };

  test("a command that isn't there is an error that names server and command", async () => {
    for (const command of ["no-such-command-at-all", "./no-such-file"]) {
      const failure = await startServer({ ...start, command, cwd: "/" }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(SynartesisError);
      expect(failure).toMatchObject({ code: "server-unavailable", message: expect.stringContaining(command) });
    }
  });

  test("a command with a slash is relative to the server's folder", async () => {
    const folder = mkdtempSync(join(tmpdir(), "synartesis-test-"));
    try {
      symlinkSync(process.execPath, join(folder, "run"));
      const { upstream } = await startOdd([], { command: "./run", cwd: folder });
      expect(await upstream.request("echo", {})).toMatchObject({ kind: "result" });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("the server finds our environment and its own variables, but nothing that turns a Bun executable into something else", async () => {
    const env = serverEnvironment(
      {
        PATH: process.env["PATH"],
        BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0",
        A: "ours",
        B: "ours",
        GONE: undefined,
        BUN_OPTIONS: "--preload=x",
        BUN_BE_BUN: "1",
      },
      { B: "its own" },
    );
    expect(env).toEqual({ PATH: process.env["PATH"] as string, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", A: "ours", B: "its own" });
    const { upstream } = await startOdd([], { env });
    expect(await upstream.request("env", { name: "B" })).toMatchObject({ result: "its own" });
    expect(await upstream.request("env", { name: "HOME" })).toMatchObject({ result: null });
  });
});

test("a cancellation of the client's follows its request under the other id", async () => {
  const { upstream } = await startOdd();
  void upstream.request("never", {});
  const first = (await resultOf(upstream.request("seen", {}))).result as { id: number }[];
  const id = first[0]?.id as number;
  upstream.forward(clientRequest(`{"id":${id},"method":"never"}`));
  const cancel = parseMessage(new TextEncoder().encode(`{"method":"notifications/cancelled","params":{"requestId":${id}}}`));
  if (cancel.kind === "notification") upstream.forward(cancel);
  const all = (await resultOf(upstream.request("seen", {}))).result as { id: number; params: { requestId: number } }[];
  expect(all[2]?.id).not.toBe(id);
  expect(all[3]?.params.requestId).toBe(all[2]?.id as number);
});

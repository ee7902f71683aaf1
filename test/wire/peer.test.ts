import { describe, expect, test } from "bun:test";
import { type ByteSink, lineWriter, readMessages } from "../../src/wire/peer.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const STDIO = JSON.stringify(`${import.meta.dir}/../../src/wire/stdio.ts`);

/** Runs a script that has `input` and `output` over its standard streams. */
function runWithStreams(script: string) {
  const code = `const { standardStreams } = await import(${STDIO});
    const { input, output } = standardStreams((error) => console.error("closed", error.code)); ${script}`;
  return Bun.spawn([process.execPath, "-e", code], { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
}

function streamOf(...texts: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const text of texts) controller.enqueue(bytesOf(text));
      controller.close();
    },
  });
}

describe("readMessages", () => {
  test("gives every message in order, then the end, once", async () => {
    const seen: string[] = [];
    const ended = Promise.withResolvers<void>();
    readMessages(streamOf('{"id":1,"met', 'hod":"a"}\n \r\n\nbanner\n{"meth', 'od":"b"}'), {
      onMessage: (message) => void seen.push(message.kind),
      onTooLong: () => seen.push("too long"),
      onEnd: () => {
        seen.push("end");
        ended.resolve();
      },
    });
    await ended.promise;
    expect(seen).toEqual(["request", "strange", "notification", "end"]);
  });

  test("reads no further while a message is being taken in", async () => {
    const gate = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    let pulls = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulls++;
          if (pulls > 3) controller.close();
          else controller.enqueue(bytesOf('{"method":"m"}\n'));
        },
      },
      { highWaterMark: 0 },
    );
    const first = Promise.withResolvers<void>();
    readMessages(stream, {
      onMessage() {
        first.resolve();
        return gate.promise;
      },
      onTooLong() {},
      onEnd: () => ended.resolve(),
    });
    await first.promise;
    await Bun.file(import.meta.path).text(); // other work goes on meanwhile
    expect(pulls).toBe(1);
    gate.resolve();
    await ended.promise;
    expect(pulls).toBe(4);
  });

  test("reports a stream that breaks as its end, with the error", async () => {
    const ended = Promise.withResolvers<unknown>();
    const stream = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("broken")) });
    readMessages(stream, { onMessage() {}, onTooLong() {}, onEnd: ended.resolve });
    expect(await ended.promise).toMatchObject({ message: "broken" });
  });
});

describe("lineWriter", () => {
  test("sends the messages of one turn in one write, and a large one as it is", async () => {
    const written: Uint8Array[] = [];
    const sink: ByteSink = { write: (chunk) => written.push(chunk), flush: () => undefined, end: () => undefined };
    const writer = lineWriter(sink);
    const large = new Uint8Array(100_000).fill(0x61);
    for (const message of [bytesOf("a"), bytesOf("b"), large, bytesOf("c")]) writer.write(message);
    await writer.drained();
    expect(written.map((chunk) => chunk.length)).toEqual([4, 100_000, 3]);
    expect(written[1]).toBe(large);
    writer.write(bytesOf("d"));
    await writer.end();
    expect(Buffer.concat(written).subarray(-4).toString()).toBe("c\nd\n");
    expect(writer.write(bytesOf("e"))).toBe(false);
  });

  test("P1: loses nothing on a pipe, whatever the size, though the reader is late and the process then ends", async () => {
    const child = runWithStreams(`
      for (let i = 0; i < 20000; i++) output.write(Buffer.from("line " + i));
      output.write(Buffer.alloc(5_000_000, "x"));
      let ticks = 0; const timer = setInterval(() => ticks++, 1);
      await new Promise((resolve) => { input.read({ onMessage() { console.error("alive"); }, onTooLong() {}, onEnd: resolve }); });
      await output.end(); clearInterval(timer);`);
    // It takes in a message although nobody reads what it writes: the event loop isn't blocked.
    child.stdin.write('{"method":"m"}\n');
    await child.stdin.flush();
    const errors = child.stderr.getReader();
    expect(Buffer.from((await errors.read()).value ?? []).toString()).toBe("alive\n");
    const output = new Response(child.stdout).text();
    await child.stdin.end();
    const lines = (await output).split("\n");
    expect(await child.exited).toBe(0);
    expect(lines.slice(0, 20_000)).toEqual(Array.from({ length: 20_000 }, (_, i) => `line ${i}`));
    expect(lines.slice(20_000).map((line) => line.length)).toEqual([5_000_000, 0]);
  });

  test("reports a reader that has gone once, and throws nothing", async () => {
    const child = runWithStreams(`
      await new Promise((resolve) => { input.read({ onMessage() {}, onTooLong() {}, onEnd: resolve }); });
      for (let i = 0; i < 3; i++) { output.write(Buffer.alloc(1_000_000)); await output.drained(); }
      console.error(output.write(Buffer.alloc(1)), output.closed); await output.end();`);
    await child.stdout.cancel();
    await child.stdin.end();
    expect(await new Response(child.stderr).text()).toBe("closed EPIPE\nfalse true\n");
    expect(await child.exited).toBe(0);
  });
});

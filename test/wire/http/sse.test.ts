import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { oneLine, readEvents, readWhole } from "../../../src/wire/http/body.ts";
import { headerValue } from "../../../src/wire/http/header-value.ts";
import { SseParser } from "../../../src/wire/http/sse.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Parses bytes that come in these pieces. */
function parse(pieces: readonly Uint8Array[], limit = 1000) {
  const events: [string, string][] = [];
  const tooLong: number[] = [];
  const retries: number[] = [];
  const parser = new SseParser(limit, {
    onEvent: ({ type, data }) => events.push([type, decoder.decode(data)]),
    onTooLong: ({ length }) => tooLong.push(length),
    onRetry: (milliseconds) => retries.push(milliseconds),
  });
  for (const piece of pieces) parser.push(piece);
  return { events, tooLong, retries, lastEventId: parser.lastEventId, unfinished: parser.unfinished() };
}

const whole = (text: string, limit?: number) => parse([encoder.encode(text)], limit);

describe("events", () => {
  test("have data of several lines, a type, and an id that counts once they are complete", () => {
    const { events, lastEventId, retries } = whole(
      "\uFEFF:c\nretry: 40\nretry: x\nid: 1\nevent: a\ndata: x\ndata:y\ndata\n\nid: 2\ndata: z\n",
    );
    expect(events).toEqual([["a", "x\ny\n"]]);
    expect(lastEventId).toBe("1");
    expect(retries).toEqual([40]);
  });

  test("without data are none, but move the id; an empty id takes it back", () => {
    expect(whole("id: 7\ndata:\n\n")).toMatchObject({ events: [], lastEventId: "7" });
    expect(whole("id: 7\n\n")).toMatchObject({ events: [], lastEventId: "7" });
    expect(whole("id: 7\n\nid\n\n").lastEventId).toBeUndefined();
    expect(whole("id: 7\n\nid: a\0b\n\n").lastEventId).toBe("7");
  });

  test("P1: come out the same however the bytes are cut, and whichever of CR, LF and CRLF ends a line", () => {
    const line = fc.oneof(
      fc.constantFrom("data: ä€𝄞", "data:", "event: x", "id: 5", ":", "other: 1", ""),
      fc.string({ maxLength: 5 }).map((s) => `data: ${s.replaceAll(/[\r\n]/g, "")}`),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat(60), { maxLength: 20 }), (lines, end, cuts) => {
        const bytes = encoder.encode(`${lines.join(end)}${end}${end}`);
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((place, index) => bytes.slice(places[index], place));
        const expected = whole(`${lines.join("\n")}\n\n`);
        expect(parse(pieces).events).toEqual(expected.events);
        expect(parse(pieces).lastEventId).toBe(expected.lastEventId as string);
      }),
    );
  });

  test("above the limit are passed over, in one line or in many, and the next one is taken", () => {
    const long = "x".repeat(2000);
    expect(whole(`data: ${long}\n\ndata: next\n\n`)).toMatchObject({ events: [["message", "next"]], tooLong: [2000] });
    expect(whole(`${"data: 0123456789\n".repeat(200)}\ndata: next\n\n`)).toMatchObject({ events: [["message", "next"]] });
    expect(whole(`:${long}\ndata: next\n\n`)).toMatchObject({ events: [["message", "next"]], tooLong: [] });
  });
});

describe("bodies", () => {
  const bodyOf = (text: string) => new Response(text).body as ReadableStream<Uint8Array>;

  test("a message whose empty line the end cut off is taken if it is whole, and dropped if it isn't", async () => {
    for (const [text, count] of [
      ['data: {"jsonrpc":"2.0","id":1,"result":{}}', 1],
      ['data: {"jsonrpc":"2.0","id":1,"resu', 0],
    ] as const) {
      const messages: unknown[] = [];
      await readEvents(bodyOf(text), { limit: 1000, onMessage: (message) => void messages.push(message), onTooLong: () => {} });
      expect(messages.length).toBe(count);
    }
  });

  test("are read up to the limit and no further", async () => {
    expect(await readWhole(bodyOf("12345"), 5)).toMatchObject({ kind: "whole" });
    expect(await readWhole(bodyOf("123456"), 5)).toMatchObject({ kind: "too-long", line: { length: 6 } });
  });

  test("that are huge and don't say how long they are leave most of the time to others, however many there are", async () => {
    const piece = new Uint8Array(64 * 1024);
    const endless = () => new ReadableStream<Uint8Array>({ pull: (own) => own.enqueue(piece) });
    const begun = performance.now();
    const bodies = [1, 2, 3].map(() => readWhole(endless(), 16 * 1024 * 1024, { isUnsaid: true }));
    expect((await Promise.all(bodies)).map(({ kind }) => kind)).toEqual(["too-long", "too-long", "too-long"]);
    // Three times the 8 MiB from which on they are huge, in quarters, with 5 ms each.
    expect(performance.now() - begun).toBeGreaterThan(3 * 8 * 4 * 5 - 10);
  });

  test("become one line, without a change where there is nothing to change", () => {
    const bytes = encoder.encode('{"a":"\\n"}');
    expect(oneLine(bytes)).toBe(bytes);
    expect(decoder.decode(oneLine(encoder.encode('{\r\n "a":1\n}')))).toBe('{   "a":1 }');
  });
});

test("a header's value is plain where it can be, and can't be taken for the encoded form", () => {
  expect(["us-west1", "Hello, 世界", " padded ", "line1\nline2", "=?base64?literal?=", ""].map(headerValue)).toEqual([
    "us-west1",
    "=?base64?SGVsbG8sIOS4lueVjA==?=",
    "=?base64?IHBhZGRlZCA=?=",
    "=?base64?bGluZTEKbGluZTI=?=",
    "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
    "",
  ]);
});

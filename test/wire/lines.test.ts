import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LineSplitter, type TooLongLine } from "../../src/wire/lines.ts";
import { identify } from "../../src/wire/too-long.ts";
import { processorTime } from "../support/patience.ts";

const encoder = new TextEncoder();

function split(chunks: readonly Uint8Array[], limit = 1000): { lines: string[]; tooLong: TooLongLine[] } {
  const lines: string[] = [];
  const tooLong: TooLongLine[] = [];
  const splitter = new LineSplitter(limit, {
    onLine: (line) => lines.push(Buffer.from(line).toString()),
    onTooLong: (line) => tooLong.push(line),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, tooLong };
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.slice(at[i], end));
}

describe("lines", () => {
  test("are the same however the bytes are cut into chunks", () => {
    const line = fc.string({ unit: "grapheme", maxLength: 30 }).map((text) => text.replaceAll("\n", ""));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(), { maxLength: 20 }), (lines, places) => {
        const bytes = encoder.encode(lines.map((text) => `${text}\n`).join(""));
        expect(split(cut(bytes, places)).lines).toEqual(lines.filter((text) => text !== ""));
      }),
    );
  });

  test("keep the CR before their LF, and the last one needs no LF", () => {
    expect(split([encoder.encode("a\r\n\nb")]).lines).toEqual(["a\r", "b"]);
  });

  test("above the limit are passed over with both ends kept, and the next one is whole", () => {
    fc.assert(
      fc.property(fc.integer({ min: 101, max: 20_000 }), fc.array(fc.nat(), { maxLength: 20 }), (length, places) => {
        const long = Buffer.from("0123456789".repeat(2000).slice(0, length));
        const { lines, tooLong } = split(cut(Buffer.concat([Buffer.from("before\n"), long, Buffer.from("\nafter\n")]), places), 100);
        expect(lines).toEqual(["before", "after"]);
        expect(tooLong.map((line) => line.length)).toEqual([length]);
        expect(Buffer.from(tooLong[0]?.head ?? []).equals(long.subarray(0, 4096))).toBe(true);
        expect(Buffer.from(tooLong[0]?.tail ?? []).equals(long.subarray(-1024))).toBe(true);
      }),
    );
  });

  test("of exactly the limit are taken", () => {
    expect(split([Buffer.from(`${"x".repeat(100)}\n${"y".repeat(101)}\n`)], 100)).toMatchObject({
      lines: ["x".repeat(100)],
      tooLong: [{ length: 101 }],
    });
  });

  test("in a million tiny chunks cost linear time", () => {
    const spent = processorTime();
    const chunk = Buffer.from("xy");
    const { lines } = split([...Array(1_000_000).fill(chunk), Buffer.from("\n")], 10_000_000);
    expect(lines[0]?.length).toBe(2_000_000);
    expect(spent()).toBeLessThan(3000);
  });
});

describe("a message that is too long", () => {
  const filler = `"${"x".repeat(9000)}"`;
  const identifyText = (text: string) => identify(split([Buffer.from(text)], 100).tooLong[0] as TooLongLine); // the texts are longer

  test("is identified where id and method stand first or last", () => {
    expect(identifyText(`{"jsonrpc":"2.0","id":7,"method":"m","params":${filler}}`)).toEqual({ id: "7", method: "m" });
    expect(identifyText(`{"method":"m","params":{"id":1,"p":${filler}},"jsonrpc":"2.0","id":"a-1"}`)).toEqual({ id: '"a-1"', method: "m" });
    expect(identifyText(`{"result":{"text":${filler}},"jsonrpc":"2.0","id":12}\r`)).toEqual({ id: "12" });
  });

  test("is not identified by an id inside it", () => {
    expect(identifyText(`{"result":{"text":${filler},"id":9}}`)).toEqual({});
    expect(identifyText(`{"result":"${"x".repeat(9000)},\\"id\\":9}"}`)).toEqual({});
    expect(identifyText(`{"result":{"a":{"id":9},"text":${filler}}}`)).toEqual({});
    expect(identifyText(`{"id":${"9".repeat(9000)}`)).toEqual({});
  });
});

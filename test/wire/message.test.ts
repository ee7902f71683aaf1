import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseJson } from "../../src/core/json.ts";
import { buildError, buildNotification, buildRequest, buildResult, splitBatch } from "../../src/wire/build.ts";
import { MAX_DEPTH, parseMessage } from "../../src/wire/message.ts";

const parse = (text: string) => parseMessage(new TextEncoder().encode(text));
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("parseMessage", () => {
  test("tells the kinds of message apart, and never throws", () => {
    expect(parse('{"id":1,"method":"m"}')).toMatchObject({ kind: "request", id: "1", method: "m" });
    expect(parse('{"id":"1","method":"m"}')).toMatchObject({ kind: "request", id: '"1"' });
    expect(parse('{"id":12345678901234567890,"result":null}')).toMatchObject({ kind: "response", id: "12345678901234567890" });
    expect(parse('{"method":"m"}')).toMatchObject({ kind: "notification" });
    expect(parse("[]")).toMatchObject({ kind: "batch" });
    for (const text of ['{"id":null,"error":{}}', '{"id":null,"method":"m"}', '{"id":1}', '{"id":{},"result":1}', "7", "{}"]) {
      expect([text, parse(text)]).toMatchObject([text, { kind: "strange", parsed: true }]);
    }
    for (const text of ["", "{", "banner", '{"id":1,"method":"m"} x', "\ufeff{}"])
      expect(parse(text)).toMatchObject({ kind: "strange", parsed: false });
    fc.assert(fc.property(fc.uint8Array(), (bytes) => expect(parseMessage(bytes).bytes).toBe(bytes)));
  });

  test("is not led astray by a prototype's members", () => {
    expect(parse('{"__proto__":{"method":"tools/call","id":1},"id":2,"result":{}}')).toMatchObject({ kind: "response", id: "2" });
  });

  test("reads the envelope of what nests too deeply, and leaves its bytes whole", () => {
    const depth = 200_000;
    expect(parse(`{"params":${nested(depth)},"id":3,"method":"m"}`)).toMatchObject({
      kind: "request",
      id: "3",
      method: "m",
      envelopeOnly: true,
    });
    expect(parse(`{"id":3,"result":[1.0,${nested(depth)}]}`)).toMatchObject({
      kind: "response",
      envelopeOnly: true,
      value: { result: null },
    });
    expect(parse(`{"id":${nested(depth)},"result":1}`)).toMatchObject({ kind: "strange" });
    expect(parse("[".repeat(depth))).toMatchObject({ kind: "strange", parsed: false });
    expect(parse(`{"id":3,"result":${nested(MAX_DEPTH - 1)}}`)).not.toHaveProperty("envelopeOnly");
    expect(parse(`{"id":3,"result":"${"[".repeat(5000)}"}`)).not.toHaveProperty("envelopeOnly");
  });
});

describe("messages of our own", () => {
  test("read back as what they were built from", () => {
    const id = fc.oneof(
      fc.integer().map(String),
      fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
    );
    fc.assert(
      fc.property(id, fc.string(), fc.json(), (key, method, json) => {
        const value = parseJson(json);
        for (const message of [
          buildRequest(key, method, { p: value }),
          buildNotification(method, { p: value }),
          buildResult(key, value),
          buildError(key, -1, method, value),
        ]) {
          expect(parseMessage(message.bytes)).toEqual(message);
          expect(message.bytes.includes(0x0a)).toBe(false);
        }
      }),
    );
  });

  test("a batch comes apart into messages with their own bytes", () => {
    const batch = parse('[{"id":1,"method":"a"}, 7,{"method":"b"} ]');
    if (batch.kind !== "batch") throw new Error("no batch");
    expect(splitBatch(batch).map(({ kind, bytes }) => [kind, Buffer.from(bytes).toString()])).toEqual([
      ["request", '{"id":1,"method":"a"}'],
      ["strange", "7"],
      ["notification", '{"method":"b"}'],
    ]);
  });
});

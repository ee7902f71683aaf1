// Reading as much of a message as is needed, and changing one value in its bytes and in our copy alike.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, parseJson } from "../../src/core/json.ts";
import { mentions, readEnvelope, readMember } from "../../src/wire/envelope.ts";
import { parseMessage, type RequestMessage } from "../../src/wire/message.ts";
import { respell, valueAt } from "../../src/wire/respell.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const envelope = (text: string) => readEnvelope(bytesOf(text));

test("an envelope says of every message what the whole parse says", () => {
  const id = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.string(), fc.constant({}));
  const member = fc.option(fc.oneof(fc.string(), fc.constant({ id: 5, method: "x" }), fc.integer()), { nil: undefined });
  const message = fc.record({ jsonrpc: fc.constant("2.0"), id, method: member, result: member, error: member, params: member });
  fc.assert(
    fc.property(message, (value) => {
      const text = JSON.stringify(value);
      const whole = parseMessage(bytesOf(text));
      const read = envelope(text);
      expect<string>(read.kind).toBe(whole.kind === "strange" ? "other" : whole.kind);
      if ("id" in whole && "id" in read) expect(read.id).toBe(whole.id);
      if ("method" in whole && "method" in read) expect(read.method).toBe(whole.method);
    }),
  );
});

test("ids keep their digits, and the last of two equal keys counts", () => {
  expect(envelope('{"id":9223372036854775807,"error":{}}')).toEqual({ kind: "response", id: "9223372036854775807", isError: true });
  expect(envelope('{"id":1,"result":1,"\\u0069d":"2"}')).toEqual({ kind: "response", id: '"2"', isError: false });
  for (const text of ["", "[", "3", "{}", '{"id":1}', '{"method":5}']) expect(envelope(text)).toEqual({ kind: "other" });
});

test("one value is read without the rest", () => {
  const bytes = bytesOf('{"params":{"uri":"x:\\u00e9","n":1.0},"x":"related-task"}');
  expect(readMember(bytes, ["params", "uri"])).toBe("x:é");
  expect(readMember(bytes, ["params", "none"])).toBeUndefined();
  expect(mentions(bytes, "related-task")).toBe(true);
  expect(mentions(bytes.subarray(0, 20), "related-task")).toBe(false);
});

test("P1: a value is replaced in the bytes, which are the same but there, and in our copy, which is what the bytes say", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), fc.string(), (params, value, name) => {
      const text = `{ "jsonrpc":"2.0","id":1.0, "params":${JSON.stringify({ ...params, [name]: 7 })},"method":"m" }`;
      const message = parseMessage(bytesOf(text)) as RequestMessage; // it is one
      const changed = respell(message, ["params", name], value as Json);
      expect(changed.value).toEqual(parseJson(new TextDecoder().decode(changed.bytes)) as typeof changed.value);
      expect(valueAt(changed.value, ["params", name])).toEqual(parseJson(JSON.stringify(value)));
      const back = respell(changed, ["params", name], 7);
      expect(new TextDecoder().decode(back.bytes)).toBe(text);
    }),
  );
});

test("a replaced id is the message's id; a place that isn't there changes nothing", () => {
  const message = parseMessage(bytesOf('{"id":1,"method":"m","params":[]}')) as RequestMessage; // it is one
  expect(respell(message, ["id"], "é")).toMatchObject({ id: '"é"', value: { id: "é" } });
  expect(respell(message, ["id"], -0)).toMatchObject({ id: "0", value: { id: 0 } }); // what the bytes say
  expect(respell(message, ["params", "name"], "x")).toBe(message);
  expect(valueAt(message.value, ["params", "length"])).toBeUndefined();
});

import { expect, test } from "bun:test";
import { digestOf, sha256 } from "../../src/core/digest.ts";
import { canonicalJson, type Json, parseJson, printJson } from "../../src/core/json.ts";
import { parseLarge } from "../../src/wire/parse-large.ts";
import { seeds, withSeed } from "../support/random.ts";

const MIB = 1024 * 1024;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** What came of parsing: the value as text, or that it is no JSON. */
function outcome(parse: () => Json): string {
  try {
    return printJson(parse());
  } catch (error) {
    return (error as Error).name;
  }
}
const expectSame = (bytes: Uint8Array) => expect(outcome(() => parseLarge(bytes)) === outcome(() => parseJson(textOf(bytes)))).toBe(true);

const ATOMS = ["x", "\\n", "\\\\", '\\"', "\\ud83d\\ude00", "\\ud83d", "é", "€", "𝄞", "\ufeff", "1.0", "\\u0000"];

test.each(seeds(7))("P1: a large text means what it means read as a whole, wherever its long strings are cut (seed %d)", (seed) =>
  withSeed(seed, async (choose) => {
    for (let round = 0; round < 12; round++) {
      let text = "";
      while (text.length < 1000) text += choose.of(ATOMS);
      // One character more each time, so that the cuts fall everywhere.
      const long = "y".repeat(round) + text.repeat((1.2 * MIB) / 1000);
      expectSame(bytesOf(`{"a":"${long}","b":[1.0,9223372036854775807,"${long}"],"__proto__":{"c":"short"},"${long}":"${long}"}`));
    }
  }),
);

test.each(seeds(3))("P7: a large value is recorded in parts as it is as a whole, wherever its long strings are cut (seed %d)", (seed) =>
  withSeed(seed, async (choose) => {
    for (let round = 0; round < 2; round++) {
      let text = "";
      while (text.length < 1000) text += choose.of(ATOMS);
      const long = "y".repeat(round) + text.repeat((4.3 * MIB) / 1000);
      const bytes = bytesOf(`{"b":["${long}"],"a":"${long}"}`);
      expect(digestOf(parseLarge(bytes))).toBe(sha256(canonicalJson(parseJson(textOf(bytes)))));
    }
  }),
);

test("P1: bytes that are no UTF-8 mean the same in parts", () => {
  for (const piece of [[0x80], [0xf0, 0x9f, 0x98, 0x80, 0x80], [0xe0, 0x80, 0x80], [0xc3, 0x61], [0xf0, 0x9f, 0x98]]) {
    const inside = new Uint8Array(MIB + 64).map((_, at) => piece[at % piece.length] as number); // in range: a remainder
    for (let cut = 0; cut < 5; cut++) expectSame(Buffer.concat([bytesOf('{"a":"'), inside.subarray(cut), bytesOf('"}')]));
  }
});

test("P1: what is no JSON as a whole is none in parts", () => {
  const long = "z".repeat(2 * MIB);
  for (const text of [
    `"${long}`,
    `"${long}\n"`,
    `"${long}\\x"`,
    `"${long}\\n\u0001"`,
    `"${long}" "${long}"`,
    `{"a":"${long}",}`,
    `["${long}"`,
  ])
    expectSame(bytesOf(text));
  expectSame(Uint8Array.of(...bytesOf('"'), ...new Uint8Array(70_000).fill(0xff), ...bytesOf('"')));
});

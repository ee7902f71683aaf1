// How is one value of a state shown in little room? On one line, nothing hidden in it; what is no text by its size and digest. Pure.
import { sha256 } from "../../core/digest.ts";
import { type Json, printJson } from "../../core/json.ts";
import type { State } from "../../core/state.ts";
import { shorten } from "./layout.ts";
import { visible } from "./visible.ts";

/** From so many characters on a text without blanks that decodes as base64 is taken for bytes; a digest or a token is shorter. */
const BASE64_FROM = 200;
const LEAST_LINE = 60;
/** Longer texts aren't compared line by line. */
const LONGEST_TEXT = 1_000_000;
/** A beginning that several values share is left out from so many characters on, but for the last few of it. */
const SHARED_FROM = 40;
const SHARED_SHOWN = 12;

/** Gives a value on one line of at most `width` cells; undefined is nothing. */
export function valueText(value: Json | undefined, width: number): string {
  return cut(printed(value), 0, width);
}

/** Gives a state likewise. */
export function stateText(state: State, width: number): string {
  if (state.kind === "present") return valueText(state.value, width);
  return state.kind === "absent" ? "(absent)" : shorten(`(unreadable: ${visible(state.why)})`, width);
}

/** Gives values to be compared: where they don't fit, a long beginning that they share is left out, so that the difference is seen. */
export function comparedTexts(values: readonly (Json | undefined)[], width: number): readonly string[] {
  const texts = values.map(printed);
  const given = texts.filter((_, at) => values[at] !== undefined);
  const isLong = texts.some((text) => text.length > width);
  const shared = isLong && given.length > 1 ? sharedLength(given) : 0;
  const start = shared < SHARED_FROM ? 0 : shared - SHARED_SHOWN;
  return texts.map((text, at) => cut(text, values[at] === undefined ? 0 : start, width));
}

/** Tells whether a value is a text of several lines that can be shown line by line. */
export function isLines(value: Json | undefined): value is string {
  return typeof value === "string" && value.length <= LONGEST_TEXT && /\n./s.test(value) && bytesText(value) === undefined;
}

function printed(value: Json | undefined): string {
  if (value === undefined) return "(nothing)";
  if (typeof value !== "string") return printJson(value);
  return bytesText(value) ?? JSON.stringify(value);
}

/** Cuts before escaping: a value may be as large as a file. So many units fill the width, whatever they are. */
function cut(text: string, start: number, width: number): string {
  const from = isSecondHalf(text, start) ? start - 1 : start;
  return shorten(visible(`${from > 0 ? "…" : ""}${text.slice(from, from + 8 * (width + 1))}`), width);
}

function isSecondHalf(text: string, at: number): boolean {
  return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

function sharedLength([first = "", ...others]: readonly string[]): number {
  let length = 0;
  while (length < first.length && others.every((other) => other.charCodeAt(length) === first.charCodeAt(length))) length++;
  return length;
}

/** Gives the size and the digest of what is no text: bytes in base64, also as a data URL, or a text with zeros in it; undefined for any other. */
function bytesText(text: string): string | undefined {
  if (text.includes("\u0000")) return `(no text: ${sizeText(Buffer.from(text))})`;
  if (text.length < BASE64_FROM) return undefined;
  const prefix = /^data:([\w.+/-]*)[^,]{0,100};base64,/.exec(text.slice(0, 300));
  const encoded = text.slice(prefix?.[0].length ?? 0);
  if (!isBase64(encoded)) return undefined;
  return `(${prefix?.[1] ? `${prefix[1]} in base64` : "base64"}: ${sizeText(Buffer.from(encoded, "base64"))})`;
}

/** On one line, or on lines of one length, as MIME (RFC 2045) and PEM have them: a list of words, one a line, is a text. */
function isBase64(text: string): boolean {
  const [first = "", ...others] = text.slice(0, 100).includes("\n") ? text.trimEnd().split(/\r?\n/) : [text.trimEnd()];
  const last = others.pop() ?? first;
  if (others.length > 0 && (first.length < LEAST_LINE || others.some((line) => line.length !== first.length))) return false;
  if (last.length > first.length) return false;
  const whole = [...(last === first ? [] : [first]), ...others, last].join("");
  return whole.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(whole);
}

function sizeText(bytes: Uint8Array): string {
  return `${bytes.length.toLocaleString("en")} bytes, sha256 ${sha256(bytes).slice(0, 16)}`;
}

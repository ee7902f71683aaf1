// How is a reference or a path written, and what does it find in a value? Only own members count: `__proto__`, `constructor` and
// `length` are ordinary names, found where the value has them and nowhere else.
import { isJsonObject, type Json, parseJson, printJson } from "./json.ts";
import { type LongText, longTextsOf } from "./long-text.ts";
import { nearest } from "./near-name.ts";
import { sameScalar } from "./same-scalar.ts";
import type { Namespace, PathStep, Reference } from "./template.ts";

/** A reference with the offset behind its last character, or why it is none. */
export type ReferenceReading =
  | { readonly kind: "reference"; readonly reference: Reference; readonly end: number }
  | { readonly kind: "invalid"; readonly reason: string };

/** What a path finds in a value. */
export type Lookup = { readonly kind: "found"; readonly value: Json } | { readonly kind: "absent" };

type StepsReading = { readonly kind: "steps"; readonly steps: readonly PathStep[]; readonly end: number } | InvalidReading;
type InvalidReading = { readonly kind: "invalid"; readonly reason: string };
type StepReading = { readonly kind: "step"; readonly step: PathStep; readonly end: number } | InvalidReading;

const NAMESPACES: Readonly<Record<string, Namespace>> = {
  "": "args",
  snapshot: "snapshot",
  current: "current",
  result: "result",
  item: "item",
};
/** A selection may select by what another one finds; more than this many inside of each other are a mistake. */
const MAX_DEPTH = 5;
const EXPECTED = "expected `$.`, `$snapshot`, `$current` or `$result`";

/** Reads the reference that begins with the dollar at `start`; text may follow it. */
export function readReference(text: string, start: number, depth = 0): ReferenceReading {
  const word = matchAt(/[A-Za-z0-9_]+/y, text, start + 1);
  const namespace = Object.hasOwn(NAMESPACES, word) ? NAMESPACES[word] : undefined;
  if (namespace === undefined) return invalid(unknownNamespace(text, start, word));
  const read = readSteps(text, start + 1 + word.length, start, depth);
  if (read.kind === "invalid") return read;
  const whole = start === 0 && read.end === text.length;
  if (namespace === "args" && read.steps.length === 0 && !whole) return invalid(loneDollar(text, start));
  return { kind: "reference", reference: { namespace, steps: read.steps, text: text.slice(start, read.end) }, end: read.end };
}

/** Reads a path without a dollar, `updated_at` or `items[].etag`, as a reference into the state. */
export function readIgnoredPath(text: string): ReferenceReading {
  if (text.startsWith("$"))
    return invalid(`write the path without \`$\`: it is relative to the state, like \`updated_at\` or \`items[].etag\``);
  const name = matchName(text, 0);
  const head: PathStep[] = name === "" ? [] : [{ kind: "member", name }];
  if (name === "" && !text.startsWith("["))
    return invalid(`malformed path \`${text}\`: expected a name, like \`updated_at\` or \`items[].etag\``);
  const read = readSteps(text, name.length, 0, 0);
  if (read.kind === "invalid") return read;
  if (read.steps.some(({ kind }) => kind === "where"))
    return invalid(`\`${text}\` selects by a value, which only a reference can; write \`[]\` for every element`);
  if (read.end !== text.length) return invalid(`malformed path \`${text}\`: unexpected \`${text.slice(read.end)}\``);
  return { kind: "reference", reference: { namespace: "snapshot", steps: [...head, ...read.steps], text }, end: read.end };
}

/** Reads a path from a value. With `[]` the rest is read from every element: one element without it, and nothing is found. */
export function readPath(value: Json, steps: readonly PathStep[]): Lookup {
  let current = value;
  for (const [index, step] of steps.entries()) {
    if (step.kind === "each") return Array.isArray(current) ? readEach(current, steps.slice(index + 1)) : ABSENT;
    const next = readStep(current, step);
    if (next === undefined) return ABSENT;
    current = next;
  }
  return { kind: "found", value: current };
}

/** Prints a path as a manifest would write it, without the namespace: `items[0].etag`; the empty path prints as "". */
export function printPath(steps: readonly PathStep[]): string {
  let text = "";
  for (const step of steps) {
    if (step.kind === "each") text += "[]";
    else if (step.kind === "where") text += `[${quotedName(step.name)}=${"value" in step ? printJson(step.value) : step.reference.text}]`;
    else if (step.kind === "index") text += `[${step.index}]`;
    else if (quotedName(step.name) !== step.name) text += `[${quotedName(step.name)}]`;
    else text += text === "" ? step.name : `.${step.name}`;
  }
  return text;
}

const ABSENT: Lookup = { kind: "absent" };

function quotedName(name: string): string {
  return name !== "" && matchName(name, 0) === name ? name : JSON.stringify(name);
}

/** Gives the long text that a plain path of members and positions leads to, without reading it; undefined where there is none. */
export function longTextAt(value: Json | undefined, steps: readonly PathStep[]): LongText | undefined {
  const last = steps.at(-1);
  if (value === undefined || last?.kind !== "member" || steps.some(({ kind }) => kind === "where" || kind === "each")) return undefined;
  const holder = readPath(value, steps.slice(0, -1));
  return holder.kind === "found" && isJsonObject(holder.value) ? longTextsOf(holder.value)?.get(last.name) : undefined;
}

function readEach(list: readonly Json[], rest: readonly PathStep[]): Lookup {
  const values: Json[] = [];
  for (const element of list) {
    const read = readPath(element, rest);
    if (read.kind === "absent") return ABSENT;
    values.push(read.value);
  }
  return { kind: "found", value: values };
}

function readStep(value: Json, step: Exclude<PathStep, { kind: "each" }>): Json | undefined {
  if (step.kind === "index") return Array.isArray(value) ? (value[step.index] as Json | undefined) : undefined;
  if (step.kind === "where") return "value" in step ? selected(value, step.name, step.value) : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
}

/** Selects among the elements of a list, or the members of a mapping. Several that are equal would be a guess between them. */
function selected(list: Json, name: string, wanted: Json): Json | undefined {
  if (!Array.isArray(list) && !isJsonObject(list)) return undefined;
  const found = Object.values<Json>(list).filter(
    (element) => isJsonObject(element) && Object.hasOwn(element, name) && sameScalar(element[name], wanted),
  );
  return found.length === 1 ? found[0] : undefined;
}

function readSteps(text: string, from: number, start: number, depth: number): StepsReading {
  const steps: PathStep[] = [];
  let position = from;
  while (position < text.length) {
    const next = text[position];
    if (next !== "." && next !== "[") break;
    if (next === "." && endsSentence(text, position + 1, start)) break;
    const read = next === "." ? readMember(text, position, start) : readBracket(text, position, start, depth);
    if (read.kind === "invalid") return read;
    if (next === "[" && matchName(text, read.end) !== "")
      return invalid(`malformed path \`${text.slice(start)}\`: a dot is missing after \`${text.slice(start, read.end)}\``);
    steps.push(read.step);
    position = read.end;
  }
  return { kind: "steps", steps, end: position };
}

/** In running text a full stop after a reference is a full stop; a text that is only a reference can't end in a dot. */
function endsSentence(text: string, position: number, start: number): boolean {
  return position === text.length ? start > 0 : /\s/.test(text[position] ?? "");
}

function readMember(text: string, dot: number, start: number): StepReading {
  const name = matchName(text, dot + 1);
  if (name !== "") return { kind: "step", step: { kind: "member", name }, end: dot + 1 + name.length };
  return invalid(`malformed path \`${text.slice(start)}\`: empty segment after \`${text.slice(start, dot + 1)}\``);
}

function readBracket(text: string, open: number, start: number, depth: number): StepReading {
  const malformed = (what: string) => invalid(`malformed path \`${text.slice(start)}\`: ${what}`);
  const quoted = matchAt(/"(?:[^"\\]|\\.)*"/y, text, open + 1);
  const key = quoted === "" ? matchName(text, open + 1) : quoted;
  if (key !== "" && text[open + 1 + key.length] === "=") {
    const name = quoted === "" ? key : unquote(quoted);
    return name === undefined ? malformed(`${quoted} is no JSON string`) : readSelection(text, open, key.length, name, start, depth);
  }
  const close = quoted === "" ? text.indexOf("]", open) : open + 1 + quoted.length;
  if (close < 0 || text[close] !== "]") return malformed("unclosed bracket `[`");
  const end = close + 1;
  if (quoted !== "") {
    const name = unquote(quoted);
    return name === undefined ? malformed(`${quoted} is no JSON string`) : { kind: "step", step: { kind: "member", name }, end };
  }
  const inside = text.slice(open + 1, close);
  if (inside === "") return { kind: "step", step: { kind: "each" }, end };
  if (/^(0|[1-9]\d{0,8})$/.test(inside)) return { kind: "step", step: { kind: "index", index: Number(inside) }, end };
  return malformed(`\`[${inside}]\` is no position; write \`[0]\`, \`[]\` for every element, \`[id=$.id]\` for one, or \`["a name"]\``);
}

/** Reads `[name=value]`, where the value is a reference, a number, a word, or a text in quotes. */
function readSelection(text: string, open: number, width: number, name: string, start: number, depth: number): StepReading {
  const malformed = (what: string) => invalid(`malformed path \`${text.slice(start)}\`: ${what}`);
  const at = open + width + 2;
  if (text[at] === "$") {
    if (depth >= MAX_DEPTH) return malformed("too many selections inside of each other");
    const read = readReference(text, at, depth + 1);
    if (read.kind === "invalid") return read;
    if (text[read.end] !== "]") return malformed("unclosed bracket `[`");
    return { kind: "step", step: { kind: "where", name, reference: read.reference }, end: read.end + 1 };
  }
  const written = matchAt(/"(?:[^"\\]|\\.)*"|[^\]\s"]+/uy, text, at);
  if (written === "" || text[at + written.length] !== "]")
    return malformed('a selection looks like `[id=$.id]`, `[id=7]` or `[name="a text"]`');
  const value = selectedValue(written);
  if (value === undefined) return malformed(`${written} has to be in quotes`);
  return { kind: "step", step: { kind: "where", name, value }, end: at + written.length + 1 };
}

/** A word stands for itself; `true`, `false`, `null` and numbers are what they are in JSON. */
function selectedValue(written: string): Json | undefined {
  if (/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(written) && !/^(true|false|null)$/.test(written)) return written;
  try {
    return parseJson(written);
  } catch {
    return undefined;
  }
}

function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted);
  } catch {
    return undefined;
  }
}

function unknownNamespace(text: string, start: number, word: string): string {
  if (/^\d/.test(word)) return loneDollar(text, start);
  const meant = nearest(word, ["snapshot", "current", "result", "item"]) ?? (word.startsWith("snap") ? "snapshot" : undefined);
  const written = text.slice(start).split(/\s/, 1)[0] ?? "";
  return `unknown reference \`${written}\`; ${EXPECTED}${meant === undefined ? "" : `: did you mean \`$${meant}\`?`}`;
}

function loneDollar(text: string, start: number): string {
  if (text[start + 1] === "{")
    return `variables like \`\${NAME}\` are expanded in \`env\`, \`headers\` and \`args\` of servers only; write \`$$\` for a dollar`;
  return `a \`$\` that begins no reference; write \`$$\` for a dollar (${EXPECTED})`;
}

function matchName(text: string, position: number): string {
  return matchAt(/[\p{L}\p{N}_-]+/uy, text, position);
}

function matchAt(pattern: RegExp, text: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? "";
}

function invalid(reason: string): InvalidReading {
  return { kind: "invalid", reason };
}

// How is a member of a YAML mapping written, added and taken away, so that it looks like its neighbours? Gives pieces of text to put in place
// of others. A text is quoted wherever some reader could take it for something else.
import { isCollection, isScalar, isSeq, type Node, type YAMLSeq } from "yaml";
import { isExactNumber, isJsonObject, type Json, printJson } from "../../core/json.ts";
import {
  beginsLine,
  equalTail,
  type Fault,
  fault,
  lineBefore,
  lineEnd,
  lineStart,
  type NewMember,
  newlineOf,
  type Splice,
  type TreeMember,
  type TreeNode,
} from "./tree.ts";
import type { YamlSource } from "./yaml.ts";

type Map = TreeNode<YamlSource>;
type Member = TreeMember<YamlSource>;

/** Puts another value in the place of one. */
export function setValue(text: string, map: Map, { name, offset, span, node }: Member, value: Json): readonly Splice[] | Fault {
  const { node: old, keyEnd = offset } = node.source;
  const style = styleOf(text, map, old);
  if (!canHold(value)) return fault(offset, `YAML can't hold the value for \`${name}\``);
  const start = old?.range?.[0] ?? offset;
  const end = span?.end ?? offset;
  const head = isSeq<Node>(old) && Array.isArray(value) ? setHead(text, old, value, equalTail(node.value, value), style) : undefined;
  if (head !== undefined) return [head];
  const isWritten = old !== null && end > start;
  const inLine = isFlow(map.source.node) || isFlow(old) || (isScalar(old) && !isBlockScalar(old) && !isFilled(value));
  if (isWritten && inLine) return [{ start, end, text: flow(value, style) }];
  if (isWritten && isSeq(old) && Array.isArray(value) && value.length > 0) {
    return [{ start, end, text: listLines(value, style, columnOf(text, start)).join(style.newline) }];
  }
  const colon = text.indexOf(":", keyEnd) + 1;
  const written = isFlow(map.source.node) ? ` ${flow(value, style)}` : valueText(value, style, columnOf(text, offset));
  return [{ start: colon, end: Math.max(end, colon), text: written }];
}

/** Puts items in the place of all but the last `tail` of a list; undefined where that can't be done. */
function setHead(text: string, list: YAMLSeq<Node>, value: readonly Json[], tail: number, style: Style): Splice | undefined {
  const [first, kept] = [list.items[0]?.range?.[0], list.items.at(-tail)?.range?.[0]];
  if (tail === 0 || first === undefined || kept === undefined) return undefined;
  const items = value.slice(0, -tail);
  if (list.flow === true) return { start: first, end: kept, text: items.map((item) => `${flow(item, quotedIn(style))}, `).join("") };
  const [start, end] = [list.range?.[0] ?? first, text.lastIndexOf("-", kept - 1)];
  if (text.slice(end + 1, kept).trim() !== "") return undefined;
  const indent = style.newline + " ".repeat(columnOf(text, start));
  return { start, end, text: items.map((item) => `- ${flow(item, style)}${indent}`).join("") };
}

/** Adds a member behind another one; null: before the first. */
export function insertMember(text: string, map: Map, added: NewMember, after: Member | null): readonly Splice[] | Fault {
  const { node } = map.source;
  const style = styleOf(text, map, null);
  if (!("text" in added) && !canHold(added.value)) return fault(map.offset, `YAML can't hold the value for \`${added.name}\``);
  const [first] = map.members ?? [];
  if (first === undefined || isFlow(node)) return insertInFlow(map, added, after, style);
  const column = columnOf(text, first.offset);
  const indent = text.slice(lineStart(text, first.offset), first.offset);
  if (indent.trim() !== "") return fault(first.offset, "it begins in the line of something else", "give it a line of its own");
  const line = "text" in added ? added.text : `${scalarText(added.name, PLAIN)}:${valueText(added.value, style, column)}`;
  if (after?.span === undefined) return [at(first.offset, line + style.newline + indent)];
  return [at(lineEnd(text, after.span.end), style.newline + indent + line)];
}

/** Takes a member away, with the lines that it leaves empty. */
export function removeMember(text: string, map: Map, { span, offset }: Member): readonly Splice[] | Fault {
  const { start, end } = span ?? { start: offset, end: offset };
  if (isFlow(map.source.node)) {
    const behind = /^\s*,[ \t]*/.exec(text.slice(end))?.[0];
    if (behind !== undefined) return [{ start, end: end + behind.length, text: "" }];
    const before = /,\s*$/.exec(text.slice(0, start))?.[0] ?? "";
    return [{ start: start - before.length, end, text: "" }];
  }
  if (map.members?.length === 1) return [{ start, end, text: "{}" }];
  if (lineEnd(text, end) !== end || !beginsLine(text, start)) return [{ start, end, text: "" }];
  if (lineStart(text, start) > 0) return [{ start: lineBefore(text, start), end, text: "" }];
  return [{ start: 0, end: end + (/^\r?\n/.exec(text.slice(end))?.[0].length ?? 0), text: "" }];
}

function insertInFlow(map: Map, added: NewMember, after: Member | null, style: Style): readonly Splice[] | Fault {
  const { node } = map.source;
  const written = "text" in added ? added.text : `${scalarText(added.name, PLAIN)}: ${flow(added.value, style)}`;
  const [first] = map.members ?? [];
  if (first !== undefined) {
    return [after?.span === undefined ? at(first.offset, `${written}, `) : at(after.span.end, `, ${written}`)];
  }
  const [start, end] = node?.range ?? [0, 0];
  return isFlow(node)
    ? [{ start, end, text: `{ ${written} }` }]
    : fault(map.offset, "there is nothing in it yet", "write {} behind its key");
}

function at(offset: number, text: string): Splice {
  return { start: offset, end: offset, text };
}

/** How a document writes. */
interface Style {
  readonly newline: string;
  readonly quote: Quote;
  /** How much further in than its key the dash of a list stands; undefined where lists are written between brackets. */
  readonly dash: number | undefined;
  /** How much further in than its key a mapping stands. */
  readonly step: number;
}
type Quote = "PLAIN" | "QUOTE_SINGLE" | "QUOTE_DOUBLE";
const PLAIN: Quote = "PLAIN";

/** A key in a line of its own, and the dash or the key below it. */
const LIST_BELOW = /^( *)[^\s#][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n( *)- /m;
const MAP_BELOW = /^( *)[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\r?\n( +)[^\s#-]/m;

function styleOf(text: string, map: Map, old: Node | null): Style {
  const models = [old, ...(map.members ?? []).map(({ node }) => node.source.node)];
  const quote = models.map(quoteOf).find((each) => each !== undefined) ?? PLAIN;
  const deeper = (found: RegExpExecArray | null) => (found === null ? undefined : (found[2] ?? "").length - (found[1] ?? "").length);
  const dash = deeper(LIST_BELOW.exec(text)) ?? (/:[ \t]+\[/.test(text) ? undefined : 2);
  return {
    newline: newlineOf(text),
    quote,
    dash: dash === undefined ? dash : Math.max(0, dash),
    step: Math.max(1, deeper(MAP_BELOW.exec(text)) ?? 2),
  };
}

/** How a text, or the first text of a list, is written. */
function quoteOf(node: Node | null): Quote | undefined {
  if (isSeq<Node>(node)) return quoteOf(node.items[0] ?? null);
  if (!isScalar(node) || typeof node.value !== "string") return undefined;
  return node.type === "QUOTE_SINGLE" || node.type === "QUOTE_DOUBLE" ? node.type : PLAIN;
}

/** What stands behind the colon of a key in that column: in the same line, or below. */
function valueText(value: Json, style: Style, column: number): string {
  if (Array.isArray(value) && value.length > 0 && style.dash !== undefined) {
    const indent = " ".repeat(column + style.dash);
    return listLines(value, style, column + style.dash, indent)
      .map((line) => style.newline + line)
      .join("");
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return ` ${flow(value, style)}`;
  const indent = " ".repeat(column + style.step);
  return Object.entries(value)
    .map(([name, member]) => `${style.newline}${indent}${scalarText(name, PLAIN)}: ${flow(member, style)}`)
    .join("");
}

/** The items of a list, one below the other; `first` stands before the first one. */
function listLines(value: readonly Json[], style: Style, column: number, first = ""): readonly string[] {
  return value.map((item, index) => `${index === 0 ? first : " ".repeat(column)}- ${flow(item, style)}`);
}

/** A value in one line. */
function flow(value: Json, style: Style): string {
  if (typeof value === "string") return scalarText(value, style.quote);
  if (typeof value !== "object" || value === null || isExactNumber(value)) return printJson(value);
  const quoted = quotedIn(style);
  if (!isJsonObject(value)) return `[${value.map((item) => flow(item, quoted)).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${scalarText(name, "QUOTE_DOUBLE")}: ${flow(member, quoted)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Between brackets more characters mean something, so texts are quoted there. */
function quotedIn(style: Style): Style {
  return style.quote === PLAIN ? { ...style, quote: "QUOTE_DOUBLE" } : style;
}

/** Texts that every reader takes for texts, also those of YAML 1.1. */
const SAFE = /^(?:[A-Za-z_/]|\.{1,2}\/|-{1,2}[A-Za-z])[\w/.@=+-]*$/;
const WORD = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function scalarText(value: string, quote: Quote): string {
  if (quote === PLAIN && SAFE.test(value) && !WORD.test(value)) return value;
  if (quote === "QUOTE_SINGLE" && /^[\x20-\x7e]*$/.test(value)) return `'${value.replaceAll("'", "''")}'`;
  // What JSON leaves as it is, and YAML doesn't take as it is.
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Half of a surrogate pair is no character to YAML. */
function canHold(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null || isExactNumber(value)) return true;
  if (!isJsonObject(value)) return value.every(canHold);
  return Object.entries(value).every(([name, member]) => name.isWellFormed() && canHold(member));
}

function isFilled(value: Json): boolean {
  return (Array.isArray(value) && value.length > 0) || (isJsonObject(value) && Object.keys(value).length > 0);
}

function isFlow(node: Node | null): boolean {
  return isCollection(node) && node.flow === true;
}

function isBlockScalar(node: Node): boolean {
  return isScalar(node) && (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED");
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}

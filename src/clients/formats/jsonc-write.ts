// How is a member of a JSON object written, added and taken away, so that it looks like its neighbours? Gives pieces of text to put in place
// of others; never touches a comment outside of them.
import type { Node } from "jsonc-parser";
import { isJsonObject, type Json, printJson } from "../../core/json.ts";
import { beginsLine, indentAt, lineBefore, type NewMember, newlineOf, type Span, type Splice } from "./tree.ts";

const TRIVIA = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\r\n]*)*/y;
/** Comments behind something in its line, where nothing else follows in it. */
const LINE_REST = /(?:[ \t]*\/\*[^\r\n]*?\*\/)*(?:[ \t]*(\/\/[^\r\n]*))?(?=[ \t]*(?:\r?\n|$))/y;

/** Prints a value as a member of a map, in place of an older value if there is one: in lines where its neighbours are. */
export function printValue(text: string, map: Node, value: Json, old?: Node): string {
  return print(value, old === undefined ? indentIn(text, map) : indentAt(text, old.offset), styleOf(text, map, old));
}

/** Puts items in the place of all but the last `tail` of a list. */
export function setHead(text: string, map: Node, old: readonly Node[], items: readonly Json[], tail: number): readonly Splice[] {
  const [start, end] = [old[0]?.offset ?? 0, old.at(-tail)?.offset ?? 0];
  const gap = gapBefore(text, start, styleOf(text, map).colon);
  return [{ start, end, text: items.map((item) => `${printValue(text, map, item, old[0])},${gap}`).join("") }];
}

/** Adds a member behind another one; null: before the first. */
export function insertMember(text: string, map: Node, added: NewMember, after: Span | null): readonly Splice[] {
  const { colon } = styleOf(text, map);
  const written = "text" in added ? added.text : JSON.stringify(added.name) + colon + printValue(text, map, added.value);
  const [first] = map.children ?? [];
  if (first === undefined) return fill(text, map, written);
  if (after === null) return [at(first.offset, `${written},${gapBefore(text, first.offset, colon)}`)];
  const gap = gapBefore(text, after.start, colon);
  const comma = commaAfter(text, after.end);
  const rest = restOfLine(text, comma === undefined ? after.end : comma + 1);
  const behind = (rest.commented && !gap.includes("\n") ? newlineOf(text) + indentIn(text, map) : gap) + written;
  if (comma !== undefined) return [at(rest.end, `${behind},`)];
  return [at(after.end, ","), at(rest.end, behind)];
}

/** Takes a member away, with one comma and the line that it leaves empty. */
export function removeMember(text: string, map: Node, { start, end }: Span): readonly Splice[] {
  const comma = commaAfter(text, end);
  if (comma !== undefined) {
    if (text.slice(end, comma).trim() !== "") return [cut(start, end), cut(comma, comma + 1)];
    if (endsLine(text, comma + 1)) return [cut(lineBefore(text, start), comma + 1)];
    return [cut(start, comma + 1 + (/^[ \t]*/.exec(text.slice(comma + 1))?.[0].length ?? 0))];
  }
  const previous = (map.children ?? []).findLast((property) => property.offset < start);
  if (previous === undefined) return [cut(endsLine(text, end) ? lineBefore(text, start) : start, end)];
  const before = commaAfter(text, previous.offset + previous.length) ?? start;
  if (text.slice(before + 1, start).trim() === "") return [cut(before, end)];
  return [cut(before, before + 1), cut(endsLine(text, end) ? lineBefore(text, start) : start, end)];
}

/** Puts the first member between braces. */
function fill(text: string, map: Node, written: string): readonly Splice[] {
  const start = map.offset + 1;
  const end = map.offset + map.length - 1;
  const inner = text.slice(start, end);
  const outer = newlineOf(text) + indentAt(text, map.offset);
  const isSpread = inner.includes("\n") || map.parent === undefined || beginsLine(text, map.parent.offset);
  if (inner.trim() === "") {
    const [before, behind] = isSpread ? [newlineOf(text) + indentIn(text, map), outer] : [" ", " "];
    return [{ start, end, text: before + written + behind }];
  }
  // Behind the comments that stand there.
  const behind = start + inner.trimEnd().length;
  return [at(behind, newlineOf(text) + indentIn(text, map) + written + (text.slice(behind, end).includes("\n") ? "" : outer))];
}

function at(offset: number, text: string): Splice {
  return { start: offset, end: offset, text };
}

function cut(start: number, end: number): Splice {
  return { start, end, text: "" };
}

function commaAfter(text: string, offset: number): number | undefined {
  TRIVIA.lastIndex = offset;
  const next = offset + (TRIVIA.exec(text)?.[0].length ?? 0);
  return text[next] === "," ? next : undefined;
}

function restOfLine(text: string, offset: number): { readonly end: number; readonly commented: boolean } {
  LINE_REST.lastIndex = offset;
  const found = LINE_REST.exec(text);
  return { end: offset + (found?.[0].length ?? 0), commented: found?.[1] !== undefined };
}

function endsLine(text: string, offset: number): boolean {
  return /^[ \t]*(?:\r?\n|$)/.test(text.slice(offset, offset + 500));
}

/** What stands between a comma and the next member. */
function gapBefore(text: string, offset: number, colon: string): string {
  if (beginsLine(text, offset)) return newlineOf(text) + indentAt(text, offset);
  return colon === ":" ? "" : " ";
}

interface Style {
  readonly newline: string;
  /** One step of indentation. */
  readonly unit: string;
  readonly colon: string;
  readonly spreadsLists: boolean;
  readonly spreadsMaps: boolean;
}

function styleOf(text: string, map: Node, old?: Node): Style {
  const [sibling] = map.children ?? [];
  const colon = /^\s*:[ \t]*/.exec(sibling === undefined ? "" : text.slice(endOfKey(sibling), endOfKey(sibling) + 50))?.[0] ?? ": ";
  const root = rootOf(map);
  const members = (map.children ?? []).flatMap((property) => property.children?.[1] ?? []);
  const isSpread = (type: Node["type"]): boolean => {
    if (old !== undefined && isFilled(old, type)) return textOf(text, old).includes("\n");
    if (members.length > 0 && !textOf(text, map).includes("\n")) return false;
    return textOf(text, members.find((node) => isFilled(node, type)) ?? firstWithin(root, type, map) ?? map).includes("\n");
  };
  const unit = indentAt(text, root.children?.[0]?.offset ?? 0);
  return {
    newline: newlineOf(text),
    unit: unit === "" ? "  " : unit,
    colon,
    spreadsLists: isSpread("array"),
    spreadsMaps: isSpread("object"),
  };
}

function print(value: Json, indent: string, style: Style): string {
  const isMap = isJsonObject(value);
  if (!isMap && !Array.isArray(value)) return printJson(value);
  const inner = indent + style.unit;
  const isSpread = isMap ? style.spreadsMaps : style.spreadsLists;
  const deeper = isSpread ? inner : indent;
  const items = isMap
    ? Object.entries(value).map(([name, member]) => JSON.stringify(name) + style.colon + print(member, deeper, style))
    : value.map((item: Json) => print(item, deeper, style));
  const [open, close] = isMap ? "{}" : "[]";
  if (items.length === 0) return `${open}${close}`;
  if (isSpread) return open + items.map((item) => style.newline + inner + item).join(",") + style.newline + indent + close;
  const isTight = style.colon === ":";
  const pad = isMap && !isTight ? " " : "";
  return open + pad + items.join(isTight ? "," : ", ") + pad + close;
}

/** The indentation of a map's members. */
function indentIn(text: string, map: Node): string {
  const own = map.children?.find((property) => beginsLine(text, property.offset));
  if (own !== undefined) return indentAt(text, own.offset);
  return indentAt(text, map.offset) + styleOf(text, map).unit;
}

function endOfKey(property: Node): number {
  const key = property.children?.[0];
  return key === undefined ? property.offset : key.offset + key.length;
}

function rootOf(node: Node): Node {
  let root = node;
  while (root.parent !== undefined) root = root.parent;
  return root;
}

function isFilled(node: Node, type: Node["type"]): boolean {
  return node.type === type && (node.children?.length ?? 0) > 0;
}

/** The first list or map in the document that isn't empty, and isn't around `place`. */
function firstWithin(node: Node, type: Node["type"], place: Node): Node | undefined {
  const isAround = node.offset <= place.offset && node.offset + node.length >= place.offset + place.length;
  if (!isAround && isFilled(node, type)) return node;
  for (const child of node.children ?? []) {
    const found = firstWithin(child, type, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf(text: string, { offset, length }: Node): string {
  return text.slice(offset, offset + length);
}

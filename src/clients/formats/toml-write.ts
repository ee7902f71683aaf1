// How is a member of a TOML table written, added and taken away, so that it looks like its neighbours? Gives pieces of text to put in place of
// others; what TOML can't hold, or what would need a table to be moved, is a fault.
import type { AST } from "toml-eslint-parser";
import { isExactNumber, isJsonObject, type Json, printJson } from "../../core/json.ts";
import type { TomlSource } from "./toml.ts";
import {
  beginsLine,
  equalTail,
  type Fault,
  fault,
  indentAt,
  lineBefore,
  lineEnd,
  lineStart,
  type NewMember,
  newlineOf,
  type Splice,
  type TreeMember,
  type TreeNode,
} from "./tree.ts";

type Node = TreeNode<TomlSource>;
type Member = TreeMember<TomlSource>;

/** Puts another value in the place of one that is written as a value. */
export function setValue(text: string, map: Node, { name, node }: Member, value: Json): readonly Splice[] | Fault {
  const old = node.source.value;
  if (old === undefined) return fault(node.offset, `\`${name}\` is written as a table of its own`, `write it as a value: ${name} = ...`);
  const tail = equalTail(node.value, value);
  if (tail > 0 && old.type === "TOMLArray") {
    const kept = old.elements.at(-tail)?.range[0] ?? 0;
    return setHead(text, map, old, (value as readonly Json[]).slice(0, -tail), kept) ?? cannotHold(node.offset, name);
  }
  const printed = printValue(text, map, value, old);
  return printed === undefined ? cannotHold(node.offset, name) : [{ start: old.range[0], end: old.range[1], text: printed }];
}

/** Puts items in the place of those before `kept`. */
function setHead(text: string, map: Node, old: AST.TOMLArray, items: readonly Json[], kept: number): readonly Splice[] | undefined {
  const start = old.elements[0]?.range[0] ?? kept;
  const gap = beginsLine(text, start) ? newlineOf(text) + indentAt(text, start) : " ";
  const printed = items.flatMap((item) => print(item, isLiteralNear(map, old)) ?? []);
  return printed.length < items.length ? undefined : [{ start, end: kept, text: printed.map((item) => `${item},${gap}`).join("") }];
}

/** Adds a member behind another one; null: before the first. */
export function insertMember(text: string, map: Node, added: NewMember, after: Member | null): readonly Splice[] | Fault {
  const { site } = map.source;
  const written = "text" in added ? added.text : writeMember(text, map, added);
  if (written === undefined) return cannotHold(map.offset, added.name);
  if (site?.kind === "inline") return insertInline(site.table, written, after);
  // A table of its own stands behind all that belongs to the one around it.
  if (written.startsWith("[")) return [atLineEnd(text, map.source.end, newlineOf(text) + written)];
  if (site === undefined) return fault(map.offset, "only tables below it are written, and none for itself", "give it a table of its own");
  const [first] = site.members;
  const neighbour = site.members.find(({ range }) => range[1] === after?.span?.end) ?? (after === null ? undefined : site.members.at(-1));
  const isInline = first?.parent?.type === "TOMLInlineTable";
  if (neighbour !== undefined) {
    if (isInline) return [at(neighbour.range[1], `, ${written}`)];
    return [atLineEnd(text, neighbour.range[1], indentAt(text, neighbour.range[0]) + written)];
  }
  if (site.kind === "table" && site.header > 0) return [atLineEnd(text, site.header, indentAt(text, site.header) + written)];
  const [start] = first?.range ?? [0];
  return [at(start, isInline ? `${written}, ` : written + newlineOf(text) + indentAt(text, start))];
}

/** Takes a member away, with the lines that it leaves empty. */
export function removeMember(text: string, map: Node, { name, offset, span, node }: Member): readonly Splice[] | Fault {
  if (span === undefined) return fault(offset, `the parts of \`${name}\` stand apart from each other`, "put them together");
  const { start, end } = span;
  const { site } = map.source;
  // A table that nothing but dotted keys make would be gone with the last of them.
  if (map.members?.length === 1 && site?.kind === "dotted") return [{ start, end, text: `${site.prefix} = {}` }];
  if (node.source.isInline) {
    const behind = /^\s*,[ \t]*/.exec(text.slice(end))?.[0];
    if (behind !== undefined) return [{ start, end: end + behind.length, text: "" }];
    const before = /,?\s*$/.exec(text.slice(0, start))?.[0] ?? "";
    return [{ start: start - (before.startsWith(",") ? before.length : 0), end, text: "" }];
  }
  if (lineEnd(text, end) !== end || !beginsLine(text, start)) return [{ start, end, text: "" }];
  if (lineStart(text, start) > 0) return [{ start: lineBefore(text, start), end, text: "" }];
  return [{ start: 0, end: end + (/^\r?\n/.exec(text.slice(end))?.[0].length ?? 0), text: "" }];
}

function insertInline(table: AST.TOMLInlineTable, written: string, after: Member | null): readonly Splice[] {
  const [first] = table.body;
  if (first === undefined) return [{ start: table.range[0], end: table.range[1], text: `{ ${written} }` }];
  const neighbour = table.body.find(({ range }) => range[1] === after?.span?.end) ?? (after === null ? undefined : table.body.at(-1));
  return [neighbour === undefined ? at(first.range[0], `${written}, `) : at(neighbour.range[1], `, ${written}`)];
}

function at(offset: number, text: string): Splice {
  return { start: offset, end: offset, text };
}

/** A line of its own below the one in which the offset is: behind what else stands there, a comment say. */
function atLineEnd(text: string, offset: number, line: string): Splice {
  return at(lineEnd(text, offset), newlineOf(text) + line);
}

function cannotHold(offset: number, name: string): Fault {
  return fault(offset, `TOML can't hold the value for \`${name}\``);
}

function writeMember(text: string, map: Node, { name, value }: { name: string; value: Json }): string | undefined {
  const printed = printValue(text, map, value, undefined);
  if (printed === undefined) return undefined;
  const { site } = map.source;
  return `${site?.kind === "dotted" ? `${site.prefix}.` : ""}${keyText(name)} = ${printed}`;
}

function keyText(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : basicString(name);
}

function printValue(text: string, map: Node, value: Json, old: AST.TOMLContentNode | undefined): string | undefined {
  const isLiteral = isLiteralNear(map, old);
  if (!Array.isArray(value) || old?.type !== "TOMLArray" || value.length === 0) return print(value, isLiteral);
  const items = value.flatMap((item: Json) => print(item, isLiteral) ?? []);
  return items.length < value.length ? undefined : printList(text, items, old);
}

/** Prints a list as another one was: in one line, or one below the other. */
function printList(text: string, items: readonly string[], old: AST.TOMLArray): string {
  const [start] = old.range;
  const [first] = old.elements;
  if (first === undefined || !beginsLine(text, first.range[0])) {
    const pad = first !== undefined && text[start + 1] === " " ? " " : "";
    return `[${pad}${items.join(", ")}${pad}]`;
  }
  const newline = newlineOf(text);
  const inner = indentAt(text, first.range[0]);
  return `[${items.map((item) => `${newline}${inner}${item},`).join("")}${newline}${indentAt(text, start)}]`;
}

function print(value: Json, isLiteral: boolean): string | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return isLiteral && /^[^'\p{Cc}]*$/u.test(value) ? `'${value}'` : basicString(value);
  if (typeof value !== "object" || isExactNumber(value)) return printJson(value);
  if (!isJsonObject(value)) {
    const items = value.map((item) => print(item, isLiteral));
    return items.includes(undefined) ? undefined : `[${items.join(", ")}]`;
  }
  const members = Object.entries(value).map(([name, member]) => {
    const printed = print(member, isLiteral);
    return printed === undefined ? undefined : `${keyText(name)} = ${printed}`;
  });
  if (members.includes(undefined)) return undefined;
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** JSON's escapes are TOML's too, but for the one control character that JSON leaves as it is. */
function basicString(value: string): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}

/** Whether the first text near it is written between single quotes. */
function isLiteralNear(map: Node, old: AST.TOMLContentNode | undefined): boolean {
  const values = [old, ...(map.members ?? []).map(({ node }) => node.source.value)];
  return values.map(firstString).find((model) => model !== undefined)?.style === "literal";
}

function firstString(node: AST.TOMLContentNode | undefined): AST.TOMLStringValue | undefined {
  if (node?.type === "TOMLArray") return firstString(node.elements[0]);
  return node?.type === "TOMLValue" && node.kind === "string" ? node : undefined;
}

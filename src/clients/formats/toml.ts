// Where in a TOML text does a value stand, and what replaces it? A table may be written in several places (a header, dotted keys, tables below
// it); each member knows the lines that make it up, and whether others stand between them.
import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { type Json, parseJson } from "../../core/json.ts";
import { insertMember, removeMember, setValue } from "./toml-write.ts";
import { fault, type Grammar, type Span, type TreeMember, type TreeNode, valueOfMembers } from "./tree.ts";

/** Where members of a table can be added. */
export type TomlSite =
  /** Below its header, which ends there (0: the root), or between members with that prefix (`a.b` of `a.b.c = 1`). */
  | { readonly kind: "table"; readonly header: number; readonly members: AST.TOMLKeyValue[] }
  | { readonly kind: "dotted"; readonly prefix: string; readonly members: AST.TOMLKeyValue[] }
  | { readonly kind: "inline"; readonly table: AST.TOMLInlineTable };

/** What a TOML text holds of a value. */
export interface TomlSource {
  /** Where it is written as a value. */
  readonly value: AST.TOMLContentNode | undefined;
  /** Of a table; undefined where only tables below it are written. */
  readonly site: TomlSite | undefined;
  /** Where the last of its lines ends. */
  readonly end: number;
  /** It is a member between braces. */
  readonly isInline: boolean;
}

/** The grammar of TOML. */
export const tomlGrammar: Grammar<TomlSource> = {
  parse(text) {
    try {
      const [table] = parseTOML(text, { tomlVersion: "1.1" }).body;
      return { kind: "tree", root: treeOf(text, table) };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      return fault(error.index, `this is no TOML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`);
    }
  },
  set: setValue,
  insert: insertMember,
  remove: removeMember,
};

/** A table while it is being read. */
interface Table {
  readonly rows: Map<string, Row>;
  site: TomlSite | undefined;
}

/** A member while it is being read. The lines that make it up are counted, so that others between them are noticed. */
interface Row {
  readonly name: string;
  readonly offset: number;
  readonly held: AST.TOMLContentNode | Table | Table[];
  readonly first: Line;
  last: Line;
  count: number;
}

/** A header, or a key with its value; numbered in their order. */
interface Line extends Span {
  readonly number: number;
  readonly isInline: boolean;
}

type Key = AST.TOMLBare | AST.TOMLQuoted;

function treeOf(text: string, program: AST.TOMLTopLevelTable): TreeNode<TomlSource> {
  const root: Table = { rows: new Map(), site: { kind: "table", header: 0, members: [] } };
  let number = 0;
  const lineOf = (start: number, end: number): Line => ({ start, end, number: number++, isInline: false });
  for (const node of program.body) {
    if (node.type === "TOMLKeyValue") {
      addPair(text, root, node, lineOf(...node.range));
      continue;
    }
    const header = text.indexOf("]", node.key.range[1]) + (node.kind === "array" ? 2 : 1);
    const line = lineOf(node.range[0], header);
    const { table, trail } = openTable(root, node, line);
    table.site = { kind: "table", header, members: [] };
    for (const pair of node.body) {
      const own = lineOf(...pair.range);
      for (const row of trail) extend(row, own);
      addPair(text, table, pair, own);
    }
  }
  return tableNode(text, root, { offset: 0, end: text.length, isInline: false });
}

/** Follows a header to its table, and gives the rows on the way. */
function openTable(root: Table, { key, kind }: AST.TOMLTable, line: Line): { readonly table: Table; readonly trail: readonly Row[] } {
  const trail: Row[] = [];
  let table = root;
  for (const [index, step] of key.keys.entries()) {
    const isItem = kind === "array" && index === key.keys.length - 1;
    const row = rowOf(table, step, line, () => (isItem ? [] : { rows: new Map(), site: undefined }));
    if (isItem && Array.isArray(row.held)) row.held.push({ rows: new Map(), site: undefined });
    trail.push(row);
    table = tableOf(row);
  }
  return { table, trail };
}

/** Adds a key with its value to a table; the keys before a dot are tables. */
function addPair(text: string, table: Table, pair: AST.TOMLKeyValue, line: Line): void {
  if (table.site?.kind === "table") table.site.members.push(pair);
  let at = table;
  const [start] = pair.key.range;
  for (const key of pair.key.keys.slice(0, -1)) {
    at = tableOf(rowOf(at, key, line, () => ({ rows: new Map(), site: undefined })));
    at.site ??= { kind: "dotted", prefix: text.slice(start, key.range[1]), members: [] };
    if (at.site.kind === "dotted") at.site.members.push(pair);
  }
  const last = pair.key.keys.at(-1);
  if (last !== undefined) rowOf(at, last, line, () => pair.value);
}

function rowOf(table: Table, key: Key, line: Line, made: () => Row["held"]): Row {
  const name = key.type === "TOMLBare" ? key.name : key.value;
  const row = table.rows.get(name) ?? { name, offset: key.range[0], held: made(), first: line, last: line, count: 1 };
  table.rows.set(name, row);
  extend(row, line);
  return row;
}

function extend(row: Row, line: Line): void {
  if (row.last.number === line.number) return;
  row.last = line;
  row.count++;
}

/** The parser has refused a text in which a value is used as a table. */
function tableOf({ held }: Row): Table {
  const table = Array.isArray(held) ? held.at(-1) : held;
  return table !== undefined && "rows" in table ? table : { rows: new Map(), site: undefined };
}

interface Place {
  readonly offset: number;
  readonly end: number;
  readonly isInline: boolean;
}

function tableNode(
  text: string,
  { rows, site }: Table,
  { offset, end, isInline }: Place,
  value?: AST.TOMLContentNode,
): TreeNode<TomlSource> {
  const members = [...rows.values()].map((row): TreeMember<TomlSource> => {
    const { first, last, count, name } = row;
    const isTogether = last.number - first.number + 1 === count;
    return { name, offset: row.offset, span: isTogether ? { start: first.start, end: last.end } : undefined, node: rowNode(text, row) };
  });
  return { offset, value: valueOfMembers(members), members, fault: undefined, source: { value, site, end, isInline } };
}

function rowNode(text: string, { held, offset, last }: Row): TreeNode<TomlSource> {
  const place = { offset, end: last.end, isInline: last.isInline };
  if (Array.isArray(held)) {
    const value = held.map((table) => tableNode(text, table, place).value);
    return { offset, value, members: undefined, fault: undefined, source: { value: undefined, site: undefined, ...place } };
  }
  return "rows" in held ? tableNode(text, held, place) : valueNode(text, held, place);
}

function valueNode(text: string, value: AST.TOMLContentNode, place: Place): TreeNode<TomlSource> {
  if (value.type === "TOMLInlineTable") {
    const table: Table = { rows: new Map(), site: { kind: "inline", table: value } };
    for (const [number, pair] of value.body.entries()) {
      addPair(text, table, pair, { start: pair.range[0], end: pair.range[1], number, isInline: true });
    }
    return tableNode(text, table, { ...place, offset: value.range[0] }, value);
  }
  const source = { value, site: undefined, ...place };
  return { offset: value.range[0], value: jsonOf(text, value, place), members: undefined, fault: undefined, source };
}

/** Dates, and numbers that JSON can't hold, are texts: they are compared, never written. */
function jsonOf(text: string, node: AST.TOMLArray | AST.TOMLValue, place: Place): Json {
  if (node.type === "TOMLArray") return node.elements.map((item) => valueNode(text, item, place).value);
  if (node.kind === "string" || node.kind === "boolean") return node.value;
  if (node.kind === "integer") return parseJson(String(node.bigint));
  if (node.kind !== "float") return node.datetime;
  const digits = text
    .slice(...node.range)
    .replaceAll("_", "")
    .replace(/^\+/, "");
  return Number.isFinite(node.value) ? parseJson(digits) : digits;
}

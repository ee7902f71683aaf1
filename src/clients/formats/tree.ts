// What does a format tell of a text, so that one place of it can be changed? A tree of values with offsets (UTF-16 code units), and for a
// change the pieces of text to put in place of others. Here is nothing that holds for one format only.
import { canonicalJson, isJsonObject, type Json, objectFrom } from "../../core/json.ts";
import type { KeyPath } from "./document.ts";

/** A stretch of text, end exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Text to be put in place of a stretch of it. */
export interface Splice extends Span {
  readonly text: string;
}

/** Why something can't be done, and where. */
export interface Fault {
  readonly kind: "fault";
  readonly offset: number;
  readonly message: string;
  readonly hint: string | undefined;
}

/** A value in the text. `S` is what the format itself knows of it. */
export interface TreeNode<S> {
  readonly offset: number;
  readonly value: Json;
  /** Of a mapping, in order; of two equal keys both. */
  readonly members: readonly TreeMember<S>[] | undefined;
  /** Why this value can't be edited, nor what is in it. */
  readonly fault: Fault | undefined;
  readonly source: S;
}

/** A member of a mapping. */
export interface TreeMember<S> {
  readonly name: string;
  /** Of its key. */
  readonly offset: number;
  /** From the key to the end of the value; undefined where its parts stand apart. */
  readonly span: Span | undefined;
  readonly node: TreeNode<S>;
}

/** What is to be put into a mapping: a value to be written, or a member as it was written once (key and value). */
export type NewMember = { readonly name: string; readonly value: Json } | { readonly name: string; readonly text: string };

/** A format: how its texts are read, and how members are written. What it gives for a change is read again before it counts. */
export interface Grammar<S> {
  /** Reads a text without byte order mark; no tree where it is empty. */
  parse(text: string): { readonly kind: "tree"; readonly root: TreeNode<S> | undefined } | Fault;
  /** Gives a member another value. */
  set(text: string, map: TreeNode<S>, member: TreeMember<S>, value: Json): readonly Splice[] | Fault;
  /** Adds a member behind another one; null: before the first. */
  insert(text: string, map: TreeNode<S>, added: NewMember, after: TreeMember<S> | null): readonly Splice[] | Fault;
  /** Takes a member away. */
  remove(text: string, map: TreeNode<S>, member: TreeMember<S>): readonly Splice[] | Fault;
}

/** Makes a fault. */
export function fault(offset: number, message: string, hint?: string): Fault {
  return { kind: "fault", offset, message, hint };
}

/** Tells a fault from pieces of text. */
export function isFault(found: object): found is Fault {
  return "kind" in found && found.kind === "fault";
}

/** Gives the value of members in order; of two equal keys the last counts. */
export function valueOfMembers(members: readonly TreeMember<unknown>[]): Json {
  return objectFrom(members.map(({ name, node }) => [name, node.value] as const));
}

/** Finds a member by name; a fault where there are two. */
export function memberNamed<S>(map: TreeNode<S>, name: string): TreeMember<S> | Fault | undefined {
  const found = map.members?.filter((member) => member.name === name) ?? [];
  const [first, second] = found;
  if (second === undefined) return first;
  return fault(second.offset, `\`${name}\` stands there twice, and readers differ in which one counts`, "remove one of them");
}

/** Follows a path through mappings: the mapping before its last key, and the member at its end. Undefined where it leads nowhere. */
export function memberAt<S>(root: TreeNode<S> | undefined, path: KeyPath): { map: TreeNode<S>; member: TreeMember<S> } | Fault | undefined {
  let map = root;
  let member: TreeMember<S> | undefined;
  for (const [index, name] of path.entries()) {
    if (map === undefined) return undefined;
    if (map.fault !== undefined) return map.fault;
    if (map.members === undefined) return fault(map.offset, `\`${path.slice(0, index).join(".") || "the document"}\` is no mapping`);
    const found = memberNamed(map, name);
    if (found === undefined || isFault(found)) return found;
    if (index === path.length - 1) return { map, member: found };
    member = found;
    map = member.node;
  }
  return undefined;
}

/** Finds what stands in the way of editing a value: in it, or in anything below. */
export function faultWithin(node: TreeNode<unknown>): Fault | undefined {
  if (node.fault !== undefined) return node.fault;
  for (const { name, node: inner } of node.members ?? []) {
    const found = memberNamed(node, name);
    const below = found !== undefined && isFault(found) ? found : faultWithin(inner);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** Tells whether a reader gets the same, in whatever order. */
export function sameValue(left: Json, right: Json): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

/** How many items at the ends of two lists are equal: what is put in front of a list leaves those as they are written, with their comments. */
export function equalTail(old: Json, value: Json): number {
  if (!Array.isArray(old) || !Array.isArray(value)) return 0;
  let count = 0;
  while (count < Math.min(old.length, value.length) && sameValue(old.at(-1 - count), value.at(-1 - count))) count++;
  return count;
}

/** Gives a value with another member at the path; undefined: without it. */
export function withMember(value: Json, path: KeyPath, member: Json | undefined): Json {
  const [name, ...rest] = path;
  if (name === undefined) return member ?? null;
  const members = new Map(isJsonObject(value) ? Object.entries(value) : []);
  if (rest.length === 0 && member === undefined) members.delete(name);
  else members.set(name, withMember(members.get(name) ?? {}, rest, member));
  return objectFrom(members);
}

/** Puts pieces in their places. Of two at one offset the first comes first. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let done = "";
  let at = 0;
  for (const splice of [...splices].sort((a, b) => a.start - b.start || a.end - b.end)) {
    done += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return done + text.slice(at);
}

/** Gives the offset of the beginning of the line. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Gives the offset of the end of the line, before its line end. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf("\n", offset);
  if (newline < 0) return text.length;
  return newline > offset && text[newline - 1] === "\r" ? newline - 1 : newline;
}

/** Gives where what stands before it ends, if it begins its line: before the line end there. Else gives the offset itself. */
export function lineBefore(text: string, offset: number): number {
  const start = lineStart(text, offset);
  if (start === 0 || !beginsLine(text, offset)) return offset;
  return text[start - 2] === "\r" ? start - 2 : start - 1;
}

/** Gives the white space at the beginning of the line. */
export function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset);
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** Tells whether nothing but white space stands before it in its line. */
export function beginsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === "";
}

/** Gives the line end that the text uses. */
export function newlineOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? "\n";
}

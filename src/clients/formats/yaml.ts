// Where in a YAML text does a value stand, and what replaces it? What is used in two places at once (anchors, aliases, merge keys), or means
// what a tag says, is shown as what stands there and never edited.
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type Scalar } from "yaml";
import { type Json, parseJson } from "../../core/json.ts";
import { type Fault, fault, type Grammar, type TreeMember, type TreeNode, valueOfMembers } from "./tree.ts";
import { insertMember, removeMember, setValue } from "./yaml-write.ts";

/** What a YAML text holds of a value; nothing where only a key stands. */
export interface YamlSource {
  readonly node: Node | null;
  /** Where its key ends; undefined for the root. */
  readonly keyEnd: number | undefined;
}

type Tree = TreeNode<YamlSource>;

/** A number as JSON writes it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The grammar of YAML. */
export const yamlGrammar: Grammar<YamlSource> = {
  parse(text) {
    const document = parseDocument(text, { version: "1.2", schema: "core", merge: false, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined)
      return fault(error.pos[0], `this is no YAML: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`);
    const { contents } = document;
    return { kind: "tree", root: contents === null ? undefined : treeOf(text, contents, undefined, 0) };
  },
  set: setValue,
  insert: insertMember,
  remove: removeMember,
};

function treeOf(text: string, node: Node | null, keyEnd: number | undefined, after: number): Tree {
  const offset = node?.range?.[0] ?? after;
  const place = { offset, source: { node, keyEnd }, fault: whyNot(node, offset) };
  if (node === null) return { ...place, value: null, members: undefined };
  if (isMap<Node, Node | null>(node)) {
    const members = node.items.map((pair) => memberOf(text, pair));
    const odd = members.find(({ name }) => name === MERGE);
    const trouble = odd === undefined ? place.fault : fault(odd.offset, "merge keys (`<<`) are not followed", "write the entries out");
    return { ...place, value: valueOfMembers(members), members, fault: trouble };
  }
  if (!isSeq<Node>(node)) return { ...place, value: scalarOf(node), members: undefined };
  const items = node.items.map((item) => treeOf(text, item, undefined, offset));
  return { ...place, value: items.map(({ value }) => value), members: undefined, fault: place.fault ?? items.map(faultIn).find(Boolean) };
}

const MERGE = "<<";

function faultIn(tree: Tree): Fault | undefined {
  return tree.fault ?? tree.members?.map(({ node }) => faultIn(node)).find(Boolean);
}

function whyNot(node: Node | null, offset: number): Fault | undefined {
  if (node === null) return undefined;
  if (isAlias(node)) return fault(offset, `\`*${node.source}\` stands for what is written elsewhere`, "write it out");
  if (node.anchor !== undefined) return fault(offset, `\`&${node.anchor}\` is used elsewhere too`, "write it out in both places");
  if (node.tag !== undefined) return fault(offset, `the tag \`${node.tag}\` is not understood`);
  return undefined;
}

function memberOf(text: string, { key, value }: Pair<Node, Node | null>): TreeMember<YamlSource> {
  const [start, keyEnd] = key.range ?? [0, 0];
  const name = isScalar(key) && !isAlias(key) ? (key.source ?? String(key.value)) : text.slice(start, keyEnd);
  const node = treeOf(text, value, keyEnd, keyEnd);
  const isPlain =
    isScalar(key) && key.anchor === undefined && text.slice(keyEnd).match(/^[ \t]*:/) !== null && !/\?\s*$/.test(text.slice(0, start));
  const odd = isPlain ? undefined : fault(start, "a key is written in a way that can't be changed with certainty", "write `name: value`");
  const end = value === null ? keyEnd + (/^[ \t]*:/.exec(text.slice(keyEnd))?.[0].length ?? 0) : lastOffset(text, value);
  return { name, offset: start, span: { start, end: Math.max(end, keyEnd) }, node: { ...node, fault: node.fault ?? odd } };
}

/** Where the last thing in a node ends, in its last line: a block collection's own range takes in the comments below it. */
function lastOffset(text: string, node: Node): number {
  const end = node.range?.[1] ?? 0;
  if (isMap<Node, Node | null>(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return last === undefined ? end : (memberOf(text, last).span?.end ?? end);
  }
  if (isSeq<Node>(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return last === undefined ? end : lastOffset(text, last);
  }
  const isBlock = isScalar(node) && (node.type === "BLOCK_LITERAL" || node.type === "BLOCK_FOLDED");
  return isBlock ? end - (/\r?\n$/.exec(text.slice(0, end))?.[0].length ?? 0) : end;
}

/** Numbers that JSON would write otherwise are compared by what they are, and never written. */
function scalarOf(node: Node): Json {
  if (!isScalar(node)) return isAlias(node) ? `*${node.source}` : null;
  const { value, source = "" }: Scalar = node;
  if (typeof value === "number" && JSON_NUMBER.test(source)) return parseJson(source);
  if (typeof value === "number") return Number.isFinite(value) ? value : source;
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

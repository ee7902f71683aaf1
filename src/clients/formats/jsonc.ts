// Where in a JSON text, with or without comments, does a value stand, and what replaces it? By the scanner of jsonc-parser; its editing isn't
// used: it changes the first of two equal keys, where readers take the last, and drops comments.
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { type Json, parseJson } from "../../core/json.ts";
import { insertMember, printValue, removeMember, setHead } from "./jsonc-write.ts";
import { equalTail, type Fault, fault, type Grammar, type TreeMember, type TreeNode, valueOfMembers } from "./tree.ts";

/** Makes the grammar. `comments`: comments and trailing commas are allowed. */
export function jsonGrammar({ comments }: { readonly comments: boolean }): Grammar<Node> {
  return {
    parse: (text) => parse(text, comments),
    set: (text, map, { node }, value) => {
      const { offset, length, children = [] } = node.source;
      const tail = equalTail(node.value, value);
      if (tail > 0) return setHead(text, map.source, children, (value as readonly Json[]).slice(0, -tail), tail);
      return [{ start: offset, end: offset + length, text: printValue(text, map.source, value, node.source) }];
    },
    insert: (text, map, added, after) => insertMember(text, map.source, added, after?.span ?? null),
    remove: (text, map, { span }) => (span === undefined ? [] : removeMember(text, map.source, span)),
  };
}

function parse(text: string, comments: boolean): ReturnType<Grammar<Node>["parse"]> {
  if (text.trim() === "") return { kind: "tree", root: undefined };
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: comments, disallowComments: !comments });
  const [first] = errors;
  if (first !== undefined) return broken(first, comments);
  return { kind: "tree", root: root === undefined ? undefined : treeOf(text, root) };
}

/** The codes of jsonc-parser for comments, and for a comma that nothing follows. */
const COMMENT = 10;
const NAME_EXPECTED = 3;
const VALUE_EXPECTED = 4;

function broken({ error, offset }: ParseError, comments: boolean): Fault {
  const code: number = error;
  if (code === COMMENT && !comments) return fault(offset, "there is a comment, which this client can't read", "take the comment out");
  const words = printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
  const hint = code === NAME_EXPECTED || code === VALUE_EXPECTED ? "look for a comma too many" : undefined;
  return fault(offset, `this is no JSON: ${words}`, hint);
}

function treeOf(text: string, node: Node): TreeNode<Node> {
  const { offset } = node;
  const place = { offset, source: node, fault: undefined };
  if (node.type === "object") {
    const members = (node.children ?? []).flatMap((property) => memberOf(text, property));
    return { ...place, value: valueOfMembers(members), members };
  }
  const value = node.type === "array" ? (node.children ?? []).map((item) => treeOf(text, item).value) : scalarOf(text, node);
  return { ...place, value, members: undefined };
}

function memberOf(text: string, property: Node): readonly TreeMember<Node>[] {
  const [key, value] = property.children ?? [];
  if (key === undefined || value === undefined) return [];
  const span = { start: property.offset, end: property.offset + property.length };
  return [{ name: String(key.value), offset: key.offset, span, node: treeOf(text, value) }];
}

function scalarOf(text: string, node: Node): Json {
  if (node.type === "string") return String(node.value);
  return parseJson(text.slice(node.offset, node.offset + node.length));
}

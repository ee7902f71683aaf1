// Which rules of a manifest did a draft leave open, and how are they replaced once somebody has decided? Only rules that stand as a draft wrote them:
// what a person changed by hand is theirs. Every other byte stays, their comments too.
import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from "yaml";
import { type Extension, isFlow, lastOffset, refused, whyInvalid } from "./extend-manifest.ts";
import { ruleLines } from "./new-manifest.ts";

interface OpenRule {
  readonly tool: string;
  /** Offsets of its dash and of the end of its last value. */
  readonly from: number;
  readonly to: number;
  /** Comments in it that no draft writes. */
  readonly own: readonly string[];
}

const HELD = [/^class: irreversible$/, /^gate: always$/];
/** What a draft writes as comments: see `renderRule`. */
const DRAFTED =
  /^# (TODO: |The server says: |It would not put back |A guess: |Suggested(, but incomplete)?:$| {2}(class|snapshot|observe|inverse|by|cases):| {4}")/;

/** Gives the tools of a server whose rules say `TODO`, in the manifest's order. */
export function openTools(text: string, server: string): readonly string[] {
  return openRules(withoutMark(text), server).map(({ tool }) => tool);
}

/** Puts rules, each as `renderRule` writes it, in the place of those that were left open; by the tool's name. The result loads, or it is refused. */
export function settleRules(text: string, server: string, rules: ReadonlyMap<string, string>): Extension {
  const source = withoutMark(text);
  const newline = /\r\n|\n/.exec(source)?.[0] ?? "\n";
  const open = openRules(source, server).filter(({ tool }) => rules.has(tool));
  if (open.length < rules.size) return refused("a rule is another by now");
  let settled = source;
  for (const { tool, from, to, own } of open.reverse()) {
    const indent = " ".repeat(from - (source.lastIndexOf("\n", from - 1) + 1));
    const [first = "", ...more] = ruleLines([rules.get(tool) ?? ""], indent);
    const lines = [first.slice(indent.length), ...own.map((line) => `${indent}  ${line}`), ...more];
    settled = settled.slice(0, from) + lines.join(newline) + settled.slice(to);
  }
  const after = whyInvalid(settled);
  if (after !== undefined) return refused(`the result would not load: ${after.message}`);
  return { kind: "extended", text: text.slice(0, text.length - source.length) + settled };
}

function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function openRules(source: string, server: string): readonly OpenRule[] {
  const { contents } = parseDocument(source, { version: "1.2", schema: "core", merge: false });
  const tools = isMap(contents) ? contents.get("tools") : undefined;
  if (!isSeq<Node>(tools) || isFlow(tools)) return [];
  return tools.items.flatMap((item) => (isMap<Node, Node>(item) && !isFlow(item) ? (openRule(source, server, item) ?? []) : []));
}

function openRule(source: string, server: string, item: YAMLMap<Node, Node>): OpenRule | undefined {
  const [first] = item.items;
  const match = isScalar(first?.key) && first.key.value === "match" && isScalar(first.value) ? first.value : undefined;
  if (typeof match?.value !== "string" || !match.value.startsWith(`${server}.`) || item.items.length !== 1 + HELD.length) return undefined;
  const start = item.range?.[0] ?? 0;
  const from = source.lastIndexOf("-", start);
  const to = lastOffset(item);
  const [opening = "", ...lines] = source
    .slice(from, to)
    .split(/\r?\n/)
    .map((line) => line.trim());
  // Nothing but the pattern itself stands behind the dash.
  if (opening !== source.slice(from, match.range?.[1]).trim() || source.slice(from + 1, start).trim() !== "") return undefined;
  const comments = lines.filter((line) => line.startsWith("#"));
  const members = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const isHeld = members.length === HELD.length && HELD.every((each) => members.some((line) => each.test(line)));
  if (!isHeld || !comments.some((line) => line.startsWith("# TODO: "))) return undefined;
  return { tool: match.value.slice(server.length + 1), from, to, own: comments.filter((line) => !DRAFTED.test(line)) };
}

// How does a server get into a manifest that a person has written? By inserting lines at the ends of `servers:` and `tools:`. Every byte
// that was there stays, comments too; where that can't be done, nothing is.
import { isCollection, isMap, isPair, isSeq, type Node, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from "yaml";
import { loadManifest } from "./load.ts";
import { type Addition, flowServer, hasRule, ruleLines, serverLines } from "./new-manifest.ts";
import type { Problem } from "./problem.ts";

/** The new text, or why it can't be made. */
export type Extension = { readonly kind: "extended"; readonly text: string } | { readonly kind: "refused"; readonly reason: string };

type Planned = { readonly kind: "insertion"; readonly at: number; readonly until: number; readonly text: string } | Refusal;
type Refusal = Extract<Extension, { kind: "refused" }>;

/** Adds a server and its rules to a manifest's text. The result loads, or it is refused. */
export function extendManifest(text: string, addition: Addition): Extension {
  const before = whyInvalid(text);
  if (before !== undefined) return refused(`the manifest has to be right first: line ${before.line}: ${before.message}`);
  const mark = text.startsWith("\uFEFF") ? 1 : 0;
  const source = new Source(text.slice(mark));
  // Applied from the end of the text; of two at one place the first applied comes to stand behind the other.
  const planned = [source.planRules(addition), source.planServers(addition)];
  for (const each of planned) if (each.kind === "refused") return each;
  const insertions = planned.filter((each) => each.kind === "insertion").sort((a, b) => b.at - a.at);
  const extended = insertions.reduce(
    (done, { at, until, text: added }) => done.slice(0, at + mark) + added + done.slice(until + mark),
    text,
  );
  const after = whyInvalid(extended);
  return after === undefined ? { kind: "extended", text: extended } : refused(`the result would not load: ${after.message}`);
}

/** Gives the first thing that keeps a text from being a manifest; undefined where nothing does. */
export function whyInvalid(text: string): Problem | undefined {
  const loading = loadManifest(new TextEncoder().encode(text), { directory: "/", env: "any" });
  return loading.kind === "invalid" ? loading.problems[0] : undefined;
}

/** Says why a text can't be made. */
export function refused(reason: string): Refusal {
  return { kind: "refused", reason };
}

/** A manifest's text with its YAML nodes, which know their offsets. It is known to load, so its parts have their shapes. */
class Source {
  private readonly text: string;
  private readonly newline: string;
  private readonly root: Node | null;

  constructor(text: string) {
    this.text = text;
    this.newline = /\r\n|\n/.exec(text)?.[0] ?? "\n";
    this.root = parseDocument(text, { version: "1.2", schema: "core", merge: false }).contents;
  }

  planServers({ server, companions = [] }: Addition): Planned {
    const added = [server, ...companions];
    const servers = this.valueOfKey("servers");
    if (!isMap<Node, Node>(servers)) return refused("`servers` is not a mapping");
    if (isFlow(this.root)) return refused("it is written with braces; write it in lines, one key below the other");
    const declared = added.find(({ name }) => servers.items.some((pair) => String(pair.key) === name));
    if (declared !== undefined) return refused(`the server \`${declared.name}\` is declared already`);
    if (isFlow(servers)) return this.insertInside(servers, added.map(flowServer).join(", "));
    const [first] = servers.items;
    const indent = this.columnOf(first?.key);
    const inner = isMap<Node, Node>(first?.value) && !isFlow(first.value) ? this.columnOf(first.value.items[0]?.key) - indent : 2;
    return this.insertAfter(
      servers,
      this.columnOf(this.keyNode("servers")),
      added.flatMap((each) => serverLines(each, inner)).map((line) => " ".repeat(indent) + line),
    );
  }

  planRules({ rulesYaml }: Addition): Planned {
    const tools = this.valueOfKey("tools");
    if (rulesYaml.length === 0) return { kind: "insertion", at: 0, until: 0, text: "" };
    if (tools === undefined) {
      const lines = hasRule(rulesYaml) ? ["tools:", ...ruleLines(rulesYaml, "  ")] : ["tools: []", ...ruleLines(rulesYaml, "")];
      return this.root === null ? refused("the manifest is empty") : this.insertAfter(this.root, -1, ["", ...lines]);
    }
    if (!isSeq<Node>(tools)) return refused("`tools` is not a list");
    if (tools.items.length === 0) return this.fillEmptyList(tools, rulesYaml);
    if (isFlow(tools)) return refused("`tools` is written with brackets; write it in lines that begin with `- `");
    const dash = " ".repeat(this.columnOfDash(tools));
    return this.insertAfter(tools, this.columnOf(this.keyNode("tools")), ["", ...ruleLines(rulesYaml, dash)]);
  }

  /** `tools: []` gives way to lines of its own; what stands behind it, a comment say, stays where it is. */
  private fillEmptyList(tools: YAMLSeq<Node>, rulesYaml: readonly string[]): Planned {
    const [start, end] = tools.range ?? [0, 0];
    if (!hasRule(rulesYaml)) return refused("there is no rule to add");
    const rest = this.text.slice(end, this.lineEnd(end));
    const lines = ruleLines(rulesYaml, "  ").map((line) => this.newline + line);
    return { kind: "insertion", at: start, until: end + rest.length, text: rest.trimStart() + lines.join("") };
  }

  /** Inserts an entry behind the last one between braces; a comma that stands there already, and a comment behind it, stay. */
  private insertInside(map: YAMLMap<Node, Node>, entry: string): Planned {
    const at = lastOffset(map.items.at(-1)?.value ?? map);
    return { kind: "insertion", at, until: at, text: `, ${entry}` };
  }

  /** Inserts lines behind the last line of a node and the comments that belong to it: those further in than `column`. */
  private insertAfter(node: Node, column: number, lines: readonly string[]): Planned {
    const last = lastOffset(node);
    let at = this.text[last - 1] === "\n" ? last : this.afterLine(last);
    for (let next = at; next < this.text.length; next = this.afterLine(next)) {
      const line = this.text.slice(next, this.lineEnd(next));
      const content = line.trimStart();
      if (content !== "" && (!content.startsWith("#") || line.length - content.length <= column)) break;
      if (content !== "") at = this.afterLine(next);
    }
    const ended = at === 0 || this.text[at - 1] === "\n";
    const added = lines.join(this.newline);
    return { kind: "insertion", at, until: at, text: ended ? added + this.newline : this.newline + added };
  }

  private lineEnd(offset: number): number {
    const newline = this.text.indexOf("\n", offset);
    if (newline < 0) return this.text.length;
    return this.text[newline - 1] === "\r" ? newline - 1 : newline;
  }

  private afterLine(offset: number): number {
    const newline = this.text.indexOf("\n", offset);
    return newline < 0 ? this.text.length : newline + 1;
  }

  private pairOf(name: string): Pair<Node, Node> | undefined {
    return isMap<Node, Node>(this.root) ? (this.root as YAMLMap<Node, Node>).items.find((pair) => String(pair.key) === name) : undefined;
  }

  private keyNode(name: string): Node | undefined {
    return this.pairOf(name)?.key;
  }

  private valueOfKey(name: string): Node | undefined {
    return this.pairOf(name)?.value ?? undefined;
  }

  private columnOf(node: Node | undefined): number {
    const offset = node?.range?.[0] ?? 0;
    return offset - (this.text.lastIndexOf("\n", offset - 1) + 1);
  }

  private columnOfDash(list: YAMLSeq<Node>): number {
    const offset = list.range?.[0] ?? 0;
    return offset - (this.text.lastIndexOf("\n", offset - 1) + 1);
  }
}

/** Tells whether a node is written between braces or brackets. */
export function isFlow(node: Node | null): boolean {
  return isCollection(node) && node.flow === true;
}

/** Gives where the last thing in a node ends: a block collection's own range takes in the comments below it. */
export function lastOffset(node: Node): number {
  if (!isCollection(node) || isFlow(node)) return node.range?.[1] ?? 0;
  const last = node.items[node.items.length - 1];
  if (isPair<Node, Node>(last)) return lastOffset(last.value ?? last.key);
  return last === undefined ? (node.range?.[1] ?? 0) : lastOffset(last as Node);
}

// Does a text hold one plain YAML document? What YAML readers disagree about, or what would change a value on the way (numbers that
// print otherwise, merge keys, tags, second documents), is refused here, so that the rest of the loader never meets it.
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseAllDocuments, type Scalar, type YAMLError } from "yaml";
import type { Located, LocatedEntry, LocatedScalar } from "./located.ts";
import type { ProblemList } from "./problem.ts";

const MAX_NODES = 1_000_000;
const MAX_DEPTH = 100;
/** Booleans to YAML 1.1 readers, text to YAML 1.2 ones. */
const AMBIGUOUS_WORD = /^(yes|no|on|off)$/i;
const PARSE_OPTIONS = { prettyErrors: false, uniqueKeys: false, merge: false, version: "1.2", schema: "core" } as const;

/** Reads a text as one YAML document; undefined where it holds nothing or isn't well-formed (problems say why). */
export function readYaml(text: string, problems: ProblemList): Located | undefined {
  const documents = parseDocuments(text, problems);
  const [document, second] = documents;
  if (document === undefined) return undefined;
  for (const each of documents) for (const error of [...each.errors, ...each.warnings]) addSyntaxProblem(error, problems);
  if (second !== undefined) problems.add(second.range[0], "a second document begins here; a manifest is a single one", "remove the `---`");
  if (document.directives?.yaml.explicit) problems.add(0, "a `%YAML` directive changes what words and numbers mean", "remove it");
  if (!problems.isEmpty || document.contents === null) return undefined;
  return new TreeReader(problems).read(document.contents, 0)?.node;
}

function parseDocuments(text: string, problems: ProblemList): readonly Document.Parsed[] {
  // An empty stream is an empty list, with nothing on it.
  const documents = [...parseAllDocuments(text, PARSE_OPTIONS)];
  // The parser is recursive: what is nested deeper than the stack leaves nothing but errors that follow from it.
  if (!documents.some((document) => document.errors.some((error) => error.code === "RESOURCE_EXHAUSTION"))) return documents;
  problems.add(0, "the file is nested too deeply to be read");
  return [];
}

function addSyntaxProblem(error: YAMLError, problems: ProblemList): void {
  const [offset] = error.pos;
  if (error.code === "TAB_AS_INDENT") problems.add(offset, "a tab is used as indentation", "YAML is indented with spaces");
  else if (error.code === "TAG_RESOLVE_FAILED")
    problems.add(offset, `tags are not used here: ${error.message}`, "remove the tag; quote what has to be text");
  else problems.add(offset, error.message);
}

interface Sized {
  readonly node: Located;
  /** Nodes in it, aliases expanded. */
  readonly size: number;
}

/** Turns YAML nodes into located ones. An alias is the very node it names, so a bomb is counted and never built. */
class TreeReader {
  private readonly anchors = new Map<string, Sized | "open">();
  private refused = false;
  private readonly problems: ProblemList;

  constructor(problems: ProblemList) {
    this.problems = problems;
  }

  read(node: Node, depth: number): Sized | undefined {
    if (this.refused) return undefined;
    const offset = startOf(node);
    if (depth > MAX_DEPTH) return this.refuse(offset, `nested more than ${MAX_DEPTH} levels deep`);
    if (isAlias(node)) return this.readAlias(node.source, offset);
    if ("tag" in node && node.tag !== undefined) this.problems.add(offset, `tags like \`${node.tag}\` are not used here`, "remove the tag");
    const anchor = "anchor" in node ? node.anchor : undefined;
    if (anchor !== undefined) this.anchors.set(anchor, "open");
    const read = this.readContents(node, offset, depth);
    if (anchor !== undefined && read !== undefined) this.anchors.set(anchor, read);
    if (read !== undefined && read.size > MAX_NODES)
      return this.refuse(offset, "aliases expand to more than a million values", "write it out");
    return read;
  }

  private readContents(node: Node, offset: number, depth: number): Sized | undefined {
    if (isMap<Node, Node | null>(node)) return this.readMap(node.items, offset, depth);
    if (isSeq<Node>(node)) {
      const items = node.items.flatMap((item) => this.read(item, depth + 1) ?? []);
      return { node: { kind: "list", offset, items: items.map((item) => item.node) }, size: sizeOf(items) };
    }
    return isScalar(node) ? { node: this.readScalar(node, offset), size: 1 } : undefined;
  }

  private readAlias(name: string, offset: number): Sized | undefined {
    const target = this.anchors.get(name);
    if (target !== undefined && target !== "open") return target;
    return this.refuse(
      offset,
      target === "open"
        ? `the alias \`*${name}\` refers to what contains it`
        : `the alias \`*${name}\` has no anchor \`&${name}\` before it`,
    );
  }

  private readMap(pairs: readonly Pair<Node, Node | null>[], offset: number, depth: number): Sized {
    const entries: LocatedEntry[] = [];
    const sized: Sized[] = [];
    const places = new Map<string, number>();
    for (const pair of pairs) {
      const name = this.readKey(pair.key);
      const at = startOf(pair.key);
      const value =
        pair.value === null ? { node: { kind: "scalar", offset: at, value: null } as const, size: 1 } : this.read(pair.value, depth + 1);
      if (name === undefined || value === undefined) continue;
      const first = places.get(name);
      if (first !== undefined)
        this.problems.add(at, `duplicate key \`${name}\``, `the first is in line ${this.problems.positionAt(first).line}`);
      else entries.push({ name, offset: at, value: value.node });
      places.set(name, first ?? at);
      sized.push(value);
    }
    return { node: { kind: "map", offset, entries }, size: sizeOf(sized) };
  }

  private readKey(key: Node): string | undefined {
    const offset = startOf(key);
    if (!isScalar(key)) {
      this.problems.add(offset, "a key must be a string", isAlias(key) ? "write it out" : "write a name before the colon");
      return undefined;
    }
    const source = key.source ?? "";
    if (key.type === "PLAIN" && source === "<<") this.problems.add(offset, "merge keys (`<<`) are not used here", "write the entries out");
    else if (typeof key.value !== "string")
      this.problems.add(offset, `a key must be a string; \`${source}\` is ${nameOf(key.value)}`, `write "${source}"`);
    else if (key.type === "PLAIN" && AMBIGUOUS_WORD.test(source)) this.addAmbiguous(offset, source);
    else return key.value;
    return undefined;
  }

  private readScalar(scalar: Scalar, offset: number): LocatedScalar {
    const { value, source = "" } = scalar;
    if (typeof value === "string") {
      if (scalar.type === "PLAIN" && AMBIGUOUS_WORD.test(source)) this.addAmbiguous(offset, source);
      return { kind: "scalar", offset, value };
    }
    if (typeof value === "number" && String(value) !== source) {
      const read = Number.isFinite(value)
        ? `\`${source}\` is a number and would be read as ${value}`
        : `\`${source}\` is a number here, and not a finite one`;
      this.problems.add(
        offset,
        read,
        `write "${source}" if it is text, else ${Number.isFinite(value) ? "the number as it prints" : "a finite number"}`,
      );
    }
    return { kind: "scalar", offset, value: typeof value === "number" || typeof value === "boolean" ? value : null };
  }

  private addAmbiguous(offset: number, word: string): void {
    const boolean = /^(yes|on)$/i.test(word);
    this.problems.add(
      offset,
      `\`${word}\` is true or false to some YAML readers, and text to others`,
      `write "${word}" if it is text, else ${boolean}`,
    );
  }

  private refuse(offset: number, message: string, hint?: string): undefined {
    this.refused = true;
    this.problems.add(offset, message, hint);
    return undefined;
  }
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function sizeOf(parts: readonly Sized[]): number {
  return parts.reduce((sum, part) => sum + part.size, 1);
}

function nameOf(value: unknown): string {
  return value === null ? "empty" : `a ${typeof value}`;
}

// What would a careful person write first about a server's tools? One rule per tool: certain reads are `readonly`, everything else is held
// with a TODO. Never guesses an inverse into force, and never lets a server's words out of their quotes or their comment line.
import type { ListedTool } from "../upstream/upstream.ts";
import { quoted, type ReadSign, readSign, wordsOf } from "./tool-signs.ts";

/** Rules as YAML. */
export interface Draft {
  /**
   * One text per tool, an entry of the list under `tools:` that begins with `- match:` in the first column; several lines, no newline at the
   * end. A tool that no pattern can match exactly gives comment lines only, and so stays unmentioned, which means held.
   */
  readonly rulesYaml: readonly string[];
  readonly summary: { readonly reads: number; readonly held: number };
}

/** How long a server's description may be in a comment, in characters. */
const DESCRIPTION_LENGTH = 100;

const CHANGING = new Set(["update", "edit", "set", "patch", "modify", "change", "rename", "write", "put", "replace"]);
const ADDING = new Set(["create", "add", "insert", "make", "new", "register", "upload"]);
const REMOVING = new Set(["delete", "remove", "destroy", "drop"]);
const RETURNING = new Set(["restore", "undelete", "create", "add", "insert"]);
const SHOWING = new Set(["get", "read", "describe", "retrieve", "show", "list"]);
const SENDING = new Set(["send", "email", "notify", "publish", "post", "pay", "charge", "refund", "transfer"]);

/** Drafts a rule for each tool of a server, in the server's order. A name that is listed twice is judged by the stricter entry. */
export function draftRules(server: string, tools: readonly ListedTool[]): Draft {
  const signs = new Map<string, { tool: ListedTool; sign: ReadSign }>();
  for (const tool of tools) {
    const sign = readSign(tool);
    if (sign.kind === "unsure" || !signs.has(tool.name)) signs.set(tool.name, { tool, sign });
  }
  const reads = [...signs.values()].filter(({ tool, sign }) => sign.kind === "read" && isMatchable(tool.name)).map(({ tool }) => tool);
  const all = [...signs.values()].map(({ tool }) => tool);
  const rulesYaml = [...signs.values()].map(({ tool, sign }) =>
    isMatchable(tool.name) ? ruleFor(server, tool, sign, reads, all) : unmatchable(tool.name),
  );
  return { rulesYaml, summary: { reads: reads.length, held: signs.size - reads.length } };
}

/** Tells whether a pattern can match this tool and no other: `*` stands for anything, and an empty segment for nothing. */
function isMatchable(name: string): boolean {
  return !name.includes("*") && name.isWellFormed() && name.trim() === name && name.split(".").every((segment) => segment !== "");
}

function unmatchable(name: string): string {
  return `# ${quoted(clipped(name))} has a name that no pattern matches exactly: it has no rule, and so it is held.`;
}

function ruleFor(server: string, tool: ListedTool, sign: ReadSign, reads: readonly ListedTool[], all: readonly ListedTool[]): string {
  const match = `- match: ${quoted(`${server}.${tool.name}`)}`;
  if (sign.kind === "read") {
    const by = sign.by === "hint" ? "the server says that it only reads" : "a read by its name";
    return [match, `  class: readonly # ${by}`].join("\n");
  }
  const said = tool.description === undefined ? "" : oneLine(tool.description);
  const comments = [
    ...(said === "" ? [] : [`The server says: ${quoted(clipped(said))}`]),
    `TODO: held, because ${sign.why}.`,
    ...suggestions(tool, reads, all),
  ];
  return [match, ...comments.map((line) => `  # ${line}`), "  class: irreversible", "  gate: always"].join("\n");
}

/** What would make the tool undoable, as lines of a comment. Nothing of it is in force. */
function suggestions(tool: ListedTool, reads: readonly ListedTool[], all: readonly ListedTool[]): readonly string[] {
  const words = wordsOf(tool.name);
  const verb = words.find((word) => [CHANGING, ADDING, REMOVING, SENDING].some((verbs) => verbs.has(word)));
  if (verb === undefined) return ["If it only reads, make it readonly; if another call takes it back, give it that call as its inverse."];
  if (SENDING.has(verb)) return ["Likely nothing takes it back: leave it held."];
  const others = all.filter(({ name }) => name !== tool.name && isMatchable(name));
  const thing = thingOf(words, verb);
  const read = findTool(reads, SHOWING, thing);
  if (CHANGING.has(verb)) {
    const shown = read === undefined ? "If a read shows" : `If ${quoted(read)} shows`;
    return [`${shown} all that it changes: class reversible, with that read as the snapshot`, "and an inverse that writes $snapshot back."];
  }
  if (ADDING.has(verb)) {
    const remove = findTool(others, REMOVING, thing);
    const removed = remove === undefined ? "If a call removes" : `If ${quoted(remove)} removes`;
    return [`${removed} what it adds: class compensable, with that call as the inverse,`, "its arguments taken from $result."];
  }
  const back = findTool(others, RETURNING, thing);
  const returned = back === undefined ? "If a call puts" : `If ${quoted(back)} puts`;
  const snapshot = read === undefined ? "a read of it" : quoted(read);
  return [
    `${returned} it back exactly: class reversible, with ${snapshot} as the snapshot`,
    "and that call as the inverse, from $snapshot.",
  ];
}

/** The words beside the verb, without plural endings: what the tool is about. */
function thingOf(words: readonly string[], verb: string): string {
  const at = words.indexOf(verb);
  return words
    .filter((word, index) => index !== at && word !== "a" && word !== "an" && word !== "the")
    .map((word) => word.replace(/s$/, ""))
    .join(" ");
}

/** The tool about the same thing whose verb comes first among these. */
function findTool(tools: readonly ListedTool[], verbs: ReadonlySet<string>, thing: string): string | undefined {
  for (const verb of verbs) {
    for (const { name } of tools) {
      const words = wordsOf(name);
      if (words.includes(verb) && thing !== "" && thingOf(words, verb) === thing) return name;
    }
  }
  return undefined;
}

function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
}

function clipped(text: string): string {
  const characters = [...text];
  return characters.length <= DESCRIPTION_LENGTH ? text : `${characters.slice(0, DESCRIPTION_LENGTH).join("")}...`;
}

// Does a document print what it shows? Every command in it is typed as it stands, in order, with the executable alone; of what is shown below it ids, times and
// places may differ, and nothing else.
import { expect } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { EXECUTABLE, ROOT, type Sandbox } from "./sandbox.ts";

/** A command of the document, and the lines that it shows below it; null where it shows none, in a block of `sh`. */
export interface Shown {
  readonly command: string;
  readonly output: string | null;
  /** 1-based, in the document. */
  readonly line: number;
}

/** What a document's reader saves: a whole manifest as `synartesis.yaml`, a script under the name that its second line begins with. */
interface Saved {
  readonly name: string;
  readonly text: string;
  /** The line where the block ends. */
  readonly end: number;
}

/** Where a document's reader is said to be, and to have the executable. */
const PLACE = "/home/you";
const PROGRAM = `${PLACE}/.local/bin/synartesis`;
/** The width that the document was written for. */
const COLUMNS = "96";

/** An `npx -y PACKAGE ARGUMENTS` that fetches nothing: the reader's registry is the packages that are installed here. */
const INSTALLED_NPX = `#!/bin/sh
package=$2; shift 2
case $package in
  @modelcontextprotocol/server-*) exec "${ROOT}/node_modules/.bin/mcp-\${package#*/}" "$@" ;;
  *) echo "$package isn't installed for the tests" >&2; exit 1 ;;
esac
`;

/** Gives every command of the document in order: behind `$` in blocks of `console`, each line of those of `sh` without its comment. */
export function commandsIn(markdown: string): Shown[] {
  const found: { command: string; lines: string[] | null; line: number }[] = [];
  let block = "";
  for (const [index, line] of markdown.split("\n").entries()) {
    if (line.trimStart().startsWith("```")) block = block === "" ? line.trim() : "";
    else if (block === "```console" && line.startsWith("$ ")) found.push({ command: line.slice(2), lines: [], line: index + 1 });
    else if (block === "```console") found.at(-1)?.lines?.push(line);
    else if (line.startsWith("#!")) block = "saved";
    else if (block === "```sh" && line.trim() !== "")
      found.push({ command: line.replace(/ +# .*/, "").trim(), lines: null, line: index + 1 });
  }
  return found.map(({ command, lines, line }) => ({ command, output: lines?.join("\n").trimEnd() ?? null, line }));
}

function savedIn(markdown: string): readonly Saved[] {
  return [...markdown.matchAll(/^```(?:yaml\n(version:[\s\S]*?)|sh\n(#!.*\n# (\S+)[\s\S]*?))^```$/gm)].map(
    ({ index, 0: block, 1: manifest, 2: script = "", 3: name = "" }) => ({
      name: manifest === undefined ? name : "synartesis.yaml",
      text: manifest ?? script,
      end: markdown.slice(0, index + block.length).split("\n").length,
    }),
  );
}

/** Types a command in the folder where the one before it has ended. */
async function typeIn(sandbox: Sandbox, place: { folder: string }, command: string): Promise<string> {
  const shell = `eval "$1"; status=$?; pwd >"$2"; exit "$status"`;
  const after = join(sandbox.folder, "where");
  const child = Bun.spawn(["sh", "-c", shell, "sh", command, after], {
    cwd: place.folder,
    env: { ...sandbox.env, COLUMNS, PATH: [join(sandbox.folder, "bin"), "/usr/bin", "/bin"].join(delimiter) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`\`${command}\` ended with ${code}: ${out}${err}`);
  place.folder = readFileSync(after, "utf8").trim();
  return `${err}${out}`.trimEnd();
}

/** Takes out of a text what differs from one reader to the next. One id stays one id: they are numbered as they appear. */
function makeNormalizer(): (text: string) => string {
  const numbers = new Map<string, number>();
  // A list shortens ids to eight characters.
  const named = (id: string) => {
    const key = id.slice(0, 8);
    const number = numbers.get(key) ?? numbers.size + 1;
    numbers.set(key, number);
    return `id-${number}`;
  };
  return (text) =>
    text
      .replace(/ +$/gm, "") // a document keeps no space at the end of a line
      .replace(/\b[0-9a-f]{64}\b/g, "HASH")
      .replace(ID, (_found, _edge, id?: string, before = "", short = "") => (id === undefined ? `${before}${named(short)}` : named(id)))
      .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, "DATE")
      .replace(/\b\d\d:\d\d:\d\d\b/g, "TIME")
      .replace(/\b(just now|\d+[smhd] ago|in \d+[smhd])/g, "WHEN")
      .replace(/\blasted \d+[smhd]\b/g, "lasted SPAN")
      .replace(/\b\d+ events\b/g, "N events")
      // Where the agent's lines are broken depends on the length of the places in them.
      .replace(/\n {9}(?=\S)/g, " ")
      .replace(/ {2,}/g, "  ");
}

/** A whole id, or one that is shortened: at the beginning of a list's row, or after "undo of". */
const ID = /(\b)([0-9a-hjkmnp-tv-z]{16})\b|(^|\bundo of )([0-9a-hjkmnp-tv-z]{8})(?= {2})/gm;

/** Puts a name in a place's place, also where the agent's lines are broken in the middle of it. */
function renamed(text: string, place: string, name: string): string {
  const broken = [...place].map((character) => character.replace(/\W/, "\\$&")).join("(?:\\n {9})?");
  return text.replace(new RegExp(broken, "g"), name);
}

/**
 * Types every command of a document in a sandbox, but for the ones that are named to be passed over, with what stands before it to be saved, and fails where it fails or prints something else.
 * Gives the folder in which it ends.
 */
export async function typeDocument(sandbox: Sandbox, name: string, passedOver: ReadonlySet<string> = new Set()): Promise<string> {
  mkdirSync(join(sandbox.folder, "bin"));
  symlinkSync(EXECUTABLE, join(sandbox.folder, "bin", "synartesis"));
  writeFileSync(join(sandbox.folder, "bin", "npx"), INSTALLED_NPX, { mode: 0o755 });
  const [ofDocument, ofReality] = [makeNormalizer(), makeNormalizer()];
  const place = { folder: sandbox.folder };
  const markdown = readFileSync(join(ROOT, name), "utf8");
  const saved = [...savedIn(markdown)];
  for (const { command, output, line } of commandsIn(markdown)) {
    for (let next = saved[0]; next !== undefined && next.end < line; next = saved[0]) {
      writeFileSync(join(place.folder, next.name), next.text);
      saved.shift();
    }
    if (passedOver.has(command)) continue;
    const printed = await typeIn(sandbox, place, command);
    if (output === null) continue;
    const placed = [join(sandbox.folder, "bin", "synartesis"), EXECUTABLE].reduce((text, path) => renamed(text, path, PROGRAM), printed);
    expect(`line ${line}, $ ${command}\n${ofReality(renamed(placed, sandbox.folder, PLACE))}`).toBe(
      `line ${line}, $ ${command}\n${ofDocument(output)}`,
    );
  }
  return place.folder;
}

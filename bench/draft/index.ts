// How often is a draft right? `bun bench/draft DIR [--errors] [--only NAME,...]` drafts for each list DIR/corpus/NAME.json and compares with DIR/labels.jsonl,
// one object a line: server, tool, class, snapshot, inverse; snapshot_alt is equally right, and with doubt no error counts.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { draftJson } from "../../src/draft/draft-json.ts";
import { readSavedTools } from "../../src/draft/saved-tools.ts";

interface Label {
  readonly server: string;
  readonly tool: string;
  readonly class: string;
  readonly snapshot: string | null;
  readonly inverse: string | null;
  readonly snapshot_alt?: string | readonly string[];
  readonly doubt?: boolean;
}
type Drafted = ReturnType<typeof draftJson>["tools"][number];

const [directory, ...flags] = process.argv.slice(2);
if (directory === undefined) throw new Error("bun bench/draft DIR [--errors] [--only NAME,...]");
const only = flags[flags.indexOf("--only") + 1]?.split(",");
const labels = readFileSync(join(directory, "labels.jsonl"), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Label) // the shape that the first lines describe
  .filter(({ server }) => !flags.includes("--only") || only?.includes(server));

const drafts = new Map<string, Map<string, Drafted>>();
let slowest = { server: "", tools: 0, milliseconds: 0 };
for (const file of readdirSync(join(directory, "corpus")).toSorted()) {
  const server = basename(file, ".json");
  const bytes = readFileSync(join(directory, "corpus", file));
  const began = performance.now();
  const saved = readSavedTools(bytes);
  if (saved.kind === "unreadable") throw new Error(`${server}: ${saved.reason}`);
  const { tools } = draftJson(saved.tools);
  const milliseconds = performance.now() - began;
  if (tools.length > slowest.tools) slowest = { server, tools: tools.length, milliseconds };
  drafts.set(server, new Map(tools.map((tool) => [tool.name, tool])));
}

const counted = labels.filter(({ doubt }) => doubt !== true);
const missing: Drafted = { name: "", class: "irreversible", snapshot: null, inverse: null, confidence: "low", reason: "not in the list" };
const judged = counted.map((label) => ({ label, draft: drafts.get(label.server)?.get(label.tool) ?? missing }));
const wrongClass = judged.filter(({ label, draft }) => label.class !== draft.class);
const paired = judged.filter(({ label }) => label.snapshot !== null || label.inverse !== null);
const wrongPair = paired.filter(({ label, draft }) => !isSamePair(label, draft));
const all = labels.map((label) => ({ label, draft: drafts.get(label.server)?.get(label.tool) ?? missing }));
/** A changing tool as a read counts whatever is doubtful about it. */
const asReads = all.filter(({ label, draft }) => label.class !== "readonly" && draft.class === "readonly");
const badlyReversible = judged.filter(({ label, draft }) => draft.class === "reversible" && draft.inverse !== label.inverse);
const unwarned = badlyReversible.filter(({ draft }) => draft.confidence === "high");
/** Taken for sure, and taken back by another call than the label says: among the doubtful labels, too. */
const sureOffset = all.filter(({ draft }) => draft.class === "compensable" && draft.confidence === "high");
const wronglyOffset = sureOffset.filter(({ label, draft }) => label.inverse !== draft.inverse);
const doubtful = all.filter(({ label, draft }) => label.doubt === true && draft.inverse !== null && draft.confidence !== "low");
const otherInverse = doubtful.filter(({ label, draft }) => label.inverse !== draft.inverse);

function isSamePair(label: Label, draft: Drafted): boolean {
  const snapshots = [label.snapshot, ...[label.snapshot_alt ?? []].flat()];
  return snapshots.includes(draft.snapshot) && label.inverse === draft.inverse;
}

function share(part: readonly unknown[], whole: readonly unknown[]): string {
  return `${part.length} of ${whole.length} (${((100 * part.length) / Math.max(1, whole.length)).toFixed(1)} %)`;
}

const CLASSES = ["readonly", "reversible", "compensable", "irreversible"];
console.log(`class wrong: ${share(wrongClass, counted)}; at most 8 %`);
console.log(`dangerous: ${share([...asReads, ...unwarned], labels)}; at most 0.3 %`);
console.log(
  `reversible with another inverse than the labelled one, with a warning: ${share(
    badlyReversible.filter((each) => !unwarned.includes(each)),
    counted,
  )}`,
);
console.log(`compensable by another inverse than the labelled one, said to be sure: ${share(wronglyOffset, sureOffset)}`);
console.log(`another inverse than a doubtful label has: ${share(otherInverse, doubtful)}`);
console.log(`pair wrong: ${share(wrongPair, paired)}; at most 25 %`);
console.log(`the longest list: ${slowest.tools} tools in ${slowest.milliseconds.toFixed(1)} ms (${slowest.server})`);
console.log(`\n${"labelled, then drafted as".padEnd(26)}${CLASSES.map((name) => name.padStart(14)).join("")}`);
for (const row of CLASSES) {
  const cells = CLASSES.map((column) => judged.filter(({ label, draft }) => label.class === row && draft.class === column).length);
  console.log(row.padEnd(26) + cells.map((count) => String(count).padStart(14)).join(""));
}
if (flags.includes("--errors")) {
  const misses = judged.filter((each) => wrongClass.includes(each) || wrongPair.includes(each));
  for (const { label, draft } of new Set([...asReads, ...wronglyOffset, ...misses, ...otherInverse])) {
    console.log(`\n${label.server} ${label.tool}: ${label.class}, ${label.snapshot}, ${label.inverse}`);
    console.log(`  drafted ${draft.class}, ${draft.snapshot}, ${draft.inverse} (${draft.confidence}): ${draft.reason}`);
  }
}

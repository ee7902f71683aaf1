// What does a person read of a drill, and what does --json print? A row for each part of a rule, why it isn't proven, what differs, and the sum. Pure.
import type { DrillPart } from "../../core/drill-parts.ts";
import type { DrillRow, SampleName, Spoiler } from "../../drill/drill-server.ts";
import type { Cause, Difference, Outcome, Why, Witness } from "../../drill/outcome.ts";
import { countText, moreText } from "./counts.ts";
import { shorten, table, wrapWords } from "./layout.ts";
import { codeWords } from "./step-words.ts";
import { valueText } from "./value.ts";
import { visible } from "./visible.ts";

/** What others said is cut after so many cells, and of what differs so many places are shown. */
const LONGEST_SAID = 300;
const MOST_PLACES = 10;

/** What a drill came to, counted; what the server refuses is in none of them. */
export interface DrillSum {
  readonly proven: number;
  readonly failed: number;
  readonly unproven: number;
  /** Proven of all, from 0 to 1. */
  readonly share: number;
}

/** Counts the rows. */
export function sumOf(rows: readonly DrillRow[]): DrillSum {
  const count = (wanted: Outcome["kind"]) => rows.filter(({ outcome }) => outcome.kind === wanted).length;
  const proven = count("proven");
  const counted = rows.length - count("refused");
  return { proven, failed: count("failed"), unproven: count("unproven"), share: counted === 0 ? 0 : proven / counted };
}

/** Gives the table, and below it what isn't proven and why. */
export function drillText(rows: readonly DrillRow[], width: number): string {
  const cells = rows.map((row) => [visible(partName(row)), row.outcome.kind, shortWhy(row)]);
  const open = rows.flatMap((row) => openText(row, width));
  return [table([["rule", "outcome", "by, or why not"], ...cells], width), ...open].join("\n\n");
}

/** Gives the last line: `5 of 6 proven (83 %), 1 failed`. */
export function drillSumText({ proven, failed, unproven, share }: DrillSum): string {
  const others = [...(failed > 0 ? [`${failed} failed`] : []), ...(unproven > 0 ? [`${unproven} unproven`] : [])];
  return [`${proven} of ${countText(proven + failed + unproven, "rule")} proven (${Math.floor(share * 100)} %)`, ...others].join(", ");
}

/** Gives one row for programs. */
export function drillDocument({ server, tool, rule, outcome, calls, sample, spoiledBy }: DrillRow) {
  const why = whyOf(outcome);
  return {
    server,
    tool,
    case: rule.case ?? null,
    when: rule.when ?? null,
    line: rule.position.line,
    outcome: outcome.kind,
    by: outcome.kind === "proven" ? outcome.by : [],
    calls,
    sample: sample?.number ?? null,
    note: sample?.note ?? null,
    spoiledBy: spoiledBy === null ? null : spoilerText(spoiledBy, server),
    cause: why?.cause ?? null,
    reason: why?.reason ?? null,
    why: why === undefined ? null : whyText(why),
    hint: why === undefined ? null : hintFor(why),
    differences:
      outcome.kind === "failed"
        ? outcome.differences.map(({ path, before, after }) => ({ path, before: before ?? null, after: after ?? null }))
        : [],
  };
}

function partName({ server, tool, rule }: DrillPart): string {
  const which = [...(rule.case === undefined ? [] : [rule.case]), ...(rule.when === undefined ? [] : [`when_${rule.when}`])];
  return `${server}.${tool}${which.length === 0 ? "" : ` (${which.join(", ")})`}`;
}

function whyOf(outcome: Outcome): Why | undefined {
  return outcome.kind === "failed" || outcome.kind === "unproven" ? outcome.why : undefined;
}

const WITNESS_WORDS: Readonly<Record<Witness, string>> = {
  read: "its read",
  observe: "its observe",
  bytes: "every byte",
  check: "its check",
  listings: "what the server lists",
};

function shortWhy({ outcome, sample }: DrillRow): string {
  if (outcome.kind === "proven") return outcome.by.map((by) => WITNESS_WORDS[by]).join(" and ");
  const words = outcome.kind === "refused" ? "the server refuses it, as it says; left out of the sum" : CAUSE_WORDS[outcome.why.cause];
  return sample === null ? words : `${sampleText(sample)}: ${words}`;
}

function sampleText({ number, note }: SampleName): string {
  return `sample ${number}${note === null ? "" : ` (${visible(note)})`}`;
}

function spoilerText({ tool, sample }: Spoiler, server: string): string {
  return `${visible(`${server}.${tool}`)}${sample === null ? "" : `, ${sampleText(sample)}`}`;
}

function openText(row: DrillRow, width: number): readonly string[] {
  const { server, outcome, rule, sample, spoiledBy } = row;
  const why = whyOf(outcome);
  if (why === undefined) return [];
  const hint = hintFor(why);
  const spoiled = spoiledBy && `it was tried on what ${spoilerText(spoiledBy, server)} had left behind, which failed before`;
  const lines = [
    `${visible(partName(row))}, line ${rule.position.line}${sample === null ? "" : `, ${sampleText(sample)}`}: ${outcome.kind}`,
    wrapWords(whyText(why), width, "  "),
    ...(outcome.kind === "failed" ? placesText(outcome.differences, width) : []),
    ...(spoiled === null ? [] : [wrapWords(spoiled, width, "  ")]),
    ...(hint === null ? [] : [wrapWords(`hint: ${hint}`, width, "  ")]),
  ];
  return [lines.join("\n")];
}

function placesText(differences: readonly Difference[], width: number): readonly string[] {
  const shown = differences
    .slice(0, MOST_PLACES)
    .flatMap(({ path, before, after }) => [
      `  ${path === "" ? "(all)" : shorten(visible(path), width - 4)}`,
      `    before the call  ${valueText(before, Math.max(12, width - 21))}`,
      `    after the undo   ${valueText(after, Math.max(12, width - 21))}`,
    ]);
  return differences.length > MOST_PLACES ? [...shown, `  ${moreText(differences.length - MOST_PLACES, "place")}`] : shown;
}

const CAUSE_WORDS: Readonly<Record<Cause, string>> = {
  "no-sample": "no call leads there",
  sample: "its sample can't be filled in",
  held: "the call is held",
  "call-failed": "the call failed",
  lost: "no answer came to the call",
  "nothing-changed": "the call changed nothing that is looked at",
  "nothing-shows": "nothing shows whether it went back",
  offset: "it is offset, and what the call made is still there in another state",
  foreign: "what its observe showed has nothing of the call's own",
  undo: "undo didn't put it back",
  differs: "it isn't as it was before the call",
  "no-server": "its server can't be started",
  "not-scratch": "it would change a server that isn't marked `scratch: true`",
};

function whyText({ cause, reason, said, prepared }: Why): string {
  const parts = [reason ? codeWords(reason) : undefined, said ? saidText(said) : undefined];
  const told = [CAUSE_WORDS[cause], ...parts].filter((part) => part !== undefined).join(": ");
  return prepared ? `${told} (before it, ${saidText(prepared)})` : told;
}

function saidText(text: string): string {
  return shorten(visible(text.replace(/\s+/g, " ").trim()), LONGEST_SAID);
}

/** What a sample looks like. */
const SAMPLE = "`drill: [{ before: [{ tool: SERVER.TOOL, args: { ... } }], args: { id: $result.id } }]`";

const HINTS: Partial<Record<Cause, string>> = {
  "no-sample": `give the rule a sample whose call it governs: ${SAMPLE}`,
  "call-failed": `give the rule a sample that the server takes, with \`before\` to prepare what it needs: ${SAMPLE}`,
  held: `give the rule a sample that isn't held, with \`before\` to make what the call changes: ${SAMPLE}`,
  "nothing-changed": `give the rule a sample that changes something: ${SAMPLE}`,
  foreign: "give the sample texts that no other record has, or a `check:` that shows more: `check: [{ tool: SERVER.TOOL, args: { ... } }]`",
  "nothing-shows": "give the rule a `snapshot`, or an `observe`, by which it can be seen, or the sample a `check`: a read that shows it",
  offset: "a `snapshot` shows what was there before, and so whether all of it is there again",
  sample: "`$result` is what the latest call of `before:` gave, if it didn't fail",
};

function hintFor({ cause }: Why): string | null {
  return HINTS[cause] ?? null;
}

// What does doctor say? Area by area, each finding with what mends it on a line of its own, to be copied; pure.
import { AREAS, type Finding, NOTHING_GUARDED } from "../doctor/finding.ts";
import { countText } from "./counts.ts";
import { wrapWords } from "./layout.ts";
import type { Style } from "./style.ts";
import { visible, visibleLines } from "./visible.ts";

const WIDEST = 100;

/** Gives the text for a person; `columns` is the terminal's width. */
export function doctorText(findings: readonly Finding[], columns: number, style: Style): string {
  const width = Math.min(columns, WIDEST);
  const areas = AREAS.map((area) => findings.filter((finding) => finding.area === area)).filter((found) => found.length > 0);
  const blocks = areas.map((found) =>
    [style.bold(found[0]?.area ?? ""), ...found.map((each) => findingLines(each, width, style))].join("\n"),
  );
  return [...blocks, sumText(findings)].join("\n\n");
}

/** Gives a finding as `doctor --json` prints it. */
export function findingDocument({ area, level, what, hint, command }: Finding) {
  return { area, level, what, hint: hint ?? null, command: command ?? null };
}

function findingLines({ level, what, hint, command }: Finding, width: number, style: Style): string {
  const paint = { ok: style.green, note: style.yellow, wrong: style.red }[level];
  const indent = " ".repeat(8);
  const [first = "", ...more] = wrapWords(visibleLines(what), width, indent).split("\n");
  return [
    `  ${paint(level.padEnd(5))} ${first.trimStart()}`,
    ...more,
    ...(hint === undefined ? [] : [wrapWords(visible(hint), width, indent)]),
    ...(command === undefined ? [] : [`${indent}${style.bold(visible(command))}`]),
  ].join("\n");
}

function sumText(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const wrong = count("wrong");
  const isGuarded = findings.every(({ what }) => what !== NOTHING_GUARDED);
  return `${wrong === 0 ? `nothing is wrong${isGuarded ? "" : ", but nothing is guarded"}` : `${countText(wrong, "thing")} ${wrong === 1 ? "is" : "are"} wrong`}, ${countText(count("note"), "note")}`;
}

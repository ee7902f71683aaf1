// What do many histories show together? Counts in the terms of the study that this follows (eligible, completed, collateral), and the story of the
// first few that went wrong. Pure.
import { BASELINES } from "./baselines.ts";
import { VIOLATIONS, type Violation } from "./judge.ts";
import type { Result, Trial } from "./trial.ts";

const WAYS = ["Synartesis", ...BASELINES] as const;

/** Adds up trials. */
export class Totals {
  #histories = 0;
  #eligible = 0;
  #undecidable = 0;
  #overlapping = 0;
  #contested = 0;
  readonly #completed = new Map<string, number>();
  readonly #completedContested = new Map<string, number>();
  readonly #collateral = new Map<string, { histories: number; cells: number }>();
  readonly #violations = new Map<Violation["kind"], number>();

  add(trial: Trial): void {
    this.#histories++;
    if (trial.isEligible) this.#eligible++;
    if (trial.isEligible && trial.isContested) this.#contested++;
    if (trial.isUndecidable) this.#undecidable++;
    if (trial.overlaps > 0) this.#overlapping++;
    for (const way of WAYS) this.#addResult(way, trial.results[way], trial);
    for (const kind of new Set(trial.violations.map((violation) => violation.kind))) increment(this.#violations, kind);
  }

  /** Gives the figures as text, one line per row. */
  lines(): readonly string[] {
    const completed = (way: string) => `${this.#completed.get(way) ?? 0} of ${this.#eligible}`;
    const contested = (way: string) => `${this.#completedContested.get(way) ?? 0} of ${this.#contested}`;
    const collateral = (way: string) => {
      const { histories, cells } = this.#collateral.get(way) ?? { histories: 0, cells: 0 };
      return histories === 0 ? "none" : `${histories} (${cells} edits)`;
    };
    return [
      `${this.#histories} histories: ${this.#eligible} eligible, ${this.#overlapping} with an overlap, ${this.#undecidable} undecidable by values`,
      "",
      row("", ...WAYS),
      row("eligible completed", ...WAYS.map(completed)),
      row("  where people came after", ...WAYS.map(contested)),
      row("histories with collateral", ...WAYS.map(collateral)),
      "",
      ...VIOLATIONS.map((kind) => row(kind, String(this.#violations.get(kind) ?? 0))),
    ];
  }

  #addResult(way: string, { isCompleted, collateral }: Result, { isEligible, isContested, isUndecidable }: Trial): void {
    if (isEligible && isCompleted) increment(this.#completed, way);
    if (isEligible && isCompleted && isContested) increment(this.#completedContested, way);
    if (collateral === 0 || isUndecidable) return;
    const { histories, cells } = this.#collateral.get(way) ?? { histories: 0, cells: 0 };
    this.#collateral.set(way, { histories: histories + 1, cells: cells + collateral });
  }
}

/** Tells the story of one history. */
export function storyText({ seed, story }: Trial): string {
  return [`seed ${seed}`, ...story.map((line) => `  ${line.length > 300 ? `${line.slice(0, 300)}…` : line}`)].join("\n");
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function row(name: string, ...cells: readonly string[]): string {
  return [name.padEnd(28), ...cells.map((cell) => cell.padEnd(20))].join("").trimEnd();
}

// What is wrong with a manifest, and where? Problems are collected, all of them, and given in the order of the file.
import type { Position } from "../core/policy.ts";

/** One thing wrong with a manifest: 1-based line and column, what it is, and what would be right. */
export interface Problem extends Position {
  readonly message: string;
  readonly hint: string | undefined;
}

/** Prints a problem as `file:line:column: message`; the hint is the caller's to print. */
export function formatProblem(file: string, problem: Problem): string {
  return `${file}:${problem.line}:${problem.column}: ${problem.message}`;
}

/** Collects problems by their offset in the text. */
export class ProblemList {
  private readonly found = new Map<string, Problem>();
  private readonly lineStarts: readonly number[];

  constructor(text: string) {
    this.lineStarts = [0, ...Array.from(text.matchAll(/\n/g), (match) => match.index + 1)];
  }

  /** Notes a problem at an offset (UTF-16 code units), once: what several cases of a rule inherit is read for each. */
  add(offset: number, message: string, hint?: string): void {
    const problem = this.problemAt(offset, message, hint);
    const said = `${problem.line}:${problem.column} ${message}`;
    if (!this.found.has(said)) this.found.set(said, problem);
  }

  /** Gives what `add` would note. */
  problemAt(offset: number, message: string, hint?: string): Problem {
    return { ...this.positionAt(offset), message, hint };
  }

  /** Turns an offset into a line and a column. */
  positionAt(offset: number): Position {
    let low = 0;
    let high = this.lineStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.lineStarts[low] ?? 0) + 1 };
  }

  get isEmpty(): boolean {
    return this.found.size === 0;
  }

  /** Everything found so far, in the order of the file. */
  inOrder(): readonly Problem[] {
    return [...this.found.values()].sort((a, b) => a.line - b.line || a.column - b.column);
  }
}

// How is told what is wrong with a manifest? One line each, as editors and terminals link to them, and a hint below.
import type { Position } from "../../core/policy.ts";
import { visible } from "./visible.ts";

/** One thing wrong, or worth a look, at a place of the manifest. */
export interface ShownFinding {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint?: string | undefined;
  readonly position: Position;
}

/** Gives `file:line:column: error: message`, with the hint on a line of its own. */
export function findingText(file: string, { severity, message, hint, position }: ShownFinding): string {
  const [first = "", ...more] = message.split("\n").map(visible);
  const lines = [`${visible(file)}:${position.line}:${position.column}: ${severity}: ${first}`, ...more.map((line) => `    ${line}`)];
  return [...lines, ...(hint === undefined ? [] : [`  hint: ${visible(hint)}`])].join("\n");
}

/** Gives a finding as `check --json` prints it. */
export function findingDocument(file: string, { severity, message, hint, position }: ShownFinding) {
  return { file, line: position.line, column: position.column, severity, message, hint: hint ?? null };
}

/** Gives `2 errors, 1 warning`. */
export function sumText(findings: readonly ShownFinding[]): string {
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length;
  const say = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  return `${say(count("error"), "error")}, ${say(count("warning"), "warning")}`;
}

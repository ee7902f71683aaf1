// How are figures shown? As rows of a Markdown table: what was measured, each way, and the ratio that counts. Never more digits than hold.
import type { Memory } from "./machine.ts";
import { WAYS, type Way } from "./setting.ts";
import { addedBy, median, type Rounds, relaysOf, type Spread, spreadOf } from "./statistics.ts";

/** How a time per call in microseconds is shown. */
export type Unit = "µs" | "ms" | "calls/s";

/** Gives the table's head. */
export function headRow(): string {
  return "| what | direct | relay | proxy | proxy adds | in relays |\n|---|---|---|---|---|---|";
}

/** Gives a row; `rounds` are times per call in microseconds, whatever the unit they are shown in. */
export function row(name: string, rounds: Rounds, unit: Unit): string {
  const [direct, relay, proxy] = [rounds.direct, rounds.relay, rounds.proxy].map((times) => shown(spreadOf(times), unit));
  const costs = shown(spreadOf(addedBy("proxy", rounds)), unit === "calls/s" ? "µs" : unit);
  // With many in flight what the relay adds is hidden behind the others' work, and nothing can be counted in it.
  return cells(name, direct, relay, proxy, costs, unit === "calls/s" ? "" : `**${relaysOf(rounds).toFixed(1)}**`);
}

/** Gives the row of what one commit costs that waits for the disk; per round, in microseconds. */
export function commitRow(commits: readonly number[]): string {
  return cells("one durable commit of 2 KiB, at that time", shown(spreadOf(commits), "µs"), "", "", "", "");
}

/** Gives the row of the processor time that each process uses per call, in microseconds; for `direct` that is the server itself. */
export function processorRow(name: string, used: Readonly<Record<Way, number>>): string {
  const [direct, relay, proxy] = WAYS.map((way) => `${used[way].toFixed(0)} µs`);
  return cells(`${name}, processor time`, direct, relay, proxy, "", "");
}

/** Gives the row of what each process holds after so many calls. */
export function memoryRow(calls: number, memory: Readonly<Record<Way, Memory>>): string {
  const [direct, relay, proxy] = WAYS.map((way) => {
    const { now, peak } = memory[way];
    return `${now.toFixed(0)} MiB${peak === undefined ? "" : ` (at most ${peak.toFixed(0)})`}`;
  });
  return cells(`memory of the process after ${calls} calls`, direct, relay, proxy, "", "");
}

/** What one undo came to: times in milliseconds, the peak of memory in MiB, one durable commit in microseconds. */
export interface Undone {
  readonly name: string;
  readonly size: number;
  readonly bare: readonly number[];
  readonly undo: number;
  /** Used by the undo and the server that it started. */
  readonly processor: number;
  readonly peak: number | undefined;
  readonly commit: number;
}

/** Gives the head of the table of undos. */
export function undoHead(): string {
  return "| server | actions | bare calls | undo | times | undo adds per action | processor time | a commit | memory |\n|---|---|---|---|---|---|---|---|---|";
}

/** Gives the row of an undo. */
export function undoRow({ name, size, bare, undo, processor, peak, commit }: Undone): string {
  const calls = median(bare);
  return cells(
    name,
    String(size),
    `${calls.toFixed(0)} ms (${Math.min(...bare).toFixed(0)} to ${Math.max(...bare).toFixed(0)})`,
    `${undo.toFixed(0)} ms`,
    `**${(undo / calls).toFixed(2)}**`,
    `${(((undo - calls) * 1000) / size).toFixed(0)} µs`,
    `${((processor * 1000) / size).toFixed(0)} µs`,
    `${commit.toFixed(0)} µs`,
    peak === undefined ? "" : `${peak.toFixed(0)} MiB`,
  );
}

function shown({ median: middle, min, max }: Spread, unit: Unit): string {
  if (unit === "calls/s") return `${(1e6 / middle).toFixed(0)}/s (${(1e6 / max).toFixed(0)} to ${(1e6 / min).toFixed(0)})`;
  const scale = (time: number) => (unit === "ms" ? (time / 1000).toFixed(0) : time.toFixed(0));
  return `${scale(middle)} ${unit} (${scale(min)} to ${scale(max)})`;
}

function cells(...texts: readonly (string | undefined)[]): string {
  return `| ${texts.map((text) => text ?? "").join(" | ")} |`;
}

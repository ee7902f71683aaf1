// How are figures shown? As rows of a Markdown table: what was measured, each way, and the ratio that counts. Never more digits than hold.
import type { Memory } from "./machine.ts";
import { type Rounds, relaysOf, type Spread, spreadOf } from "./statistics.ts";

/** How a time per call in microseconds is shown. */
export type Unit = "µs" | "ms" | "calls/s";

/** Gives the table's head. */
export function headRow(): string {
  return "| what | direct | relay | proxy | proxy adds | in relays |\n|---|---|---|---|---|---|";
}

/** Gives a row; `rounds` are times per call in microseconds, whatever the unit they are shown in. */
export function row(name: string, rounds: Rounds, unit: Unit): string {
  const added = rounds.proxy.map((time, round) => time - (rounds.direct[round] ?? Number.NaN));
  const [direct, relay, proxy] = [rounds.direct, rounds.relay, rounds.proxy].map((times) => shown(spreadOf(times), unit));
  const costs = shown(spreadOf(added), unit === "calls/s" ? "µs" : unit);
  const relays = spreadOf(relaysOf(rounds));
  return cells(name, direct, relay, proxy, costs, `**${relays.median.toFixed(1)}** (${relays.min.toFixed(1)} to ${relays.max.toFixed(1)})`);
}

/** Gives the row of what one commit costs that waits for the disk, in microseconds. */
export function commitRow(commit: number): string {
  return cells("one durable commit of 2 KiB here", `${commit.toFixed(0)} µs`, "", "", "", "");
}

/** Gives the row of what one process holds after so many calls. */
export function memoryRow(way: string, calls: number, { now, peak }: Memory): string {
  const most = peak === undefined ? "" : ` (at most ${peak.toFixed(0)})`;
  const column = { direct: 0, relay: 1, proxy: 2 }[way] ?? 0;
  return cells(`memory after ${calls} calls, MiB`, ...[0, 1, 2].map((at) => (at === column ? `${now.toFixed(0)}${most}` : "")), "", "");
}

/** Gives the row of an undo: its time, what the same calls take without it, and what remains without the commits; in microseconds. */
export function undoRow(actions: number, direct: number, undo: number, commit: number): string {
  const rest = undo - actions * commit;
  return cells(
    `undo of ${actions}; direct: read, write, read back`,
    `${(direct / 1e3).toFixed(0)} ms`,
    "",
    `${(undo / 1e3).toFixed(0)} ms`,
    `${(undo / direct).toFixed(1)} times (${(rest / direct).toFixed(1)} without its commits)`,
    "",
  );
}

function shown({ median, min, max }: Spread, unit: Unit): string {
  if (unit === "calls/s") return `${(1e6 / median).toFixed(0)}/s (${(1e6 / max).toFixed(0)} to ${(1e6 / min).toFixed(0)})`;
  const scale = (time: number) => (unit === "ms" ? (time / 1000).toFixed(0) : time.toFixed(0));
  return `${scale(median)} ${unit} (${scale(min)} to ${scale(max)})`;
}

function cells(...texts: readonly (string | undefined)[]): string {
  return `| ${texts.map((text) => text ?? "").join(" | ")} |`;
}

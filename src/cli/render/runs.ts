// How is a list of runs shown? One line each, newest first, as it is handed in; pure.
import type { Run } from "../../journal/journal.ts";
import type { RunFacts } from "../run-facts.ts";
import { shorten, table } from "./layout.ts";
import { ago, localTime } from "./time.ts";
import { visible } from "./visible.ts";

/** What the view depends on besides the runs. `command` writes a command so that it runs as printed. */
export interface View {
  readonly now: number;
  readonly columns: number;
  command(...words: string[]): string;
}

/** Gives the table, and below it what to do about each run that a killed proxy left open. */
export function runsText(runs: readonly RunFacts[], view: View): string {
  if (runs.length === 0) return "no runs yet";
  const ids = shortIds(runs.map(({ run }) => run.id));
  const rows = runs.map((facts, at) => [
    ids[at] ?? facts.run.id,
    ...(view.columns < 100 ? [ago(facts.run.startedAt, view.now)] : [ago(facts.run.startedAt, view.now), localTime(facts.run.startedAt)]),
    shorten(facts.run.kind === "agent" ? actorText(facts.run) : undoingText(facts, (id) => id.slice(0, ids[at]?.length)), 36),
    shorten(serversText(facts.run), 28),
    String(facts.actions.length),
    String(facts.changes),
    String(facts.held),
    stateText(facts),
  ]);
  const heads = ["run", "when", ...(view.columns < 100 ? [] : ["started"]), "client", "servers", "calls", "changes", "held", "state"];
  const left = runs
    .filter(wasLeftOpen)
    .map(({ run }) => `run ${run.id} was left open by a proxy that was killed: ${view.command("close", run.id)}`);
  return [table([heads, ...rows], view.columns), ...(left.length === 0 ? [] : ["", ...left])].join("\n");
}

/** Tells whether nobody holds a run that was never ended. */
export function wasLeftOpen({ run, pids }: RunFacts): boolean {
  return run.state === "open" && pids.length === 0;
}

/** Gives the client's name and version as it gave them. */
export function clientText(run: Run): string {
  return run.client === null ? "unknown client" : visible(`${run.client.name} ${run.client.version}`.trim());
}

/** Gives the names of a run's servers. */
export function serversText({ servers }: Pick<Run, "servers">): string {
  return servers.map(({ name }) => visible(name)).join(", ");
}

/** Gives the client, and whose token it showed where it had to. */
export function actorText(run: Run): string {
  return run.identity === null ? clientText(run) : `${clientText(run)} as ${visible(run.identity)}`;
}

/** Gives what an undo or a redo undoes: its run, or how many. */
export function undoingText({ run, undoesRuns }: RunFacts, nameOf: (id: string) => string): string {
  const [only] = undoesRuns;
  return `${run.kind} of ${undoesRuns.length === 1 && only !== undefined ? nameOf(only) : `${undoesRuns.length} runs`}`;
}

/** Gives a run's state in words. */
export function stateText(facts: RunFacts): string {
  if (facts.run.state !== "open") return facts.run.state;
  return wasLeftOpen(facts) ? "left open" : `open (process ${facts.pids.join(", ")})`;
}

/** Shortens ids to the same length, at least 8, at which those given still differ. */
export function shortIds(ids: readonly string[]): readonly string[] {
  const longest = Math.max(8, ...ids.map((id) => id.length));
  for (let length = 8; length < longest; length += 1) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return ids.map((id) => id.slice(0, length));
  }
  return ids;
}

// How is a list of runs shown? One line each, newest first, as it is handed in; pure.
import type { Run } from "../../journal/journal.ts";
import type { RunFacts } from "../run-facts.ts";
import { countText } from "./counts.ts";
import { fitsTable, shorten, table, wrapWords } from "./layout.ts";
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
  const rows = fittingRows(runs, view) ?? runRows(runs, shortIds(runs.map(({ run }) => run.id)), view, SHORTER[0]);
  const left = runs
    .filter(wasLeftOpen)
    .flatMap(({ run }) => [
      wrapWords(`run ${run.id} was left open by a proxy that was killed; to end it:`, view.columns),
      `  ${view.command("close", run.id)}`,
    ]);
  const notes = [...left, ...runs.flatMap((facts) => refutedNote(facts, view))];
  return [table(rows, view.columns), ...(notes.length === 0 ? [] : ["", ...notes])].join("\n");
}

/** Gives the heads and a line for each run; where there is no room for a table, of the most important only. */
export function runLines(runs: readonly RunFacts[], view: View): readonly string[] {
  const rows = fittingRows(runs, view);
  if (rows !== undefined) return table(rows, view.columns).split("\n");
  const lines = runs.map((facts) => {
    const who = facts.run.kind === "agent" ? actorText(facts.run) : undoingText(facts, (id) => id.slice(0, 8));
    const held = facts.held === 0 ? "" : `${facts.held} held, `;
    return `${facts.run.id.slice(0, 8)}  ${held}${countText(facts.changes, "change")}  ${who}`;
  });
  return ["run", ...lines].map((line) => shorten(line, view.columns));
}

function fittingRows(runs: readonly RunFacts[], view: View): readonly (readonly string[])[] | undefined {
  const ids = shortIds(runs.map(({ run }) => run.id));
  return SHORTER.map((shorter) => runRows(runs, ids, view, shorter)).find((rows) => fitsTable(rows, view.columns));
}

/** What said success and isn't so must not hide behind `show`. */
function refutedNote({ run, refuted }: RunFacts, view: View): readonly string[] {
  if (refuted === 0) return [];
  const calls = countText(refuted, "call");
  return [
    wrapWords(`run ${run.id}: ${calls} said success and failed verification; to see what:`, view.columns),
    `  ${view.command("show", run.id)}`,
  ];
}

/** How much of a row is left out so that a table fits: the servers first, then the client; in cells. */
interface Shorter {
  readonly client: number;
  readonly servers: number;
  /** Only the first server, how many more there are, and no process. */
  readonly isBrief: boolean;
  /** No number of calls, and of held ones only where there are any. */
  readonly isBare: boolean;
}
const SHORTER: readonly [Shorter, ...Shorter[]] = [
  { client: 36, servers: 60, isBrief: false, isBare: false },
  { client: 36, servers: 20, isBrief: true, isBare: false },
  { client: 20, servers: 14, isBrief: true, isBare: false },
  { client: 16, servers: 9, isBrief: true, isBare: true },
  { client: 9, servers: 9, isBrief: true, isBare: true },
];
/** From so many cells on the moment at which a run began is shown. */
const WIDE = 100;

function runRows(runs: readonly RunFacts[], ids: readonly string[], view: View, shorter: Shorter): readonly (readonly string[])[] {
  const isWide = view.columns >= WIDE;
  const hasHeld = !shorter.isBare || runs.some(({ held }) => held > 0);
  const rows = runs.map((facts, at) => [
    ids[at] ?? facts.run.id,
    ago(facts.run.startedAt, view.now),
    ...(isWide ? [localTime(facts.run.startedAt)] : []),
    shorten(facts.run.kind === "agent" ? actorText(facts.run) : undoingText(facts, (id) => id.slice(0, ids[at]?.length)), shorter.client),
    shorter.isBrief ? briefServers(facts.run, shorter.servers) : shorten(serversText(facts.run), shorter.servers),
    ...(shorter.isBare ? [] : [String(facts.calls)]),
    String(facts.changes),
    ...(hasHeld ? [String(facts.held)] : []),
    shorter.isBrief && facts.run.state === "open" && !wasLeftOpen(facts) ? "open" : stateText(facts),
  ]);
  const heads = ["run", "when", ...(isWide ? ["started"] : []), "client", "servers"];
  return [[...heads, ...(shorter.isBare ? [] : ["calls"]), "changes", ...(hasHeld ? ["held"] : []), "state"], ...rows];
}

/** Gives `crm, +2`. */
function briefServers(run: Pick<Run, "servers">, width: number): string {
  const [first, ...more] = seenServers(run).map(visible);
  const rest = more.length === 0 ? "" : `, +${more.length}`;
  return `${shorten(first ?? "", width - rest.length)}${rest}`;
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
export function serversText(run: Pick<Run, "servers">): string {
  return seenServers(run).map(visible).join(", ");
}

/** Names the servers that a run's agent sees. */
export function seenServers({ servers }: Pick<Run, "servers">): readonly string[] {
  return servers.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
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

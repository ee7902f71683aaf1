// Is the record whole, is there room for more, and does anything in it wait for a person? Reads it as `list` does, and settles nothing.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { SynartesisError } from "../../errors.ts";
import type { Journal, Run } from "../../journal/journal.ts";
import { shellQuote } from "../command-line.ts";
import { countText } from "../render/counts.ts";
import { clientText } from "../render/runs.ts";
import { codeOf, type Examination, type Finding, findingsOf } from "./finding.ts";

/** With less room than this, in bytes, the next large change may be refused. */
const LITTLE_ROOM = 100 * 1024 ** 2;

/** So many runs are named; more say nothing more. */
const NAMED_AT_MOST = 5;

const { ok, note, wrong } = findingsOf("record");

/** Looks at a journal that exists. */
export async function checkRecord(examination: Examination, journal: string): Promise<readonly Finding[]> {
  return [...checkRoom(journal), ...(await checkChain(examination, journal)), ...(await checkRuns(examination, journal))];
}

function checkRoom(journal: string): readonly Finding[] {
  const folder = dirname(journal);
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    const free = bavail * bsize;
    const mend = { hint: "a change that can't be recorded is refused", command: `df -h ${shellQuote(folder)}` };
    if (files > 0 && ffree === 0) return [wrong(`the disk of ${folder} can't hold another file`, mend)];
    const text = `${free < 1024 ** 3 ? `${Math.floor(free / 1024 ** 2)} MiB` : `${Math.floor(free / 1024 ** 3)} GiB`} free on the disk of the journal`;
    return [free < LITTLE_ROOM ? wrong(`only ${text}`, mend) : ok(text)];
  } catch (error) {
    return [note(`how much room the journal has can't be told (${codeOf(error)})`)];
  }
}

async function checkChain({ command }: Examination, journal: string): Promise<readonly Finding[]> {
  const { verifyJournal } = await import("../../journal/verify.ts");
  const more = command("audit", "verify");
  try {
    const report = await verifyJournal(journal);
    if (report.kind === "damaged")
      return [wrong(`the record isn't as it was written: ${countText(report.findings.length, "finding")}`, { command: more })];
    if (report.losses.length > 0)
      return [note(`what is recorded is unchanged, but its end was lost: ${countText(report.losses.length, "place")}`, { command: more })];
    return [ok(`the record is complete and unchanged: ${countText(report.events, "event")}`)];
  } catch (error) {
    return [unusable(error)];
  }
}

async function checkRuns(examination: Examination, file: string): Promise<readonly Finding[]> {
  const [{ openJournal }, { isAlive }, { staleControls }] = await Promise.all([
    import("../../journal/open.ts"),
    import("../../journal/process-identity.ts"),
    import("../../journal/control-place.ts"),
  ]);
  try {
    const journal = await openJournal({ file, mode: "existing" });
    examination.context.defer(() => journal.close());
    const open = (await journal.runs()).filter(({ state }) => state === "open");
    const runs = (await Promise.all(open.map((run) => checkRun(examination, journal, run, isAlive)))).flat();
    const stale = staleControls(file);
    return [
      ...runs.slice(0, NAMED_AT_MOST),
      ...(runs.length > NAMED_AT_MOST
        ? [wrong(`and ${runs.length - NAMED_AT_MOST} more such runs`, { command: examination.command("list") })]
        : []),
      ...(stale.length === 0 ? [] : [note(`${countText(stale.length, "socket")} of proxies that are gone; the next proxy removes them`)]),
      ...(await checkWaiting(examination, journal)),
    ];
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "journal-damaged") return []; // said of the chain already
    return [unusable(error)];
  }
}

async function checkRun(
  { command }: Examination,
  journal: Journal,
  run: Run,
  isAlive: (process: NonNullable<Run["clientProcess"]>) => boolean,
): Promise<readonly Finding[]> {
  const holders = await journal.holders(run.id);
  const whose = `run ${run.id} of ${run.kind === "agent" ? clientText(run) : `an ${run.kind}`}`;
  if (holders.length === 0) return [wrong(`${whose} was left open by a process that is gone`, { command: command("close", run.id) })];
  if (run.kind !== "agent" || run.clientProcess === null || isAlive(run.clientProcess)) return [];
  const pids = holders.map(({ pid }) => pid).join(" ");
  return [wrong(`the client of ${whose} is gone, and its proxy goes on (process ${pids})`, { command: `kill ${pids}` })];
}

async function checkWaiting({ command }: Examination, journal: Journal): Promise<readonly Finding[]> {
  const [{ listIds }, held] = await Promise.all([import("../../journal/list-ids.ts"), journal.waiting()]);
  const unknown = listIds(journal.path, "unknown-calls", 0);
  const [first] = unknown;
  return [
    ...(held.length === 0
      ? []
      : [note(`${countText(held.length, "call")} ${held.length === 1 ? "waits" : "wait"} for a person`, { command: command("gates") })]),
    ...(first === undefined
      ? []
      : [
          note(`of ${countText(unknown.length, "call")} it isn't known whether it happened`, {
            command: command("resolve", first.id, "--applied"),
          }),
        ]),
  ];
}

function unusable(error: unknown): Finding {
  if (!(error instanceof SynartesisError)) throw error;
  return wrong(error.message, { hint: error.hint });
}

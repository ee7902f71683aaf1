// Which run does `undo` mean, and which `redo`? Undo: the latest of an agent of which something still stands; typed twice it goes one run further
// back, never forward. Redo: the latest undo of which something is still put back.
import type { ActionStatus } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, Run } from "../journal/journal.ts";

/** What is known of the run that is meant, where none is named. */
export interface Hint {
  /** Its agent is connected. */
  readonly live: boolean;
  /** Actions are named by their numbers, which every run has. */
  readonly byNumber: boolean;
}

/** Finds the run by id or prefix, or chooses it. @throws SynartesisError not-found, ambiguous, refused */
export async function chooseRun(journal: Journal, prefix: string | undefined, { live, byNumber }: Hint): Promise<Run> {
  if (prefix !== undefined) return requireAgentRun(journal, await journal.findRun(prefix));
  const runs = await journal.runs({ kind: "agent" });
  for (const [passedOver, run] of runs.entries()) {
    if (live && (await journal.holders(run.id)).length === 0) continue;
    if (!(await hasMoreToDo(journal, run)) && !(await isUnsaid(journal, run))) continue;
    if (byNumber && passedOver > 0)
      throw new SynartesisError(
        "refused",
        `the latest run, ${runs[0]?.id}, ${await whyNothing(journal, runs[0] ?? run)}: numbers could mean another run`,
        {
          hint: `name the run; the next that is left is ${run.id}`,
        },
      );
    return run;
  }
  if (live)
    throw new SynartesisError("not-found", "no run of an agent that is connected is left to undo", {
      hint: "without --live, earlier runs are looked at too",
    });
  const [latest] = runs;
  const about = latest === undefined ? "" : `: the latest, ${latest.id}, ${await whyNothing(journal, latest)}`;
  throw new SynartesisError("not-found", `there is no run left to undo${about}`, {
    hint: "`synartesis list` shows all runs; name one to undo what is left of it",
  });
}

/**
 * Finds the undo to be undone by id or prefix, or chooses it; with it one of the same run that was cut off, and that it carried on: together they
 * are one undo. @throws SynartesisError not-found, ambiguous, refused
 */
export async function chooseUndo(journal: Journal, prefix: string | undefined): Promise<readonly Run[]> {
  if (prefix !== undefined) {
    const run = await journal.findRun(prefix);
    if (run.kind === "undo") return withCutOff(journal, run);
    const hint =
      run.kind === "redo"
        ? `undo the run that it did again: ${await originText(journal, run)}`
        : "redo takes the id of an undo; `synartesis list` shows them";
    throw new SynartesisError("refused", `${run.id} is no undo`, { hint });
  }
  for (const run of await journal.runs({ kind: "undo" })) if (await putsBack(journal, run)) return withCutOff(journal, run);
  throw new SynartesisError("not-found", "there is no undo that could be undone", { hint: "`synartesis list` shows all runs" });
}

async function withCutOff(journal: Journal, run: Run): Promise<readonly Run[]> {
  const [holder] = await journal.holders(run.id);
  if (holder !== undefined)
    throw new SynartesisError("refused", `the undo ${run.id} is still at work (process ${holder.pid})`, { hint: "wait for its end" });
  const undos = await journal.runs({ kind: "undo" });
  const earlier = undos.slice(undos.findIndex(({ id }) => id === run.id) + 1);
  const cutOff: Run[] = [];
  for (const other of earlier) {
    const isOfTheSame = other.undoes === run.undoes && run.undoes !== null;
    const isCutOff = other.endedAt === null || other.state === "partial";
    if (!isOfTheSame || !isCutOff || !(await putsBack(journal, other))) break;
    cutOff.push(other);
  }
  return [run, ...cutOff];
}

async function requireAgentRun(journal: Journal, run: Run): Promise<Run> {
  if (run.kind === "agent") return run;
  const hint =
    run.kind === "undo" ? `redo undoes it: synartesis redo ${run.id}` : `undo the run that it did again: ${await originText(journal, run)}`;
  throw new SynartesisError("refused", `${run.id} is itself ${run.kind === "undo" ? "an undo" : "a redo"}`, { hint });
}

/** The command that undoes what a redo did again. */
async function originText(journal: Journal, redo: Run): Promise<string> {
  const undone = redo.undoes === null ? null : (await journal.findRun(redo.undoes)).undoes;
  return undone === null ? "synartesis undo --since 10m --all-runs" : `synartesis undo ${undone}`;
}

const OPEN: ReadonlySet<ActionStatus> = new Set(["applied", "stuck", "undoing", "unknown", "intended"]);

/** Tells whether a run has a change that stands, isn't known to be permanent and wasn't left so by choice. */
export async function hasMoreToDo(journal: Journal, run: Run): Promise<boolean> {
  const standing = (await journal.actions(run.id)).filter((action) => action.class !== "readonly" && OPEN.has(action.status));
  if (standing.length === 0) return false;
  const choices = await journal.choices(run.id);
  return standing.some(({ id }) => choices.get(id)?.has("skip") !== true);
}

/** What nothing can put back, and a failure that nothing verifies, is named by an undo once, before it goes further back. */
async function isUnsaid(journal: Journal, run: Run): Promise<boolean> {
  if (run.state === "partial" || run.state === "undone") return false;
  return (await journal.actions(run.id)).some(
    ({ class: kind, status, reason }) => kind !== "readonly" && (status === "permanent" || reason === "tool-error-unverified"),
  );
}

/** Tells whether something that an undo put back is still so, and wasn't left so by choice. */
async function putsBack(journal: Journal, run: Run): Promise<boolean> {
  const choices = await journal.choices(run.id);
  for (const { id, undoes, status } of await journal.actions(run.id)) {
    if (undoes === null || status === "failed" || status === "undone" || choices.get(id)?.has("skip") === true) continue;
    if ((await journal.action(undoes)).status === "undone") return true;
  }
  return false;
}

async function whyNothing(journal: Journal, run: Run): Promise<string> {
  const changes = (await journal.actions(run.id)).filter(({ class: kind }) => kind !== "readonly");
  if (changes.some(({ status }) => status === "permanent")) return "has only changes left that nothing can put back";
  if (changes.some(({ status }) => OPEN.has(status))) return "has only changes left that were skipped by choice";
  return changes.some(({ status }) => status === "undone") ? "is undone" : "changed nothing";
}

// Which run does `undo` mean? The latest of an agent of which something still stands; typed twice it goes one run further back, never forward.
import type { ActionStatus } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Journal, Run } from "../journal/journal.ts";

/** Finds the run by id or prefix, or chooses it. @throws SynartesisError not-found, ambiguous, refused */
export async function chooseRun(journal: Journal, prefix: string | undefined): Promise<Run> {
  if (prefix !== undefined) return requireAgentRun(await journal.findRun(prefix));
  const runs = await journal.runs({ kind: "agent" });
  for (const run of runs) if ((await hasMoreToDo(journal, run)) || (await isUnsaid(journal, run))) return run;
  const [latest] = runs;
  const about = latest === undefined ? "" : `: the latest, ${latest.id}, ${await whyNothing(journal, latest)}`;
  throw new SynartesisError("not-found", `there is no run left to undo${about}`, {
    hint: "`synartesis list` shows all runs; name one to undo what is left of it",
  });
}

function requireAgentRun(run: Run): Run {
  if (run.kind === "agent") return run;
  throw new SynartesisError("refused", `${run.id} is itself an undo`, { hint: `it undid the run ${run.undoes}` });
}

const OPEN: ReadonlySet<ActionStatus> = new Set(["applied", "stuck", "undoing", "unknown", "intended"]);

/** Tells whether a run has a change that stands and isn't known to be permanent: a run of reads and held calls has none. */
export async function hasMoreToDo(journal: Journal, run: Run): Promise<boolean> {
  return (await journal.actions(run.id)).some((action) => action.class !== "readonly" && OPEN.has(action.status));
}

/** What nothing can put back, and a failure that nothing verifies, is named by an undo once, before it goes further back. */
async function isUnsaid(journal: Journal, run: Run): Promise<boolean> {
  if (run.state === "partial" || run.state === "undone") return false;
  return (await journal.actions(run.id)).some(
    ({ class: kind, status, reason }) => kind !== "readonly" && (status === "permanent" || reason === "tool-error-unverified"),
  );
}

async function whyNothing(journal: Journal, run: Run): Promise<string> {
  const changes = (await journal.actions(run.id)).filter(({ class: kind }) => kind !== "readonly");
  if (changes.some(({ status }) => status === "permanent")) return "has only changes left that nothing can put back";
  return changes.some(({ status }) => status === "undone") ? "is undone" : "changed nothing";
}

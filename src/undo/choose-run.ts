// Which run does `undo` mean? The latest of an agent that isn't undone yet; typed twice it goes one run further back, never forward.
import { SynartesisError } from "../errors.ts";
import type { Journal, Run } from "../journal/journal.ts";

/** Finds the run by id or prefix, or chooses it. @throws SynartesisError not-found, ambiguous, refused */
export async function chooseRun(journal: Journal, prefix: string | undefined): Promise<Run> {
  if (prefix !== undefined) return requireAgentRun(await journal.findRun(prefix));
  for (const run of await journal.runs({ kind: "agent" })) {
    if (run.state === "undone") continue;
    if (run.state !== "partial" || (await hasMoreToDo(journal, run))) return run;
  }
  throw new SynartesisError("not-found", "there is no run left to undo", {
    hint: "synartesis list shows all runs; name one to undo what is left of it",
  });
}

function requireAgentRun(run: Run): Run {
  if (run.kind === "agent") return run;
  throw new SynartesisError("refused", `${run.id} is itself an undo`, { hint: `It undid the run ${run.undoes}` });
}

/** A run of which only what nothing can put back is left isn't chosen by itself again. */
async function hasMoreToDo(journal: Journal, run: Run): Promise<boolean> {
  const open = new Set(["applied", "stuck", "undoing", "unknown", "intended"]);
  return (await journal.actions(run.id)).some((action) => action.class !== "readonly" && open.has(action.status));
}

// Which calls wait for a person, which of them does a command mean, and may this person answer? Never answers anything itself.
import { SynartesisError } from "../errors.ts";
import type { Action, Journal, ProcessIdentity, Run } from "../journal/journal.ts";
import { sameProcess } from "../journal/process-identity.ts";
import type { WaitingCall } from "./render/gates.ts";
import { clientText } from "./render/runs.ts";
import { actionFacts } from "./run-facts.ts";

/** Gathers what is shown of the calls that wait, oldest first. */
export async function waitingCalls(journal: Journal, actions: readonly Action[]): Promise<readonly WaitingCall[]> {
  return Promise.all(
    actions.map(async (action) => ({
      facts: await actionFacts(journal, action),
      run: await journal.findRun(action.run),
      decisions: await journal.decisions(action.id),
    })),
  );
}

/** Finds the calls that `approve` or `deny` means. Without an id there must be exactly one. @throws not-found, ambiguous, refused */
export async function chooseWaiting(journal: Journal, id: string | undefined, all: boolean): Promise<readonly Action[]> {
  if (id !== undefined && all) throw new SynartesisError("usage", "either an ID or --all, not both");
  const waiting = await journal.waiting();
  if (all) return waiting.map(undamaged);
  if (id !== undefined) return [undamaged(await chooseById(journal, waiting, id))];
  const [only, ...others] = waiting;
  if (only === undefined) throw new SynartesisError("not-found", "nothing waits for an answer");
  if (others.length === 0) return [undamaged(only)];
  const names = waiting.map(({ id: own, server, tool }) => `${own} (${server}.${tool})`);
  throw new SynartesisError("ambiguous", `${waiting.length} calls wait: ${names.join(", ")}`, { hint: "name one of them, or --all" });
}

/** An answer is about what was shown; of a damaged action that can't be said. */
function undamaged(action: Action): Action {
  if (action.damaged === undefined) return action;
  throw new SynartesisError(
    "journal-damaged",
    `action ${action.id} is damaged in the journal (${action.damaged.join(", ")}); it can't be answered`,
  );
}

async function chooseById(journal: Journal, waiting: readonly Action[], id: string): Promise<Action> {
  const matching = waiting.filter((action) => action.id.startsWith(id.toLowerCase()));
  const [only, another] = matching;
  if (only !== undefined && another === undefined) return only;
  const action = await journal.findAction(id).catch((error: unknown) => {
    if (!(error instanceof SynartesisError) || error.code !== "not-found") throw error;
    throw new SynartesisError("not-found", error.message, { hint: "`synartesis gates` shows what waits" });
  });
  if (action.status === "held") return action;
  const isUsed = action.status === "approved" && (await journal.decisions(action.id)).some(({ spentBy }) => spentBy !== null);
  const now = isUsed ? "approved, and the approval is used" : action.status;
  throw new SynartesisError("refused", `${action.server}.${action.tool} (${action.id}) doesn't wait any more: it is ${now}`, {
    hint: "`synartesis gates` shows what waits",
  });
}

/** Refuses where this command was started, however indirectly, by the client whose agent made the call (promise 6). @throws refused */
export function refuseOwnAgent(runs: readonly Run[], ancestors: readonly ProcessIdentity[]): void {
  for (const run of runs) {
    const client = run.clientProcess;
    const own = client !== null && ancestors.some((ancestor) => sameProcess(ancestor, client));
    if (!own) continue;
    throw new SynartesisError(
      "refused",
      `this was started by ${clientText(run)} (process ${client.pid}), whose agent made the call; it can't answer`,
      {
        hint: "answer from a terminal of your own, outside of that client",
      },
    );
  }
}

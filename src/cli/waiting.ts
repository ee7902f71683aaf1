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

/**
 * Finds the calls that `approve` or `deny` means. Without an id there must be exactly one. `approved`: calls whose approval can still be taken back; only
 * an id means one of those. @throws not-found, ambiguous, refused
 */
export async function chooseWaiting(
  journal: Journal,
  { id, all }: { readonly id: string | undefined; readonly all: boolean },
  approved: readonly Action[],
): Promise<readonly Action[]> {
  if (id !== undefined && all) throw new SynartesisError("usage", "either an ID or --all, not both");
  const waiting = await journal.waiting();
  if (all) return waiting.map(undamaged);
  if (id !== undefined) return [undamaged(await chooseById(journal, [...waiting, ...approved], id))];
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

async function chooseById(journal: Journal, answerable: readonly Action[], id: string): Promise<Action> {
  const matching = answerable.filter((action) => action.id.startsWith(id.toLowerCase()));
  const [only, another] = matching;
  if (only !== undefined && another === undefined) return only;
  const action = await journal.findAction(id).catch((error: unknown) => {
    if (!(error instanceof SynartesisError) || error.code !== "not-found") throw error;
    throw new SynartesisError("not-found", error.message, { hint: "`synartesis gates` shows what waits" });
  });
  if (answerable.some((one) => one.id === action.id)) return action;
  const isUsed = action.status === "approved" && (await journal.decisions(action.id)).some(({ spentBy }) => spentBy !== null);
  const now = isUsed ? "approved, and the approval is used" : action.status;
  throw new SynartesisError("refused", `${action.server}.${action.tool} (${action.id}) doesn't wait any more: it is ${now}`, {
    hint: action.status === "approved" && !isUsed ? "`synartesis deny ID` takes the approval back" : "`synartesis gates` shows what waits",
  });
}

/**
 * Gives the runs whose agents may have asked for these calls: those that were open at any time since the first of them has been waiting. Who
 * makes a call that is held already gets the same hold, in whatever run.
 */
export async function possibleAskers(journal: Journal, actions: readonly Action[]): Promise<readonly Run[]> {
  if (actions.length === 0) return [];
  const own = new Set(actions.map(({ run }) => run));
  const since = Math.min(...actions.map(({ receivedAt }) => receivedAt));
  const runs = await journal.runs({ kind: "agent" });
  return runs.filter((run) => own.has(run.id) || run.endedAt === null || run.endedAt >= since);
}

/**
 * Refuses where this command was started, however indirectly, by a client whose agent may have made the call (promise 6), or where it isn't
 * known which process that client is, unless the person answers for that. @throws refused
 */
export function refuseOwnAgent(runs: readonly Run[], ancestors: readonly ProcessIdentity[], unknownClient: boolean): void {
  for (const run of runs) {
    const client = run.clientProcess;
    if (client !== null && ancestors.some((ancestor) => sameProcess(ancestor, client))) {
      const who = `${clientText(run)} (process ${client.pid})`;
      throw new SynartesisError("refused", `this was started by ${who}, whose agent made the call or could make it; it can't answer`, {
        hint:
          client.pid === 1
            ? "answer from outside of the container (or whatever has that process as its first)"
            : "answer from a terminal of your own, outside of that client",
      });
    }
  }
  const unknown = runs.find((run) => run.clientProcess === null);
  if (unknown === undefined || unknownClient) return;
  const message = `it isn't known which process is the client of run ${unknown.id}, so whether its agent is asking can't be told`;
  throw new SynartesisError("refused", message, { hint: "if you are sure that you are no agent, say so with --unknown-client" });
}

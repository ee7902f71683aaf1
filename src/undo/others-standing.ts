// Did the same agent session do more than this run holds? A client that has several proxies may have several runs at once. Never undoes one.
import type { Journal, Run } from "../journal/journal.ts";
import { sameProcess } from "../journal/process-identity.ts";
import { hasMoreToDo } from "./choose-run.ts";

/** Finds the other runs of the same client process that overlap this one in time and of which something still stands, newest first. */
export async function othersStanding(journal: Journal, run: Run): Promise<readonly Run[]> {
  const { clientProcess } = run;
  if (clientProcess === null) return [];
  const others = (await journal.runs({ kind: "agent" })).filter(
    (other) =>
      other.id !== run.id &&
      other.clientProcess !== null &&
      sameProcess(other.clientProcess, clientProcess) &&
      other.startedAt <= (run.endedAt ?? Number.POSITIVE_INFINITY) &&
      run.startedAt <= (other.endedAt ?? Number.POSITIVE_INFINITY),
  );
  const stand = await Promise.all(others.map((other) => hasMoreToDo(journal, other)));
  return others.filter((_, at) => stand[at]);
}

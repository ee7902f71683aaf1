// What is an undo in the record? A run of its own, opened with the first thing that it does, left when it has ended.
import type { Run } from "../journal/journal.ts";
import type { PreparedUndo } from "./prepare-undo.ts";

export interface UndoRun {
  /** Gives the run's id; opens it if it isn't, and tells it about servers that were started since. */
  id(): Promise<string>;
  /** The id if it was opened; null otherwise. */
  opened(): Promise<string | null>;
  leave(): Promise<void>;
}

/** Makes the run of an undo; it is opened later. */
export function openUndoRun(prepared: PreparedUndo, by: string, plan: string | undefined): UndoRun {
  const { journal, servers } = prepared;
  let opened: Promise<string> | undefined;
  let described = 0;
  const open = async () => {
    const started = servers.identities();
    described = started.length;
    // A redo may need one that this undo didn't: that of the call, where only hidden ones put it back.
    const others = prepared.runs.flatMap((run) => run.servers).map((server) => ({ ...server, process: null }));
    const known = [...new Map([...others, ...started].map((server) => [server.name, server])).values()];
    const run = await journal.openRun({
      kind: prepared.kind,
      joinKey: null,
      client: null,
      clientProcess: null,
      clientHello: helloOf(prepared.runs),
      identity: by,
      policyText: await policyTextOf(prepared),
      servers: known,
      // Undos of one run that are redone together count as the last of them.
      undoes: prepared.runs.length === 1 || prepared.kind === "redo" ? (prepared.runs[0]?.id ?? null) : null,
      ...(plan === undefined ? {} : { plan }),
    });
    return run.id;
  };
  return {
    async id() {
      opened ??= open();
      const id = await opened;
      const known = servers.identities();
      // A server that was started since: its process tells a later undo whether it may still be at work.
      if (known.length > described) await journal.describeRun(id, { servers: known });
      described = known.length;
      return id;
    },
    opened: async () => (opened === undefined ? null : await opened),
    async leave() {
      if (opened !== undefined) await opened.then((id) => journal.leaveRun(id));
    },
  };
}

/** A redo starts the servers as the undo did, which started them as the agent's session did. */
function helloOf([run]: readonly Run[]) {
  return run?.clientHello ?? null;
}

async function policyTextOf({ journal, runs, request }: PreparedUndo): Promise<string> {
  const [run] = runs;
  const text = run === undefined || request.replan !== undefined ? undefined : await journal.value(run.policyDigest);
  return typeof text === "string" ? text : "";
}

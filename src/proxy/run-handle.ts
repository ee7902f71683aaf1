// Which run do this session's calls belong to? Opened once, when the client says who it is (or calls a tool without having done so).
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Journal, NewRun, Run, ServerIdentity } from "../journal/journal.ts";

/** What is known of a run before the client has spoken. */
export interface RunParts extends Pick<NewRun, "joinKey" | "clientProcess" | "policyText"> {
  /** Opens the journal; called again after a failure, since the cause may be gone by then. */
  readonly openJournal: () => Promise<Journal>;
  /** The server's name, and where it came from as the run remembers it: never with expanded variables. */
  readonly start: { readonly name: string };
  readonly source: (journal: Journal) => Promise<JsonObject>;
  /** Who acts, where the client had to prove it: the name of its token. */
  readonly identity?: string;
}

/** An open run and the journal that holds it. */
export interface OpenRun {
  readonly run: Run;
  readonly journal: Journal;
}

export interface RunHandle {
  /** Opens the run in the background; `hello` is the params of initialize. */
  open(hello: Json): void;
  /** The open run. @throws SynartesisError journal-* if it couldn't be opened; tried anew at the next call then */
  opened(): Promise<OpenRun>;
  /** Records what became known of the server: who it said it is, its process, the roots it was given. Resolves when that is written, or can't be. */
  describeServer(facts: Partial<Pick<ServerIdentity, "info" | "process" | "roots">>): Promise<void>;
  /** Lets go of the run, the last process to do so ends it, and of the journal. */
  leave(): Promise<void>;
}

/** Makes the handle; nothing is written before open() or opened(). */
export function createRunHandle(parts: RunParts): RunHandle {
  const { joinKey, clientProcess, policyText, start } = parts;
  let hello: Json = null;
  let known: Pick<ServerIdentity, "info" | "process" | "roots"> = { info: null, process: null, roots: null };
  let source: JsonObject | undefined;
  let opening: Promise<OpenRun> | undefined;
  const identity = async (journal: Journal): Promise<ServerIdentity> => {
    source ??= await parts.source(journal);
    return { name: start.name, source, ...known };
  };
  const open = async (): Promise<OpenRun> => {
    const journal = await parts.openJournal();
    const servers = [await identity(journal)];
    const client = { client: clientOf(hello), clientProcess, clientHello: hello };
    return {
      journal,
      run: await journal.openRun({
        kind: "agent",
        joinKey,
        ...client,
        identity: parts.identity ?? null,
        policyText,
        servers,
        undoes: null,
      }),
    };
  };
  const opened = () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined; // the next call tries again: the cause may be gone by then
      throw error;
    });
    return opening;
  };
  return {
    opened,
    open(params) {
      hello = params;
      opened().catch(() => undefined); // whoever needs the run gets the error from opened()
    },
    describeServer(facts) {
      known = { ...known, ...facts };
      return opened()
        .then(async ({ run, journal }) => journal.describeRun(run.id, { servers: [await identity(journal)] }))
        .catch(() => undefined); // the same error reaches the next changing call, which is refused with it
    },
    async leave() {
      const held = await opening?.catch(() => undefined); // never opened: nothing to let go of
      if (!held) return;
      await held.journal.leaveRun(held.run.id);
      await held.journal.close();
    },
  };
}

function clientOf(hello: Json): Run["client"] {
  const info = isJsonObject(hello) ? hello["clientInfo"] : undefined;
  if (!isJsonObject(info)) return null;
  return { name: String(info["name"] ?? "unknown"), version: String(info["version"] ?? "") };
}

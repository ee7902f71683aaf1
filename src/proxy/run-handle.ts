// Which run do this session's calls belong to? Opened once, when the client says who it is (or calls a tool without having done so).
import { isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Journal, NewRun, Run, ServerIdentity } from "../journal/journal.ts";

/** What is known of a run before the client has spoken. */
export interface RunParts extends Pick<NewRun, "joinKey" | "clientProcess" | "policyText"> {
  /** Opens the journal; called again after a failure, since the cause may be gone by then. */
  readonly openJournal: () => Promise<Journal>;
  readonly servers: readonly ServerSourceOf[];
}

/** A guarded server's name, and where it came from as the run remembers it: never with expanded variables. */
export interface ServerSourceOf {
  readonly name: string;
  readonly source: (journal: Journal) => Promise<JsonObject>;
}

/** What becomes known of a server: who it said it is, its process, the roots it was given. */
export type ServerFacts = Pick<ServerIdentity, "info" | "process" | "roots">;

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
  /** Records what became known of one of the servers. Resolves when that is written, or can't be. */
  describeServer(name: string, facts: Partial<ServerFacts>): Promise<void>;
  /** Lets go of the run, the last process to do so ends it, and of the journal. */
  leave(): Promise<void>;
}

const NOTHING_KNOWN: ServerFacts = { info: null, process: null, roots: null };

/** Makes the handle; nothing is written before open() or opened(). */
export function createRunHandle(parts: RunParts): RunHandle {
  const { joinKey, clientProcess, policyText } = parts;
  let hello: Json = null;
  const known = new Map<string, ServerFacts>();
  const sources = new Map<string, JsonObject>();
  let opening: Promise<OpenRun> | undefined;
  const identity = async (journal: Journal, { name, source }: ServerSourceOf): Promise<ServerIdentity> => {
    const found = sources.get(name) ?? (await source(journal));
    sources.set(name, found);
    return { name, source: found, ...(known.get(name) ?? NOTHING_KNOWN) };
  };
  const open = async (): Promise<OpenRun> => {
    const journal = await parts.openJournal();
    const servers = await Promise.all(parts.servers.map((server) => identity(journal, server)));
    const client = { client: clientOf(hello), clientProcess, clientHello: hello };
    return {
      journal,
      run: await journal.openRun({ kind: "agent", joinKey, ...client, identity: null, policyText, servers, undoes: null }),
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
    describeServer(name, facts) {
      known.set(name, { ...(known.get(name) ?? NOTHING_KNOWN), ...facts });
      const described = parts.servers.filter((server) => server.name === name);
      return opened()
        .then(async ({ run, journal }) => {
          const servers = await Promise.all(described.map((server) => identity(journal, server)));
          await journal.describeRun(run.id, { servers });
        })
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

// Which run do a client's calls belong to? In the legacy era the session's, opened when the client says hello (or calls a tool without having done
// so). In the modern era there are no sessions: there it is the client's identity, until it has been quiet for a while (20-journal, "run").
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../core/json.ts";
import type { Journal, NewRun, Run, ServerIdentity } from "../journal/journal.ts";
import { createLocks, type Locks } from "../recorder/locks.ts";
import { META, type RequestMeta } from "../wire/era.ts";
import { UndoHolds } from "./undo-holds.ts";

/** How long a modern client may be quiet before its run is over, in milliseconds (15 minutes). */
export const QUIET = 15 * 60 * 1000;

/** What is known of a run before the client has spoken. */
export interface RunParts extends Pick<NewRun, "joinKey" | "clientProcess" | "policyText"> {
  /** Opens the journal; called again after a failure, since the cause may be gone by then. */
  readonly openJournal: () => Promise<Journal>;
  readonly servers: readonly ServerSourceOf[];
  /** Who acts, where the client had to prove it: the name of its token. */
  readonly identity?: string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Instead of QUIET. */
  readonly quiet?: number;
}

/** A guarded server's name, and where it came from as the run remembers it: never with expanded variables. */
export interface ServerSourceOf {
  readonly name: string;
  readonly source: (journal: Journal) => Promise<JsonObject>;
  /** Only rules use it. */
  readonly hidden?: true;
}

/** An open run, the journal that holds it, and the locks of all that is written there. */
export interface OpenRun {
  readonly run: Run;
  readonly journal: Journal;
  readonly locks: Locks;
}

/** What becomes known of a server: who it said it is, its process, the roots it was given, what its tools take. */
export type ServerFacts = Pick<ServerIdentity, "info" | "process" | "roots" | "schemas">;

export interface RunHandle {
  /** Who is at work on the runs: their own calls, or an undo. */
  readonly holds: UndoHolds;
  /** Opens the session's run in the background; `hello` is the params of initialize. */
  open(hello: Json): void;
  /** The open run of this client, the session's where there is no `meta`. @throws SynartesisError journal-* if it couldn't be opened; tried anew at the next call then */
  opened(meta: RequestMeta | undefined): Promise<OpenRun>;
  /** The open run with this id; undefined where it isn't one of these. */
  held(run: string): Promise<OpenRun | undefined>;
  /** Records facts about one of the servers in the runs that are open, and in those that will be. Resolves when that is written, or can't be. */
  describeServer(name: string, facts: Partial<ServerFacts>): Promise<void>;
  /** Tells that a client is there. */
  active(meta: RequestMeta): void;
  /** Adds one who tells whether a call is under way (no run ends then), and who hears that a client's run ended by its quiet. */
  watchQuiet(isBusy: () => boolean, onQuiet: (client: string) => void): void;
  /** Lets go of the runs, the last process to do so ends each, and of the journal. */
  leave(): Promise<void>;
}

/** By what two modern requests are known to come from one client. */
export function clientKey(meta: RequestMeta): string {
  const { name, version } = clientOf(meta[META.clientInfo]) ?? { name: "", version: "" };
  return canonicalJson([name, version]);
}

/** A run that is open, or being opened. */
interface Entry {
  readonly opening: Promise<OpenRun>;
  /** Milliseconds since the epoch; set for a modern client. */
  activeAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const NOTHING_KNOWN: ServerFacts = { info: null, process: null, roots: null };

/** The key of the legacy session's run. */
const SESSION = "";

/** Makes the handle; nothing is written before open() or opened(). */
export function createRunHandle(parts: RunParts): RunHandle {
  return new Runs(parts);
}

class Runs implements RunHandle {
  readonly holds = new UndoHolds();
  readonly #parts: RunParts;
  readonly #quiet: number;
  readonly #entries = new Map<string, Entry>();
  #hello: Json = null;
  readonly #known = new Map<string, ServerFacts>();
  readonly #sources = new Map<string, JsonObject>();
  #journal: Promise<Journal> | undefined;
  #locks: Locks | undefined;
  readonly #watchers: { isBusy: () => boolean; onQuiet: (client: string) => void }[] = [];

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#quiet = parts.quiet ?? QUIET;
  }

  open(hello: Json): void {
    this.#hello = hello;
    this.opened(undefined).catch(() => undefined); // whoever needs the run gets the error from opened()
  }

  async opened(meta: RequestMeta | undefined): Promise<OpenRun> {
    const key = meta === undefined ? SESSION : clientKey(meta);
    const before = this.#entries.get(key);
    if (before !== undefined && this.#isOver(key, before)) await this.#end(key, before);
    const entry = this.#entries.get(key) ?? this.#begin(key, meta);
    if (meta !== undefined) this.#touch(key, entry);
    return entry.opening;
  }

  async held(run: string): Promise<OpenRun | undefined> {
    const open = await Promise.all([...this.#entries.values()].map(({ opening }) => opening.catch(() => undefined)));
    return open.find((one) => one?.run.id === run);
  }

  async describeServer(name: string, facts: Partial<ServerFacts>): Promise<void> {
    this.#known.set(name, { ...(this.#known.get(name) ?? NOTHING_KNOWN), ...facts });
    const described = this.#parts.servers.filter((server) => server.name === name);
    if (this.#hello !== null && !this.#entries.has(SESSION)) await this.opened(undefined).catch(() => undefined);
    // An error reaches the next changing call, which is refused with it.
    await Promise.all(
      [...this.#entries.values()].map(({ opening }) => opening.then((open) => this.#describe(open, described)).catch(() => undefined)),
    );
  }

  active(meta: RequestMeta): void {
    const key = clientKey(meta);
    const entry = this.#entries.get(key);
    if (entry !== undefined && !this.#isOver(key, entry)) this.#touch(key, entry);
  }

  watchQuiet(isBusy: () => boolean, onQuiet: (client: string) => void): void {
    this.#watchers.push({ isBusy, onQuiet });
  }

  async leave(): Promise<void> {
    const entries = [...this.#entries.values()];
    for (const { timer } of entries) clearTimeout(timer);
    const held = await Promise.all(entries.map(({ opening }) => opening.catch(() => undefined))); // never opened: nothing to let go of
    for (const open of held) if (open) await open.journal.leaveRun(open.run.id);
    await (await this.#journal?.catch(() => undefined))?.close();
  }

  #begin(key: string, meta: RequestMeta | undefined): Entry {
    const opening = this.#open(meta);
    const entry: Entry = { opening, activeAt: this.#parts.clock(), timer: undefined };
    this.#entries.set(key, entry);
    opening.catch(() => {
      clearTimeout(entry.timer);
      if (this.#entries.get(key) === entry) this.#entries.delete(key); // the next call tries again: the cause may be gone by then
    });
    return entry;
  }

  async #open(meta: RequestMeta | undefined): Promise<OpenRun> {
    this.#journal ??= this.#parts.openJournal().catch((error: unknown) => {
      this.#journal = undefined;
      throw error;
    });
    const journal = await this.#journal;
    this.#locks ??= createLocks(journal);
    const { joinKey, clientProcess, policyText } = this.#parts;
    const hello = meta === undefined ? this.#hello : { _meta: meta };
    const client = clientOf(meta === undefined ? memberOf(hello, "clientInfo") : meta[META.clientInfo]);
    const key = meta === undefined || joinKey === null ? joinKey : `${joinKey} ${clientKey(meta)}`;
    const run = await journal.openRun({
      kind: "agent",
      joinKey: key,
      client,
      clientProcess,
      clientHello: hello,
      identity: this.#parts.identity ?? null,
      policyText,
      undoes: null,
      ...(meta === undefined ? {} : { activeSince: this.#parts.clock() - this.#quiet }),
      servers: await this.#identities(journal, this.#parts.servers),
    });
    return { journal, run, locks: this.#locks };
  }

  async #describe({ run, journal }: OpenRun, servers: readonly ServerSourceOf[]): Promise<void> {
    await journal.describeRun(run.id, { servers: await this.#identities(journal, servers) });
  }

  #identities(journal: Journal, servers: readonly ServerSourceOf[]): Promise<readonly ServerIdentity[]> {
    const identity = async ({ name, source, hidden }: ServerSourceOf): Promise<ServerIdentity> => {
      const found = this.#sources.get(name) ?? (await source(journal));
      this.#sources.set(name, found);
      return { name, source: found, ...(this.#known.get(name) ?? NOTHING_KNOWN), ...(hidden && { hidden }) };
    };
    return Promise.all(servers.map(identity));
  }

  #isOver(key: string, { activeAt }: Entry): boolean {
    return key !== SESSION && this.#parts.clock() - activeAt >= this.#quiet && !this.#watchers.some(({ isBusy }) => isBusy());
  }

  #touch(key: string, entry: Entry): void {
    entry.activeAt = this.#parts.clock();
    this.#wait(key, entry, this.#quiet);
  }

  #wait(key: string, entry: Entry, delay: number): void {
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => {
      const left = this.#quiet - (this.#parts.clock() - entry.activeAt);
      if (this.#isOver(key, entry)) void this.#end(key, entry);
      else this.#wait(key, entry, left > 0 ? left : this.#quiet); // a call is under way: looks again later
    }, delay);
    entry.timer.unref();
  }

  /** Ends a quiet client's run for this process. What can't be written then is told by the next run that is opened. */
  async #end(key: string, entry: Entry): Promise<void> {
    clearTimeout(entry.timer);
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    for (const { onQuiet } of this.#watchers) onQuiet(key);
    await entry.opening.then(({ run, journal }) => journal.leaveRun(run.id)).catch(() => undefined);
  }
}

function memberOf(value: Json, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function clientOf(info: Json | undefined): Run["client"] {
  if (!isJsonObject(info)) return null;
  return { name: String(info["name"] ?? "unknown"), version: String(info["version"] ?? "") };
}

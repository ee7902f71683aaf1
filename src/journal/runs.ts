// How does a run begin, change and end? Writes run inside the writer's transaction; reads take the connection.
import type { Json } from "../core/json.ts";
import { printJson } from "../core/json.ts";
import { type RunKind, type RunState, SETTLED_STATUSES } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import type { Blob } from "./blobs.ts";
import type { Connection, Row } from "./connection.ts";
import { addHolder, livingHolders, removeHolder, removeHolders } from "./holders.ts";
import type { Journal, NewRun, Run, ServerIdentity } from "./journal.ts";
import { findByPrefix } from "./prefix.ts";
import { selfIdentity } from "./process-identity.ts";
import { toRun } from "./rows.ts";
import type { Columns, Transaction } from "./transaction.ts";

/** Joins the living run with the same key, kind and policy, or opens a new one; this process holds it from then on. */
export function openRun(transaction: Transaction, run: NewRun, policy: Blob): Run {
  const { connection } = transaction;
  const policyDigest = transaction.store(policy);
  const joined = run.joinKey === null ? undefined : livingRun(connection, run, policyDigest);
  const id = joined?.id ?? transaction.sources.newId();
  if (joined === undefined) insertRun(transaction, id, run, policyDigest);
  else describeRun(transaction, id, { servers: run.servers });
  addHolder(connection, id, selfIdentity());
  return getRun(connection, id);
}

function livingRun(connection: Connection, { joinKey, kind, activeSince }: NewRun, policyDigest: string): Run | undefined {
  const sql = "SELECT * FROM runs WHERE join_key = ? AND kind = ? AND policy_digest = ? AND ended_at IS NULL ORDER BY event DESC";
  const candidates = connection.all(sql, printJson(joinKey), kind, policyDigest).map(toRun);
  return candidates.find((run) => livingHolders(connection, run.id).length > 0 && lastActivity(connection, run) >= (activeSince ?? 0));
}

function lastActivity(connection: Connection, run: Run): number {
  const last = connection.first("SELECT max(received_at) AS at FROM actions WHERE run = ?", run.id)?.["at"];
  return Math.max(run.startedAt, Number(last ?? 0));
}

/** @throws refused if another run carried out the same plan */
function insertRun(transaction: Transaction, id: string, run: NewRun, policyDigest: string): void {
  const other =
    run.plan === undefined ? undefined : transaction.connection.first("SELECT id FROM runs WHERE plan = ?", printJson(run.plan));
  if (other !== undefined) {
    throw new SynartesisError("refused", `this plan was carried out already, by the run ${other["id"]}`, { hint: "make a new plan" });
  }
  transaction.insert("run.opened", id, "runs", id, {
    kind: run.kind,
    state: "open",
    join_key: run.joinKey === null ? null : printJson(run.joinKey),
    client: jsonCell(run.client),
    client_process: jsonCell(run.clientProcess),
    client_hello: printJson(run.clientHello),
    identity: printJson(run.identity),
    policy_digest: policyDigest,
    servers: serversCell(run.servers),
    undoes: run.undoes,
    plan: run.plan === undefined ? null : printJson(run.plan),
    started_at: transaction.sources.clock(),
    ended_at: null,
  });
}

/** Sets what became known; servers are added, or replace the one of the same name, but for schemas of which nothing is said. No event where nothing is new. */
export function describeRun(transaction: Transaction, id: string, facts: Parameters<Journal["describeRun"]>[1]): void {
  const before = getRow(transaction.connection, id);
  const set: Record<string, string> = {};
  if (facts.client !== undefined) set["client"] = jsonCell(facts.client);
  if (facts.clientHello !== undefined) set["client_hello"] = printJson(facts.clientHello);
  if (facts.servers !== undefined) set["servers"] = serversCell(mergeServers(toRun(before).servers, facts.servers));
  const news: Columns = Object.fromEntries(Object.entries(set).filter(([column, cell]) => before[column] !== cell));
  if (Object.keys(news).length > 0) transaction.update("run.described", id, "runs", id, news);
}

function mergeServers(before: readonly ServerIdentity[], added: readonly ServerIdentity[]): readonly ServerIdentity[] {
  const merged = new Map(before.map((server) => [server.name, server]));
  for (const server of added) {
    const schemas = server.schemas ?? merged.get(server.name)?.schemas;
    merged.set(server.name, schemas === undefined ? server : { ...server, schemas });
  }
  return [...merged.values()];
}

/** Lets go of a run for this process; if nobody living holds it then, it ends. */
export function leaveRun(transaction: Transaction, id: string): void {
  removeHolder(transaction.connection, id, selfIdentity());
  if (livingHolders(transaction.connection, id).length === 0) endRun(transaction, getRun(transaction.connection, id));
}

/** Ends a run that nobody living holds. */
export function closeRun(transaction: Transaction, id: string): Awaited<ReturnType<Journal["closeRun"]>> {
  const run = getRun(transaction.connection, id);
  const process = livingHolders(transaction.connection, id)[0];
  if (process !== undefined) return { kind: "alive", process };
  // An undo that never said how it ended was cut off; the one that carries it on belongs to it.
  const unknown = endRun(transaction, run, run.kind === "agent" ? undefined : "partial");
  return run.endedAt !== null && unknown === 0 ? { kind: "already" } : { kind: "closed", unknown };
}

/** Marks the end and gives up on replies that nobody can receive any more; gives how many actions became unknown. */
function endRun(transaction: Transaction, run: Run, endedAs?: RunState): number {
  const { connection } = transaction;
  removeHolders(connection, run.id);
  const now = transaction.sources.clock();
  const open = connection.all("SELECT id FROM actions WHERE run = ? AND status = 'intended' ORDER BY seq", run.id);
  for (const row of open) transaction.changeStatus(String(row["id"]), "unknown", { reason: "process-ended", settled_at: now });
  const state: Columns = run.state === "open" ? { state: endedAs ?? endState(connection, run.id) } : {};
  if (run.endedAt === null) transaction.update("run.ended", run.id, "runs", run.id, { ...state, ended_at: now });
  return open.length;
}

/** An undo may have been through the run while its agent was connected. */
function endState(connection: Connection, run: string): RunState {
  const statuses = connection.all("SELECT status FROM actions WHERE run = ? AND class <> 'readonly'", run).map((row) => row["status"]);
  if (!statuses.includes("undone")) return "ended";
  return statuses.some((status) => !SETTLED_STATUSES.some((settled) => settled === status)) ? "partial" : "undone";
}

export function setRunState(transaction: Transaction, id: string, state: RunState): void {
  if (!transaction.update(`run.${state}`, id, "runs", id, { state })) throw missing(id);
}

/** Gives runs, newest first. */
export function listRuns(connection: Connection, options: { limit?: number; kind?: RunKind }): readonly Run[] {
  const limit = options.limit ?? -1; // SQLite: no limit
  const rows =
    options.kind === undefined
      ? connection.all("SELECT * FROM runs ORDER BY event DESC LIMIT ?", limit)
      : connection.all("SELECT * FROM runs WHERE kind = ? ORDER BY event DESC LIMIT ?", options.kind, limit);
  return rows.map(toRun);
}

export function findRun(connection: Connection, prefix: string): Run {
  return toRun(findByPrefix(connection, "runs", prefix));
}

/** @throws not-found */
export function getRun(connection: Connection, id: string): Run {
  return toRun(getRow(connection, id));
}

function getRow(connection: Connection, id: string): Row {
  const row = connection.first("SELECT * FROM runs WHERE id = ?", id);
  if (row === undefined) throw missing(id);
  return row;
}

function missing(id: string): SynartesisError {
  return new SynartesisError("not-found", `there is no run ${id} in this journal`, { hint: "`synartesis list` shows what there is" });
}

function serversCell(servers: readonly ServerIdentity[]): string {
  return printJson(
    servers.map(({ name, source, info, process, roots, schemas, hidden }) => ({
      ...{ name, source, info, process: plain(process), roots },
      ...(schemas && { schemas }),
      ...(hidden && { hidden }),
    })),
  );
}

function jsonCell(value: Run["client"] | Run["clientProcess"]): string {
  return printJson(plain(value));
}

function plain(value: Run["client"] | Run["clientProcess"]): Json {
  // Both are flat objects of texts and numbers, so they are JSON; the interfaces merely have no index signature.
  return (value === null ? null : { ...value }) as Json;
}

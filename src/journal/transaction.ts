// How does a write become an event and a row at once? Every change of a projection goes through here, inside one transaction of the
// writer. Never changes a status except from a legal prior one.
import { ACTION_STATUSES, type ActionStatus, TRANSITIONS } from "../core/vocabulary.ts";
import { SynartesisError } from "../errors.ts";
import { type Blob, putBlob } from "./blobs.ts";
import type { Cell, Connection } from "./connection.ts";
import { appendEvent, type Head } from "./events.ts";
import type { Projection } from "./schema.ts";

/** Columns to set, by name; names are ours, never from outside. */
export type Columns = Readonly<Record<string, string | number | null>>;

/** The journal's sources of time and names; fixed ones in tests. */
export interface Sources {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly newId: () => string;
}

/** What one operation may do while the writer holds the lock. */
export class Transaction {
  readonly connection: Connection;
  readonly sources: Sources;
  #head: Head;
  /** The last seq of each run that was asked about. */
  readonly #seqs = new Map<string, number>();

  constructor(connection: Connection, sources: Sources, head: Head) {
    this.connection = connection;
    this.sources = sources;
    this.#head = head;
  }

  /** The end of the chain so far. */
  get head(): Head {
    return this.#head;
  }

  /** Forgets what came after `head`: the operation that wrote it is undone. */
  takeBack(head: Head): void {
    this.#head = head;
    this.#seqs.clear();
  }

  /** Gives the next seq of a run. */
  nextSeq(run: string): number {
    const last = this.#seqs.get(run) ?? this.connection.first("SELECT max(seq) AS seq FROM actions WHERE run = ?", run)?.["seq"];
    const next = Number(last ?? 0) + 1;
    this.#seqs.set(run, next);
    return next;
  }

  /** Adds a row. `subject` is the id that the event is about. */
  insert(type: string, subject: string, table: Projection, id: string, set: Columns): void {
    const names = Object.keys(set);
    const marks = names.map(() => "?").join(", ");
    const cells: Cell[] = [id, this.#head.number + 1, ...Object.values(set)];
    this.connection.change(`INSERT INTO ${table} (id, event, ${names.join(", ")}) VALUES (?, ?, ${marks})`, ...cells);
    this.#append(type, subject, table, id, set);
  }

  /** Sets columns of the row that also fulfils `condition`; false, and no event, where there is none. */
  update(type: string, subject: string, table: Projection, id: string, set: Columns, condition = "TRUE", ...cells: Cell[]): boolean {
    const assignments = Object.keys(set).map((name) => `${name} = ?`);
    const sql = `UPDATE ${table} SET ${assignments.join(", ")} WHERE id = ? AND (${condition})`;
    if (this.connection.change(sql, ...Object.values(set), id, ...cells) !== 1) return false;
    this.#append(type, subject, table, id, set);
    return true;
  }

  /** Changes an action's status, and columns with it, if it has one of `from` (default: every legal prior one). */
  changeStatus(action: string, to: ActionStatus, set: Columns, from: readonly ActionStatus[] = ACTION_STATUSES): boolean {
    const priors = legalPriors(to).filter((status) => from.includes(status));
    if (priors.length === 0) throw new SynartesisError("bug", `no action may become ${to} from ${from.join(", ")}`);
    const condition = priors.map((status) => `status = '${status}'`).join(" OR "); // IN would build a table for each evaluation
    return this.update(`action.${to}`, action, "actions", action, { status: to, ...set }, condition);
  }

  /** Tells whether an action could become `to` right now. */
  canBecome(action: string, to: ActionStatus, from: readonly ActionStatus[] = ACTION_STATUSES): boolean {
    const status = this.statusOf(action);
    return status !== undefined && from.includes(status) && legalPriors(to).includes(status);
  }

  statusOf(action: string): ActionStatus | undefined {
    const cell = this.connection.first("SELECT status FROM actions WHERE id = ?", action)?.["status"];
    return ACTION_STATUSES.find((status) => status === cell);
  }

  /** Stores a value and gives its digest. */
  store(blob: Blob): string {
    putBlob(this.connection, blob);
    return blob.digest;
  }

  #append(type: string, subject: string, table: Projection, key: string, set: Columns): void {
    this.#head = appendEvent(this.connection, this.#head, this.sources.clock(), type, subject, { table, key, set });
  }
}

/** The statuses from which an action may become `to`. */
export function legalPriors(to: ActionStatus): readonly ActionStatus[] {
  return ACTION_STATUSES.filter((status) => TRANSITIONS[status].includes(to));
}

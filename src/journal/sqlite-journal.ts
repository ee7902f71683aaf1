// What implements the journal over SQLite? A table of contents: every question goes to the file that answers it. Never decides anything.
import { canonicalJson, type Json } from "../core/json.ts";
import { roughSize } from "../core/large.ts";
import { SynartesisError } from "../errors.ts";
import * as across from "./across-runs.ts";
import * as actions from "./actions.ts";
import * as answers from "./answers-at-undo.ts";
import { type Blob, type Blobs, makeBlob, makeBlobs, readBlob } from "./blobs.ts";
import type { Connection } from "./connection.ts";
import * as decisions from "./decisions.ts";
import { journalFailure } from "./failures.ts";
import * as glances from "./glances.ts";
import { livingHolders } from "./holders.ts";
import type {
  Action,
  Decision,
  FinishedCall,
  IntentResult,
  Journal,
  Lease,
  NewCall,
  NewIntent,
  NewRun,
  Original,
  Outcome,
  ProcessIdentity,
  Run,
  Standing,
} from "./journal.ts";
import * as leases from "./leases.ts";
import * as limits from "./limits.ts";
import { patiently } from "./patience.ts";
import * as recorded from "./read-actions.ts";
import * as runs from "./runs.ts";
import type { Sources } from "./transaction.ts";
import type { Perform, Writer } from "./writer.ts";

/** A journal in one SQLite file; made by `openJournal`. */
export class SqliteJournal implements Journal {
  readonly path: string;
  readonly #connection: Connection;
  readonly #writer: Writer;
  readonly #sources: Sources;
  /** What stands in line, or has its turn. */
  readonly #leases = new Set<Lease>();

  constructor(connection: Connection, writer: Writer, sources: Sources) {
    this.path = connection.file;
    this.#connection = connection;
    this.#writer = writer;
    this.#sources = sources;
  }

  // Runs

  async openRun(run: NewRun): Promise<Run> {
    const policy = await this.#blob(run.policyText);
    return this.#durably((transaction) => runs.openRun(transaction, run, policy));
  }
  async describeRun(run: string, facts: Parameters<Journal["describeRun"]>[1]): Promise<void> {
    return this.#soon((transaction) => runs.describeRun(transaction, run, facts));
  }
  async leaveRun(run: string): Promise<void> {
    return this.#soon((transaction) => runs.leaveRun(transaction, run));
  }
  async closeRun(run: string): ReturnType<Journal["closeRun"]> {
    return this.#soon((transaction) => runs.closeRun(transaction, run));
  }
  async setRunState(run: string, state: Run["state"]): Promise<void> {
    return this.#soon((transaction) => runs.setRunState(transaction, run, state));
  }
  async runs(options: Parameters<Journal["runs"]>[0] = {}): Promise<readonly Run[]> {
    return this.#read((connection) => runs.listRuns(connection, options));
  }
  async findRun(prefix: string): Promise<Run> {
    return this.#read((connection) => runs.findRun(connection, prefix));
  }
  async holders(run: string): Promise<readonly ProcessIdentity[]> {
    return this.#read((connection) => livingHolders(connection, run));
  }

  // Reading the record

  async actions(run: string): Promise<readonly Action[]> {
    return this.#read((connection) => recorded.listActions(connection, run));
  }
  async tally(run: string): ReturnType<Journal["tally"]> {
    return this.#read((connection) => glances.tally(connection, run));
  }
  async actionsBetween(run: string, from: number, to: number): Promise<readonly Action[]> {
    return this.#read((connection) => glances.actionsBetween(connection, run, from, to));
  }
  async numbersMatching(run: string, text: string): Promise<readonly number[]> {
    return this.#read((connection) => glances.numbersMatching(connection, run, text));
  }
  async changeMark(): Promise<number> {
    this.#writer.checkIdentity();
    return this.#read(glances.changeMark);
  }
  async findAction(prefix: string): Promise<Action> {
    return this.#read((connection) => recorded.findAction(connection, prefix));
  }
  async action(id: string): Promise<Action> {
    return this.#read((connection) => recorded.getAction(connection, id));
  }
  async decisions(action: string): Promise<readonly Decision[]> {
    return this.#read((connection) => decisions.listDecisions(connection, action));
  }
  async decision(id: string): Promise<Decision | undefined> {
    return this.#read((connection) => decisions.findDecision(connection, id));
  }
  async undosOf(action: string): Promise<readonly Action[]> {
    return this.#read((connection) => recorded.undosOf(connection, action));
  }
  async laterOn(resources: readonly string[], afterAction: string): Promise<readonly Action[]> {
    return this.#read((connection) => across.laterOn(connection, resources, afterAction));
  }
  async actionsSince(time: number): Promise<readonly Action[]> {
    return this.#read((connection) => across.actionsSince(connection, time));
  }
  async countSent(...question: Parameters<Journal["countSent"]>): Promise<number> {
    return this.#read((connection) => limits.countSent(connection, ...question));
  }
  async value(digest: string): Promise<Json> {
    return this.#read((connection) => readBlob(connection, digest));
  }

  // Decisions

  async waiting(): Promise<readonly Action[]> {
    return this.#expired(decisions.listWaiting);
  }
  async approved(): Promise<readonly Action[]> {
    return this.#expired(decisions.listApproved);
  }
  async #expired<Found>(look: (connection: Connection) => Found): Promise<Found> {
    const over = await this.#read((connection) => decisions.anyOver(connection, this.#sources.clock()));
    if (over) await this.#soon((transaction) => decisions.expireAll(transaction));
    return this.#read(look);
  }
  async standing(callKey: string): Promise<Standing> {
    const standing = await this.#read((connection) => decisions.lookStanding(connection, callKey, this.#sources.clock()));
    return standing ?? this.#soon((transaction) => decisions.takeStanding(transaction, callKey));
  }
  async hold(call: NewCall, reason: Parameters<Journal["hold"]>[1]): Promise<Action> {
    const args = await this.#blob(call.args);
    return this.#durably((transaction) => decisions.hold(transaction, call, args, reason));
  }
  async approve(action: string, by: string, expiresIn: number): Promise<Decision> {
    return this.#durably((transaction) => decisions.approve(transaction, action, by, expiresIn));
  }
  async deny(action: string, by: string, why: string | null): Promise<Decision> {
    return this.#durably((transaction) => decisions.deny(transaction, action, by, why));
  }

  async recordChoice(...[action, choice, by]: Parameters<Journal["recordChoice"]>): Promise<Decision> {
    return this.#durably((transaction) => answers.recordChoice(transaction, action, choice, by));
  }
  async choices(run: string): ReturnType<Journal["choices"]> {
    return this.#read((connection) => answers.choices(connection, run));
  }
  async resolve(...[action, became, by, ...originals]: Parameters<Journal["resolve"]>): Promise<Decision> {
    return this.#durably((transaction) => answers.resolve(transaction, action, became, by, originals));
  }

  // Recording calls

  async intend(intent: NewIntent): Promise<IntentResult> {
    const { args, read, snapshot, inverse, checks } = intent;
    const values = await this.#blobs({ args, read, snapshot, inverse, checks });
    return this.#durably((transaction) => actions.intend(transaction, intent, values));
  }
  async settle(action: string, outcome: Outcome, ...originals: readonly Original[]): Promise<boolean> {
    const values = await this.#outcomeBlobs(outcome);
    const stored = await Promise.all(
      originals.map(async (original) => ({ original, values: await this.#outcomeBlobs(original.outcome ?? {}) })),
    );
    return this.#soon((transaction) => actions.settle(transaction, action, outcome, values, stored));
  }
  async captureAgain(action: string, before: Parameters<Journal["captureAgain"]>[1]): Promise<void> {
    const values = await this.#blobs({ snapshot: before.snapshot, inverse: before.inverse });
    return this.#durably((transaction) => actions.captureAgain(transaction, action, before.snapshotState, values));
  }
  async addPostState(action: string, state: Action["postState"], post: Json | undefined): Promise<void> {
    const values = await this.#blobs({ post });
    return this.#soon((transaction) => actions.addPostState(transaction, action, state, values.post));
  }
  async addVerification(...[action, verification, checks]: Parameters<Journal["addVerification"]>): Promise<void> {
    const blob = await this.#blob(checks);
    return this.#soon((transaction) => actions.addVerification(transaction, action, verification, blob));
  }
  async move(...[action, from, to, reason, detail, ...also]: Parameters<Journal["move"]>): Promise<boolean> {
    const durable = to === "undoing"; // a claim has to outlast a power cut as an intent does
    return this.#writer.write((transaction) => actions.move(transaction, action, from, to, reason, detail, also), { durable });
  }
  async lease(keys: readonly string[]): Promise<Lease> {
    const lease = await this.#soon((transaction) => leases.standInLine(transaction, keys));
    this.#leases.add(lease);
    return lease;
  }
  async isFirst(lease: Lease): Promise<boolean> {
    return this.#read((connection) => leases.isFirst(connection, lease));
  }
  async release(lease: Lease): Promise<void> {
    if (!this.#leases.delete(lease)) return;
    try {
      await this.#soon((transaction) => leases.leaveLine(transaction, lease));
    } catch (error) {
      this.#leases.add(lease);
      throw error;
    }
  }
  recordFinished(call: FinishedCall): void {
    const { args, result } = call;
    let size = 1024;
    try {
      size += roughSize(args) + roughSize(result);
    } catch (error) {
      this.#writer.lose(journalFailure(this.path, error)); // the read itself must not suffer; flush tells
      return;
    }
    this.#writer.writeLater(() => {
      const values = makeBlobs(this.#connection, { args, result });
      return (transaction) => actions.insertFinished(transaction, call, values);
    }, size);
  }
  async flush(): Promise<void> {
    await this.#writer.flush();
  }
  async close(): Promise<void> {
    try {
      await Promise.allSettled([...this.#leases].map((lease) => this.release(lease))); // else our process would seem to hold them on
      await this.#writer.flush();
    } finally {
      this.#leases.clear();
      this.#writer.end(new SynartesisError("bug", `the journal ${this.path} is closed`));
      this.#connection.close();
    }
  }

  async mark(text: string): Promise<string> {
    const row = await this.#read((connection) => connection.first("SELECT value FROM meta WHERE key = 'mark_secret'"));
    if (row === undefined) throw new SynartesisError("journal-damaged", `the journal ${this.path} has lost the secret for its marks`);
    return new Bun.CryptoHasher("sha256", String(row["value"])).update(canonicalJson(text)).digest("hex");
  }

  #durably<T>(perform: Perform<T>): Promise<T> {
    return this.#writer.write(perform, { durable: true });
  }
  #soon<T>(perform: Perform<T>): Promise<T> {
    return this.#writer.write(perform, { durable: false });
  }

  async #read<T>(look: (connection: Connection) => T): Promise<T> {
    try {
      return await patiently(() => look(this.#connection));
    } catch (error) {
      throw journalFailure(this.path, error);
    }
  }
  #blob(value: Json): Promise<Blob> {
    return this.#read((connection) => makeBlob(connection, value));
  }
  #outcomeBlobs({ read, result, post, inverse }: NonNullable<Original["outcome"]>) {
    return this.#blobs({ read, result, post, inverse });
  }
  #blobs<V extends object & Readonly<Record<keyof V, Json | undefined>>>(values: V): Promise<Blobs<V>> {
    return this.#read((connection) => makeBlobs(connection, values));
  }
}

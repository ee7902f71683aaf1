// How do writes reach the disk? One queue per process: what is queued in the same turn shares one commit, each operation in a savepoint of
// its own. Never holds the lock across an await; never acknowledges what isn't committed.
import { SynartesisError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { recordBreak } from "./continuity.ts";
import { readHead } from "./events.ts";
import { journalFailure } from "./failures.ts";
import type { FileIdentity } from "./file-identity.ts";
import { type Continuity, continuityOf, flushHeadFile, headFile, readHeadFile, replaceHeadFile, writeHeadFile } from "./head-file.ts";
import { PATIENCE, patiently } from "./patience.ts";
import { type Sources, Transaction } from "./transaction.ts";

/** Something to write. It may be tried again, so all that it does is done through the transaction. */
export type Perform<T> = (transaction: Transaction) => T;

interface Operation {
  /** Performs it and gives what to do once it is committed. */
  readonly perform: (transaction: Transaction) => () => void;
  readonly reject: (error: unknown) => void;
  readonly durable: boolean;
}

/** What one transaction begins with. */
interface Begun {
  readonly operations: readonly Operation[];
  /** Its commit waits for the disk. */
  readonly durable: boolean;
  readonly continuity: Continuity;
}

/** Something to write that nobody waits for. */
interface LaterOperation {
  readonly prepare: () => Perform<void>;
  /** Memory that it holds on to, roughly, in bytes. */
  readonly size: number;
}

const COMMIT_AT_MOST = 512;
/**
 * Operations that nobody waits for are written after this many milliseconds, or once there are this many, or this many bytes of them.
 * While nothing else is waiting a commit takes only a few of them, because messages stand still meanwhile.
 */
const LATER = { delay: 50, count: 256, bytes: 4 * 2 ** 20, few: 64 };
/** While they can't be written, this much is kept; more is dropped, and `flush` says so. */
const KEPT = { count: 8192, bytes: 32 * 2 ** 20 };
/** The write-ahead log is cut back when it is larger than this, at most once in so many commits. */
const WAL = { bytes: 16 * 2 ** 20, commits: 64 };

export class Writer {
  readonly #connection: Connection;
  readonly #identity: FileIdentity;
  readonly #sources: Sources;
  readonly #patience: number;
  readonly #headFile: string;
  #waiting: Operation[] = [];
  #later: LaterOperation[] = [];
  #laterBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> | undefined;
  #commitsSinceTruncation = 0;
  #hasWritten = false;
  /** Why nothing can be written through this connection any more. */
  #ended: unknown;
  /** The first failure of an operation that nobody waited for. */
  #lost: unknown;

  constructor(connection: Connection, identity: FileIdentity, sources: Sources, patience: number = PATIENCE) {
    this.#connection = connection;
    this.#identity = identity;
    this.#sources = sources;
    this.#patience = patience;
    this.#headFile = headFile(connection.file);
  }

  /** Queues an operation and gives its result once it is committed. `durable`: the commit waits for the disk. */
  write<T>(perform: Perform<T>, options: { durable: boolean }): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const operation: Operation = {
        perform: (transaction) => {
          const result = perform(transaction);
          return () => resolve(result);
        },
        reject,
        durable: options.durable,
      };
      this.#waiting.push(operation);
      this.#start();
    });
  }

  /**
   * Queues an operation that nobody waits for; it is written with the next commit, ahead of what is waited for. `prepare` is called right
   * before that, without the lock; `size` is what it holds on to, roughly, in bytes.
   */
  writeLater(prepare: () => Perform<void>, size: number): void {
    const isFull = this.#later.length >= KEPT.count || (this.#later.length > 0 && this.#laterBytes + size > KEPT.bytes);
    if (isFull) {
      this.lose(new SynartesisError("journal-unusable", `reads were not recorded: ${this.#connection.file} doesn't keep up`));
      return;
    }
    this.#later.push({ prepare, size });
    this.#laterBytes += size;
    if (this.#later.length >= LATER.count || this.#laterBytes >= LATER.bytes) this.#start();
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#start(), LATER.delay);
      this.#timer.unref();
    }
  }

  /** Remembers for `flush` why something that nobody waited for isn't written. */
  lose(why: unknown): void {
    this.#lost ??= why;
  }

  /** Waits until all that is queued is written. @throws what kept an operation that nobody waited for from being written */
  async flush(): Promise<void> {
    while (this.#waiting.length + this.#later.length > 0 || this.#working !== undefined) {
      this.#start();
      await this.#working;
    }
    const lost = this.#lost;
    this.#lost = undefined;
    if (lost !== undefined) throw lost;
  }

  /** Refuses everything from now on. */
  end(why: unknown): void {
    this.#ended ??= why;
    if (this.#hasWritten) flushHeadFile(this.#headFile);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      if (this.#waiting.length > 0 || (this.#later.length > 0 && this.#timer === undefined)) this.#start();
    });
  }

  /** Commits until nothing is queued. */
  async #work(): Promise<void> {
    // Everything that asks within this turn of the event loop comes along.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length + this.#later.length > 0) {
      const later = this.#takeLater(this.#waiting.length > 0 ? LATER.count : LATER.few);
      let begun: Begun;
      try {
        if (this.#ended !== undefined) throw this.#ended;
        begun = await patiently(() => this.#begin(), this.#patience);
      } catch (error) {
        this.#refuse([...later, ...this.#takeLater(KEPT.count), ...this.#waiting.splice(0)], error);
        continue;
      }
      this.#commit([...later, ...begun.operations], begun);
      if (this.#waiting.length + this.#later.length === 0) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Begins a transaction and takes what goes into it, in one turn: an intent that asks a moment later must not end up in a commit that doesn't wait for the disk. */
  #begin(): Begun {
    const operations = this.#waiting.slice(0, COMMIT_AT_MOST);
    const continuity = continuityOf(this.#connection, readHeadFile(this.#headFile));
    const durable = continuity.kind !== "continuous" || operations.some((operation) => operation.durable);
    this.#connection.begin(durable);
    this.#waiting.splice(0, operations.length);
    return { operations, durable, continuity };
  }

  #takeLater(count: number): Operation[] {
    const operations: Operation[] = [];
    for (const { prepare, size } of this.#later.splice(0, count)) {
      this.#laterBytes -= size;
      try {
        const perform = prepare();
        operations.push({
          perform: (transaction) => {
            perform(transaction);
            return () => undefined;
          },
          reject: (error) => this.lose(error),
          durable: false,
        });
      } catch (error) {
        this.lose(journalFailure(this.#connection.file, error)); // the others must not suffer; flush tells
      }
    }
    return operations;
  }

  #refuse(operations: readonly Operation[], error: unknown): void {
    const failure = journalFailure(this.#connection.file, error);
    for (const operation of operations) operation.reject(failure);
  }

  /** Performs operations in the transaction that has begun, and commits. All or none of them are acknowledged. */
  #commit(operations: readonly Operation[], { durable, continuity }: Begun): void {
    const acknowledge: (() => void)[] = [];
    let transaction: Transaction;
    let walSize: number;
    try {
      const before = readHead(this.#connection);
      transaction = new Transaction(this.#connection, this.#sources, before);
      recordBreak(transaction, continuity);
      for (const operation of operations) acknowledge.push(this.#perform(operation, transaction));
      walSize = this.checkIdentity();
      this.#connection.commit();
    } catch (error) {
      this.#refuse(operations, error);
      this.#connection.rollback();
      if (this.#ended !== undefined) this.#connection.freeze();
      return;
    }
    this.#hasWritten = true;
    if (continuity.kind === "continuous") writeHeadFile(this.#headFile, transaction.head, durable);
    else replaceHeadFile(this.#headFile, transaction.head);
    for (const done of acknowledge) done();
    this.#truncate(walSize);
  }

  /** Performs one operation; one that fails leaves no trace, unless SQLite has given up the whole transaction with it. */
  #perform(operation: Operation, transaction: Transaction): () => void {
    const { head } = transaction;
    this.#connection.change("SAVEPOINT operation");
    try {
      const done = operation.perform(transaction);
      this.#connection.change("RELEASE operation");
      return done;
    } catch (error) {
      if (!this.#connection.inTransaction) throw error;
      this.#connection.change("ROLLBACK TO operation");
      this.#connection.change("RELEASE operation");
      transaction.takeBack(head);
      const failure = journalFailure(this.#connection.file, error);
      return () => operation.reject(failure);
    }
  }

  /** Looks whether the files are still those that were opened. Gives the size of the log. @throws journal-unusable */
  checkIdentity(): number {
    try {
      return this.#identity.check();
    } catch (error) {
      this.#ended = error; // whatever comes to lie at that path is not what we have open
      throw error;
    }
  }

  /** SQLite moves pages back by itself as it commits, but it begins the log anew only in a moment without readers: ask for one. */
  #truncate(walSize: number): void {
    this.#commitsSinceTruncation++;
    if (walSize < WAL.bytes || this.#commitsSinceTruncation < WAL.commits) return;
    this.#commitsSinceTruncation = 0;
    try {
      this.#connection.script("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      return; // a reader or writer was there; the log only stays long until the next try
    }
  }
}

// How do we talk to SQLite? One connection with its settings and prepared statements; the only file that opens databases.
import { Database, type Statement } from "bun:sqlite";
import { LOCK_WAIT } from "./patience.ts";

/** What a column can hold. Integers of ours stay below 2^53. */
export type Cell = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, Cell>>;

/** A database with statements that are prepared once each. */
export class Connection {
  readonly file: string;
  readonly #database: Database;
  readonly #statements = new Map<string, Statement<Row, Cell[]>>();
  #synchronous: "FULL" | "NORMAL" | undefined;

  /** Opens an existing file (`:memory:` makes a scratch database). @throws SQLiteError */
  constructor(file: string, access: "write" | "read") {
    this.file = file;
    const scratch = file === ":memory:";
    this.#database = new Database(
      file,
      access === "read" ? { readonly: true, strict: true } : { readwrite: true, create: scratch, strict: true },
    );
    try {
      // trusted_schema: a planted view or trigger must not reach functions. fullfsync: what macOS needs for a commit to be durable.
      this.#database.run(`PRAGMA busy_timeout=${LOCK_WAIT}; PRAGMA trusted_schema=OFF; PRAGMA fullfsync=ON; PRAGMA cache_size=-8000;`);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  #prepared(sql: string): Statement<Row, Cell[]> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare<Row, Cell[]>(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs a change and gives the number of rows it changed. */
  change(sql: string, ...cells: Cell[]): number {
    return this.#prepared(sql).run(...cells).changes;
  }

  first(sql: string, ...cells: Cell[]): Row | undefined {
    return this.#prepared(sql).get(...cells) ?? undefined;
  }

  all(sql: string, ...cells: Cell[]): Row[] {
    return this.#prepared(sql).all(...cells);
  }

  /** Reads row by row, for results that may not fit into memory. */
  each(sql: string, ...cells: Cell[]): Iterable<Row> {
    return this.#prepared(sql).iterate(...cells);
  }

  /** Runs several statements, or one that isn't worth keeping. */
  script(sql: string): void {
    this.#database.run(sql);
  }

  /** Begins a transaction that may write. `durable`: its commit waits for the disk. @throws SQLITE_BUSY while another process writes */
  begin(durable: boolean): void {
    const synchronous = durable ? "FULL" : "NORMAL";
    if (this.#synchronous !== synchronous) {
      // Takes effect while it is compiled, so it can't be prepared once; it is refused inside a transaction.
      this.#database.run(`PRAGMA synchronous=${synchronous}`);
      this.#synchronous = synchronous;
    }
    this.change("BEGIN IMMEDIATE");
  }

  commit(): void {
    this.change("COMMIT");
  }

  /** Ends a transaction without writing; SQLite may have done so by itself already, or do so by failing at it. */
  rollback(): void {
    try {
      if (this.inTransaction) this.change("ROLLBACK");
    } catch {
      return; // the failure that led here is the one to report; the next begin reports one that stays
    }
  }

  /**
   * Keeps what can be read now, and keeps SQLite from moving pages of the log into the database: as the process ends, the runtime would do so
   * without knowing of what others have written since.
   */
  freeze(): void {
    try {
      this.change("BEGIN");
      this.first("SELECT 1 FROM sqlite_schema LIMIT 1");
    } catch {
      return; // where nothing can be read, nothing can be moved
    }
  }

  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  close(): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#statements.clear();
    this.#database.close();
  }
}

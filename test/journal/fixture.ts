// What do the journal's tests start from? A journal in a folder of its own, and child processes beside.
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Journal, Run } from "../../src/journal/journal.ts";
import { type OpenOptions, openJournal } from "../../src/journal/open.ts";
import "../support/patience.ts";
import { newRun } from "./calls.ts";

const cleanups: (() => unknown)[] = [];

/** Registers what has to be undone after the test, in reverse order. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Undoes it. Each file has to register this itself: a hook that a shared module registers counts for the first file alone. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "synartesis-journal-"));
  afterwards(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Opens a journal that is closed after the test, whatever has happened to it. */
export async function open(file: string, options: Partial<OpenOptions> = {}): Promise<Journal> {
  const journal = await openJournal({ file, mode: "create", ...options });
  afterwards(() => journal.close().catch(() => undefined));
  return journal;
}

export interface Started {
  readonly file: string;
  readonly journal: Journal;
  readonly run: Run;
}

export async function start(options: Partial<OpenOptions> = {}): Promise<Started> {
  const file = options.file ?? join(temporaryFolder(), ".synartesis", "journal.db");
  const journal = await open(file, options);
  return { file, journal, run: await journal.openRun(newRun()) };
}

/** A journal with some of its methods replaced. */
export function overridden(journal: Journal, methods: Partial<Journal>): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const own = Reflect.get(methods, name);
      if (own !== undefined) return own;
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Changes the file behind the journal's back. */
export function tamper(file: string, sql: string, ...values: (string | number | null)[]): void {
  const database = new Database(file);
  database.run("PRAGMA ignore_check_constraints=ON");
  database.run(sql, values);
  database.close();
}

/** Cuts off every event after `number`, and makes the tables what the events that are left say: a state of before, consistent in itself. */
export function cutAfter(file: string, number: number): void {
  const database = new Database(file);
  database.run("PRAGMA ignore_check_constraints=ON");
  database.run("DELETE FROM events WHERE number > ?", [number]);
  for (const table of ["decisions", "actions", "runs", "journal"]) database.run(`DELETE FROM ${table} WHERE event > ?`, [number]);
  const events = database.query<{ payload: string }, []>("SELECT payload FROM events ORDER BY number").all();
  for (const { payload } of events) {
    const { table, key, set } = JSON.parse(payload) as { table: string; key: string; set: Record<string, string | number | null> };
    const columns = Object.entries(set);
    const assignments = columns.map(([name]) => `${name} = ?`).join(", ");
    database.run(`UPDATE ${table} SET ${assignments} WHERE id = ?`, [...columns.map(([, cell]) => cell), key]);
  }
  database.run("UPDATE actions SET settled_at = NULL WHERE status = 'intended'");
  database.run("UPDATE runs SET ended_at = NULL, state = 'open' WHERE id NOT IN (SELECT subject FROM events WHERE type = 'run.ended')");
  database.close();
}

/** Starts one of the programs in `processes/`; it answers in lines on its output. */
export function startProcess(name: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "processes", `${name}.ts`), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    env: { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
  });
  afterwards(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  return child;
}

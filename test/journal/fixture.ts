// What do the journal's tests start from? A journal in a folder of its own, calls with sensible defaults, and child processes.
import { Database } from "bun:sqlite";
import { afterEach } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "../../src/core/digest.ts";
import type { FinishedCall, Journal, NewCall, NewIntent, NewRun, Run } from "../../src/journal/journal.ts";
import { type OpenOptions, openJournal } from "../../src/journal/open.ts";

const cleanups: (() => unknown)[] = [];

/** Registers what has to be undone after the test, in reverse order. */
export function afterwards(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

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

export function newRun(facts: Partial<NewRun> = {}): NewRun {
  return {
    kind: "agent",
    joinKey: null,
    client: { name: "client", version: "1" },
    clientProcess: null,
    clientHello: { protocolVersion: "2025-11-25" },
    identity: null,
    policyText: "version: 1\n",
    servers: [{ name: "crm", source: { kind: "command", command: "crm" }, info: null, process: null, roots: null }],
    undoes: null,
    ...facts,
  };
}

export function newCall(run: string, facts: Partial<NewCall> = {}): NewCall {
  return {
    run,
    server: "crm",
    tool: "update_customer",
    class: "reversible",
    rule: { match: "crm.update_customer" },
    callKey: digestOf("call"),
    resources: ["crm:c1"],
    args: { id: "c1", name: "new" },
    receivedAt: Date.now(),
    ...facts,
  };
}

export function newIntent(run: string, facts: Partial<NewIntent> = {}): NewIntent {
  return {
    ...newCall(run),
    read: { tool: "get_customer", args: { id: "c1" } },
    snapshotState: "present",
    snapshot: { id: "c1", name: "old" },
    inverse: { server: "crm", tool: "update_customer", args: { id: "c1", name: "old" } },
    approval: null,
    undoes: null,
    ...facts,
  };
}

export function newRead(run: string, facts: Partial<FinishedCall> = {}): FinishedCall {
  const call = newCall(run, { tool: "get_customer", class: "readonly" });
  return { ...call, status: "applied", reason: null, detail: null, result: { name: "old" }, settledAt: Date.now(), ...facts };
}

/** Records an intent that has to succeed and gives the action's id. */
export async function intended(journal: Journal, intent: NewIntent): Promise<string> {
  const result = await journal.intend(intent);
  if (result.kind !== "intended") throw new Error(result.kind);
  return result.action;
}

/** Changes the file behind the journal's back. */
export function tamper(file: string, sql: string, ...values: (string | number | null)[]): void {
  const database = new Database(file);
  database.run("PRAGMA ignore_check_constraints=ON");
  database.run(sql, values);
  database.close();
}

/** Starts one of the programs in `processes/`; it answers in lines on its output. */
export function startProcess(name: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "processes", `${name}.ts`), ...args], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
    env: {},
  });
  afterwards(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  return child;
}

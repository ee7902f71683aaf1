// What do the commands' --json documents look like to a test? As much of docs/json.md as the tests read, and a way to wait for it.
import { expect } from "bun:test";
import { join } from "node:path";
import { until } from "./patience.ts";
import type { Sandbox } from "./sandbox.ts";

export { until } from "./patience.ts";

export interface ActionDocument {
  readonly id: string;
  readonly seq: number;
  readonly tool: string;
  readonly args: unknown;
  readonly class: string;
  readonly status: string;
  readonly reason: string | null;
  readonly why?: string | null;
  readonly detail: string | null;
  readonly verification: string | null;
  readonly undoes: string | null;
}
export interface RunDocument {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly undoes: string | null;
  readonly servers: readonly string[];
  readonly calls: number;
}
export interface StepDocument {
  readonly seq: number;
  readonly tool: string;
  readonly kind: string;
  readonly reason: string;
  readonly end: string | null;
  readonly verified: boolean;
  readonly conflicts: readonly { readonly path: string; readonly before: unknown; readonly left: unknown; readonly now: unknown }[];
}
export interface UndoDocument {
  readonly run: string;
  readonly undoRun: string | null;
  readonly state: string | null;
  readonly outstanding: readonly number[] | null;
  readonly halt: number | null;
  readonly steps: readonly StepDocument[];
}

/** The journal of a sandbox whose manifest lies in its folder. */
export function journalFile(sandbox: Sandbox): string {
  return join(sandbox.folder, ".synartesis", "journal.db");
}

/** The runs, newest first. */
export async function runs(sandbox: Sandbox): Promise<readonly RunDocument[]> {
  return (await sandbox.json<{ runs: RunDocument[] }>("list")).runs;
}

/** The calls of a run in order; of the latest one unless told. */
export async function actions(sandbox: Sandbox, ...run: readonly string[]): Promise<readonly ActionDocument[]> {
  return (await sandbox.json<{ actions: ActionDocument[] }>("show", ...run)).actions;
}

/** Undoes, and gives what came of it. */
export function undo(sandbox: Sandbox, ...words: readonly string[]): Promise<UndoDocument> {
  return sandbox.json<UndoDocument>("undo", ...words);
}

/** The steps of an undo as `[seq, kind, end]`. */
export function stepsOf({ steps }: UndoDocument): (readonly [number, string, string | null])[] {
  return steps.map(({ seq, kind, end }) => [seq, kind, end] as const);
}

/** Waits until the state after each call of the latest run, whose agent is connected, is recorded: that happens after the agent has its answer. */
export async function untilCaptured(sandbox: Sandbox, ...words: readonly string[]): Promise<void> {
  await until("the state after each call is recorded", async () => {
    const { steps } = await undo(sandbox, "--dry-run", "--live", ...words);
    return steps.every(({ reason }) => reason !== "post-state-missing");
  });
}

/** Fails unless the chain of the journal is intact. */
export async function expectIntact(sandbox: Sandbox): Promise<void> {
  const verified = await sandbox.json<{ intact: boolean; findings: unknown[] }>("audit", "verify");
  expect(verified).toMatchObject({ intact: true, findings: [] });
}

// What becomes of a test where the machine lacks what it needs? It is skipped, and its name says why, so that nobody takes it for one that passed.
import { test } from "bun:test";

/** Declares a test; skipped, with the reason in its name, where there is one. */
export function testUnless(lacking: string | undefined, name: string, body: () => void | Promise<void>): void {
  test.skipIf(lacking !== undefined)(named(lacking, name), body);
}

/** Gives a name with the reason for which what it names is skipped. */
export function named(lacking: string | undefined, name: string): string {
  return lacking === undefined ? name : `${name} (skipped: ${lacking})`;
}

/** Says that a program isn't on PATH; undefined where it is. */
export function missing(program: string): string | undefined {
  return Bun.which(program) === null ? `there is no ${program} here` : undefined;
}

/** Says that a command doesn't work here: its program isn't there, or isn't allowed to do this. Undefined where it does. */
export function failing([program = "", ...words]: readonly string[]): string | undefined {
  const lacking = missing(program);
  if (lacking !== undefined) return lacking;
  return Bun.spawnSync([program, ...words], { stdout: "ignore", stderr: "ignore" }).success ? undefined : `${program} can't do that here`;
}

// How is a list of runs laid out at several widths? As a table as long as its columns can be shortened to one; nothing wider than the terminal.
import { expect, test } from "bun:test";
import { runsText } from "../../../src/cli/render/runs.ts";
import type { RunFacts } from "../../../src/cli/run-facts.ts";
import type { Run } from "../../../src/journal/journal.ts";

const NOW = Date.UTC(2026, 2, 1, 12);
const NAMES = ["crm", "files", "tickets", "calendar"];

function facts(id: string, told: Partial<Omit<RunFacts, "run">> & { run?: Partial<Run> } = {}): RunFacts {
  const run = {
    id,
    kind: "agent",
    state: "ended",
    client: { name: "claude-code", version: "2.1.14" },
    identity: null,
    servers: NAMES.map((name) => ({ name })),
    startedAt: NOW - 5000,
    ...told.run,
  } as unknown as Run; // only these members are looked at
  return { calls: 0, changes: 3, held: 0, refuted: 0, undoesRuns: [], pids: [], ...told, run };
}

const RUNS = [
  facts("scjjpcf5aaaa", { run: { state: "open" }, pids: [4711] }),
  facts("v8rn32s3bbbb", { run: { kind: "undo" }, undoesRuns: ["qg2emqrky2wr"] }),
  facts("qg2emqrky2wr"),
];

function shown(columns: number, runs: readonly RunFacts[] = RUNS): readonly string[] {
  const lines = runsText(runs, { now: NOW, columns, command: (...words) => words.join(" ") }).split("\n");
  for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
  return lines;
}

test("at 80 columns several servers are the first and how many more, and the list stays a table", () => {
  expect(shown(80)).toEqual([
    "run       when    client              servers  calls  changes  held  state",
    "scjjpcf5  5s ago  claude-code 2.1.14  crm, +3  0      3        0     open",
    "v8rn32s3  5s ago  undo of qg2emqrk    crm, +3  0      3        0     ended",
    "qg2emqrk  5s ago  claude-code 2.1.14  crm, +3  0      3        0     ended",
  ]);
});

test("where there is room all is said", () => {
  expect(shown(160)[1]).toContain("claude-code 2.1.14  crm, files, tickets, calendar  0      3        0     open (process 4711)");
});

test("at 60 columns it is a table still, with the held calls if there are any; below it is a block for each", () => {
  expect(shown(60)).toHaveLength(4);
  expect(shown(60)[0]).toBe("run       when    client            servers  changes  state");
  expect(shown(70, [...RUNS, facts("another0", { held: 2 })])[0]).toContain("held");
  expect(shown(40).length).toBeGreaterThan(12);
});

// Is undo right under concurrent change, and would the judge see it if it weren't? A few of the histories that bench/histories/run.ts plays by
// the thousand; the same seeds each time.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { undoneBy } from "../../bench/histories/baselines.ts";
import type { Cells } from "../../bench/histories/cells.ts";
import { type AgentDeed, type History, isAgentDeed, play } from "../../bench/histories/history.ts";
import { judge, type Said, type Violation } from "../../bench/histories/judge.ts";
import { storyText } from "../../bench/histories/report.ts";
import { serveWorlds } from "../../bench/histories/serve.ts";
import { toolOf } from "../../bench/histories/tools.ts";
import { type Trial, tryAll } from "../../bench/histories/trial.ts";

test("P3: over thirty random histories undo loses nobody's edit, claims nothing that isn't so, and completes all that nothing overlaps", async () => {
  const trials: Trial[] = [];
  await tryAll(1, 31, (trial) => trials.push(trial));
  expect(trials.filter(({ violations }) => violations.length > 0).map(storyText)).toEqual([]);
  const eligible = trials.filter(({ isEligible }) => isEligible);
  expect(eligible.length).toBeGreaterThan(10);
  expect(eligible.filter(({ results }) => !results.Synartesis.isCompleted).map(storyText)).toEqual([]);
  expect(trials.some(({ overlaps }) => overlaps > 0)).toBe(true);
}, 180_000);

const worlds = serveWorlds();
const histories: History[] = [];

beforeAll(async () => {
  for (let seed = 1; seed <= 25; seed++) histories.push(await play(seed, worlds));
});

afterAll(() => {
  for (const history of histories) history[Symbol.dispose]();
  worlds[Symbol.dispose]();
});

/** What the judge finds over some histories, where this is said of each deed and that is what the servers show. */
function found(saidOf: (deed: AgentDeed, history: History) => Partial<Said>, shows: (history: History) => Cells): ReadonlySet<string> {
  const kinds = new Set<Violation["kind"]>();
  for (const history of histories) {
    const { deeds, world } = history;
    const said = new Map<AgentDeed, Said>();
    for (const deed of deeds.filter(isAgentDeed)) {
      const status = toolOf(deed.call.tool).family === "final" ? "permanent" : "undone";
      said.set(deed, { status, conflicts: undefined, isAsPlanned: true, words: "", ...saidOf(deed, history) });
    }
    const nothing = { undone: new Set<AgentDeed>(), free: new Set<string>(), isDisturbed: false };
    const agents = [...Array(history.agents).keys()];
    const { violations } = judge({ ...nothing, deeds, agents, keepGoing: true, said, before: world.cells(), after: shows(history) });
    for (const { kind } of violations) kinds.add(kind);
  }
  return kinds;
}

const asItIs = ({ world }: History) => world.cells();

test("the judge sees that a blind inverse loses edits, and that it passes over overlaps", () => {
  const kinds = found(
    () => ({}),
    ({ world, deeds }) => undoneBy("blind inverse", world, deeds),
  );
  expect(kinds).toContain("lost edit");
  expect(kinds).toContain("missed overlap");
});

test("the judge sees that what is called undone still stands", () => {
  expect(found(() => ({}), asItIs)).toContain("false claim");
});

test("the judge sees that what is called failed has changed something", () => {
  expect(found(() => ({ status: "failed" }), asItIs)).toContain("false claim");
});

test("the judge sees conflicts that are none", () => {
  expect(found(() => ({ status: "stuck", conflicts: [""] }), asItIs)).toContain("false conflict");
});

test("the judge sees conflicts that name other fields than overlap", () => {
  const isOverlapped = (deed: AgentDeed, { deeds }: History) =>
    deeds
      .slice(deeds.indexOf(deed))
      .some(({ agent, wrote }) => agent === undefined && [...deed.effect.keys()].some((cell) => wrote.has(cell)));
  const kinds = found((deed, history) => (isOverlapped(deed, history) ? { status: "stuck", conflicts: ["nothing"] } : {}), asItIs);
  expect(kinds).toContain("wrong fields");
});

test("the judge sees that something was left undone without a word", () => {
  const kinds = found(() => ({ status: "applied" }), asItIs);
  expect(kinds).toContain("not undone");
  expect(kinds).toContain("not reported");
});

test("the judge sees steps that didn't come as planned", () => {
  expect(found(() => ({ isAsPlanned: false }), asItIs)).toContain("other than planned");
});

test("a seed gives the same history each time", async () => {
  const tell = async () => {
    using history = await play(1007, worlds);
    return { deeds: history.deeds.map(({ what }) => what), cells: [...history.world.cells()] };
  };
  expect(await tell()).toEqual(await tell());
});

// What comes of one seed? Its history is played, undone by the baselines on copies and by Synartesis on the world itself, run after run from the
// latest one, and each undo is judged.
import { BASELINES, type Baseline, undoneBy } from "./baselines.ts";
import { type Cells, effectOf, partsOf } from "./cells.ts";
import { type AgentDeed, type Deed, type History, isAgentDeed, personDeed, play } from "./history.ts";
import { type Judgement, judge, lostEdits, type Said, type Violation, withoutAgents } from "./judge.ts";
import type { Verdict } from "./oracle.ts";
import { serveWorlds, type Worlds } from "./serve.ts";
import { toolOf } from "./tools.ts";
import { redo, undo } from "./undo.ts";

/** How one way to undo came out of one history. */
export interface Result {
  /** Everything is as if the agents had never been. */
  readonly isCompleted: boolean;
  /** Cells that a person wrote last and that don't show it any more. */
  readonly collateral: number;
}

export interface Trial {
  readonly seed: number;
  /** Nothing overlaps, and values can tell all of it: everything can be undone. */
  readonly isEligible: boolean;
  /** Whether a person wrote in a thing after an agent had. */
  readonly isContested: boolean;
  /** Whether something can't be told by values: a person set the same thing again. */
  readonly isUndecidable: boolean;
  /** How many deeds somebody has overlapped since. */
  readonly overlaps: number;
  readonly results: Readonly<Record<Baseline | "Synartesis", Result>>;
  readonly violations: readonly Violation[];
  /** Line by line what happened and what was said of it. */
  readonly story: readonly string[];
}

/** Histories under way at a time: while one waits for a read that lags, others go on. */
const AT_ONCE = 6;

/** Plays and judges the histories of the seeds from `first` up to, not including, `end`; tells of each as it ends. */
export async function tryAll(first: number, end: number, onTrial: (trial: Trial) => void): Promise<void> {
  using worlds = serveWorlds();
  let next = first;
  const tryNext = async () => {
    while (next < end) onTrial(await tryOut(next++, worlds));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, tryNext));
}

/** Plays and judges the history of a seed. */
async function tryOut(seed: number, worlds: Worlds): Promise<Trial> {
  using history = await play(seed, worlds);
  const baselines = Object.fromEntries(BASELINES.map((name) => [name, undoneBy(name, history.world, history.deeds)] as const));
  const peopleBefore = history.deeds.length;
  const story = history.isLagging ? ["reads lag behind every call of the undo"] : [];
  story.push(...history.deeds.map((deed, index) => `${index + 1}. ${deed.what}${deed.effect.size === 0 ? " (changes nothing)" : ""}`));
  const course = await undoAll(history, story);
  const resultOf = (cells: Cells, deeds: readonly Deed[], undone: ReadonlySet<Deed>): Result => ({
    isCompleted: isEqual(cells, withoutAgents(history.first, deeds)),
    collateral: lostEdits(deeds, undone, cells).size,
  });
  const verdicts = [...course.verdicts.values()];
  const known = history.deeds.slice(0, peopleBefore);
  return {
    seed,
    isEligible: verdicts.every(({ kind }) => kind === "clear" || kind === "nothing"),
    isContested: history.deeds.filter(isAgentDeed).some((deed) => isWrittenAfter(deed, history.deeds)),
    isUndecidable: verdicts.some((verdict) => verdict.kind === "open" && verdict.why === "same-again"),
    overlaps: verdicts.filter(({ kind }) => kind === "overlap").length,
    results: {
      Synartesis: resultOf(history.world.cells(), history.deeds, course.undone),
      "whole-value guard": resultOf(baselines["whole-value guard"] ?? new Map(), known, new Set()),
      "blind inverse": resultOf(baselines["blind inverse"] ?? new Map(), known, new Set()),
    },
    violations: course.violations,
    story,
  };
}

function isWrittenAfter(deed: AgentDeed, deeds: readonly Deed[]): boolean {
  const after = deeds.slice(deeds.indexOf(deed)).filter(({ agent }) => agent === undefined);
  return deed.effect.size > 0 && after.some(({ wrote }) => [...wrote].some((cell) => partsOf(cell).thing === deed.thing));
}

interface Course {
  readonly verdicts: ReadonlyMap<AgentDeed, Verdict>;
  readonly undone: ReadonlySet<Deed>;
  readonly violations: readonly Violation[];
}

async function undoAll(history: History, story: string[]): Promise<Course> {
  const verdicts = new Map<AgentDeed, Verdict>();
  const violations: Violation[] = [];
  let undone: ReadonlySet<Deed> = new Set();
  let free: ReadonlySet<string> = new Set();
  for (const way of waysFor(history)) {
    let judgement: Judgement;
    try {
      judgement = await undoOne(history, { ...way, undone, free }, story);
    } catch (error) {
      const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
      violations.push({ kind: "broken off", what });
      story.push(`  !! broken off: ${what}`);
      break;
    }
    for (const [deed, verdict] of judgement.verdicts) verdicts.set(deed, verdict);
    violations.push(...judgement.violations);
    ({ undone, free } = judgement);
    if (violations.length > 0) break;
  }
  return { verdicts, undone, violations };
}

type Way = Pick<Parameters<typeof judge>[0], "agents" | "keepGoing">;

/** One run after the other, mostly from the latest, or all at once; then what is left of each, once the others are undone. */
function waysFor({ agents, imagine: { choose } }: History): readonly Way[] {
  const all = Array.from({ length: agents }, (_, agent) => agent);
  const each = (choose.chance(70) ? all.toReversed() : all).map((agent) => [agent]);
  const chosen = agents > 1 && choose.chance(35) ? [all] : each;
  const keepGoing = choose.chance(50);
  return [...chosen.map((some) => ({ agents: some, keepGoing })), ...chosen.map((some) => ({ agents: some, keepGoing: true }))];
}

async function undoOne(
  history: History,
  way: Way & Pick<Parameters<typeof judge>[0], "undone" | "free">,
  story: string[],
): Promise<Judgement> {
  const { world, imagine, deeds } = history;
  const isDisturbed = imagine.choose.chance(10);
  story.push(`undo of agent ${way.agents.join(" and ")}${way.keepGoing ? " --keep-going" : ""}`);
  let before = world.cells();
  const onPlanned = () => {
    if (isDisturbed) {
      const deed = personDeed(history);
      deeds.push(deed);
      story.push(`  meanwhile, ${deed.what}`);
    }
    before = world.cells();
  };
  const { said, undoRun } = await undo(history, { ...way, onPlanned });
  const judgement = judge({ ...way, deeds, said, isDisturbed, before, after: world.cells() });
  for (const [deed, { words, conflicts }] of [...said].toReversed())
    if (!way.undone.has(deed)) story.push(`  ${storyOf(deed, words, conflicts, judgement)}`);
  for (const { kind, what } of judgement.violations) story.push(`  !! ${kind}: ${what}`);
  const isRedone = imagine.choose.chance(40) && undoRun !== null && judgement.violations.length === 0;
  const taken = [...judgement.undone].filter((deed) => !way.undone.has(deed));
  const again = isRedone ? await redoOne(history, way, { undoRun, before, taken }, story) : [];
  return { ...judgement, violations: [...judgement.violations, ...again] };
}

/** An undo that is to be undone: the state before it, and what it took back. */
interface Done {
  readonly undoRun: string;
  readonly before: Cells;
  readonly taken: readonly Deed[];
}

/** Undoes the undo, which gives the state before it unless something has to be made anew; and undoes again, which gives the state after it. */
async function redoOne(history: History, way: Way, { undoRun, before, taken }: Done, story: string[]): Promise<readonly Violation[]> {
  const { world } = history;
  const after = world.cells();
  story.push("  redo, and undo again");
  const steps = await redo(history, undoRun, way.keepGoing);
  const isMadeAnew = taken.some((deed) => isAgentDeed(deed) && toolOf(deed.call.tool).family === "make");
  const redone = isMadeAnew ? [] : differences("after redo", before, world.cells());
  const { said } = await undo(history, way);
  const found = [...redone, ...differences("undone again", after, world.cells())];
  if (found.length === 0) return [];
  story.push(...steps.map((step) => `  redo of ${step}`));
  for (const [deed, { words }] of [...said].toReversed()) story.push(`  ${deed.call.tool} on ${deed.thing ?? "nothing"}: ${words}`);
  story.push(...found.map((what) => `  !! redo: ${what}`));
  return found.map((what) => ({ kind: "redo", what }));
}

function differences(when: string, meant: Cells, is: Cells): readonly string[] {
  return [...effectOf(meant, is)].map(([cell, { before, after }]) => `${when}, ${cell} should be ${before} and is ${after}`);
}

function storyOf(deed: AgentDeed, words: string, conflicts: Said["conflicts"], { verdicts }: Judgement): string {
  const verdict = verdicts.get(deed);
  const meant = verdict === undefined ? "not judged" : verdict.kind === "open" ? `open, ${verdict.why}` : verdict.kind;
  const cells = verdict?.kind === "overlap" ? ` of ${[...verdict.cells].join(", ")}` : "";
  const rows = conflicts === undefined ? "" : `, rows: ${conflicts.join(", ")}`;
  return `${deed.call.tool} on ${deed.thing ?? "nothing"}: ${words}${rows} [the judge: ${meant}${cells}]`;
}

function isEqual(a: Cells, b: Cells): boolean {
  return a.size === b.size && [...a].every(([cell, content]) => b.get(cell) === content);
}

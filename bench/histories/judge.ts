// Did an undo do what it had to, and nothing else? Follows what Synartesis says step by step in a state of its own, and compares that with what
// the servers show in the end. Judges, and never repairs.
import type { ActionStatus } from "../../src/core/vocabulary.ts";
import { type Cells, isCounter, isWithin, partsOf, put } from "./cells.ts";
import { type AgentDeed, type Deed, isAgentDeed } from "./history.ts";
import { assess, type Since, type Verdict } from "./oracle.ts";
import { toolOf } from "./tools.ts";
import { isLost } from "./world.ts";

/** What must never be: each kind is one figure of the report. */
export const VIOLATIONS = [
  "lost edit",
  "false claim",
  "missed overlap",
  "false conflict",
  "not undone",
  "wrong fields",
  "not reported",
  "wrong state",
  "other than planned",
  "redo",
  "broken off",
] as const;

export interface Violation {
  readonly kind: (typeof VIOLATIONS)[number];
  readonly what: string;
}

/** What Synartesis says of one deed after an undo. */
export interface Said {
  readonly status: ActionStatus;
  /** The paths of its conflict rows; undefined where it isn't called a conflict. */
  readonly conflicts: readonly string[] | undefined;
  /** Whether it came as the plan had said, where it didn't call that assumed. */
  readonly isAsPlanned: boolean;
  /** For the story. */
  readonly words: string;
}

/** One undo, as the judge sees it. */
export interface Trial {
  readonly deeds: readonly Deed[];
  /** Those whose runs are undone. */
  readonly agents: readonly number[];
  readonly keepGoing: boolean;
  /** Deeds that earlier undos have taken back. */
  readonly undone: ReadonlySet<Deed>;
  /** Cells whose content nothing can tell, by earlier undos: whatever is there is right. */
  readonly free: ReadonlySet<string>;
  readonly said: ReadonlyMap<AgentDeed, Said>;
  /** Whether somebody went on between the plan and the undo. */
  readonly isDisturbed: boolean;
  /** What the servers showed right before the first inverse, and after the last. */
  readonly before: Cells;
  readonly after: Cells;
}

export interface Judgement {
  readonly violations: readonly Violation[];
  /** Every deed that was judged with its verdict. */
  readonly verdicts: ReadonlyMap<AgentDeed, Verdict>;
  /** What is undone now, by this undo and by earlier ones. */
  readonly undone: ReadonlySet<Deed>;
  readonly free: ReadonlySet<string>;
  /** Whether nothing is left that could be undone. */
  readonly isWhole: boolean;
}

/** Judges one undo. */
export function judge(trial: Trial): Judgement {
  const course = new Course(trial);
  for (const deed of trial.deeds.filter(isAgentDeed).toReversed()) if (trial.agents.includes(deed.agent)) course.step(deed);
  return course.end();
}

class Course {
  readonly #trial: Trial;
  readonly #state: Map<string, string>;
  readonly #undone: Set<Deed>;
  readonly #unresolved: AgentDeed[] = [];
  readonly #verdicts = new Map<AgentDeed, Verdict>();
  readonly #violations: Violation[] = [];
  readonly #free: Set<string>;

  constructor(trial: Trial) {
    this.#trial = trial;
    this.#state = new Map(trial.before);
    this.#undone = new Set(trial.undone);
    this.#free = new Set(trial.free);
  }

  step(deed: AgentDeed): void {
    if (this.#trial.undone.has(deed)) return;
    const said = this.#trial.said.get(deed);
    if (said === undefined) {
      this.#violate("not reported", deed, "nothing is said of it");
      return;
    }
    const verdict = assess(deed, this.#state, this.#since(deed));
    this.#verdicts.set(deed, verdict);
    if (verdict.kind === "open" && verdict.why === "same-again") for (const cell of verdict.putBack.keys()) this.#free.add(cell);
    if (!said.isAsPlanned && !this.#trial.isDisturbed) this.#violate("other than planned", deed, said.words);
    if (toolOf(deed.call.tool).family === "final" && said.status === "permanent") return;
    if (said.status === "undone") this.#takeBack(deed, verdict);
    else if (said.status === "failed") this.#checkFailed(deed, verdict);
    else this.#leave(deed, verdict, said);
  }

  end(): Judgement {
    const { after, deeds } = this.#trial;
    for (const cell of new Set([...after.keys(), ...this.#state.keys()])) {
      const [meant, is] = [this.#state.get(cell), after.get(cell)];
      if (meant === is || this.#free.has(cell)) continue;
      const writer = lastWriter(deeds, this.#undone, cell);
      const mine = deeds.find((deed) => this.#undone.has(deed) && deed.effect.get(cell)?.after === is);
      const kind = writer !== undefined && writer.agent === undefined ? "lost edit" : mine === undefined ? "wrong state" : "false claim";
      this.#violations.push({ kind, what: `${cell} should be ${shown(meant)} and is ${shown(is)}` });
    }
    for (const [cell, meant] of lostEdits(deeds, this.#undone, after)) {
      if (this.#free.has(cell) || this.#violations.some(({ what }) => what.startsWith(`${cell} `))) continue;
      this.#violations.push({ kind: "lost edit", what: `${cell} was set to ${shown(meant)} by a person and is ${shown(after.get(cell))}` });
    }
    const isWhole = this.#unresolved.length === 0;
    return { violations: this.#violations, verdicts: this.#verdicts, undone: this.#undone, free: this.#free, isWhole };
  }

  #takeBack(deed: AgentDeed, verdict: Verdict): void {
    if (verdict.kind === "overlap") this.#violate("missed overlap", deed, `somebody has changed ${[...verdict.cells].join(", ")} since`);
    for (const [cell, content] of verdict.putBack) put(this.#state, cell, content);
    this.#undone.add(deed);
  }

  /** It is said not to have happened, or to have changed nothing. */
  #checkFailed(deed: AgentDeed, { putBack }: Verdict): void {
    if (putBack.size > 0) this.#violate("false claim", deed, `it is said to have failed, and ${[...putBack.keys()].join(", ")} stands`);
  }

  #leave(deed: AgentDeed, verdict: Verdict, { conflicts, words }: Said): void {
    const isBehind = this.#unresolved.some((newer) => !this.#trial.keepGoing || isConnected(deed, newer));
    this.#unresolved.push(deed);
    if (isBehind || verdict.kind === "open") return;
    if (verdict.kind !== "overlap")
      this.#violate(conflicts === undefined ? "not undone" : "false conflict", deed, `${words}; rows: ${conflicts?.join(", ") ?? "none"}`);
    else if (conflicts === undefined) this.#violate("not reported", deed, `${[...verdict.cells].join(", ")} overlaps; ${words}`);
    else this.#compareFields(deed, verdict, conflicts);
  }

  #compareFields(deed: AgentDeed, { cells, near }: Verdict & { kind: "overlap" }, conflicts: readonly string[]): void {
    const named = new Set(conflicts.map((path) => fieldOfPath(deed, path)));
    const meant = new Set([...cells].map((cell) => fieldOfCell(deed, cell)));
    const allowed = new Set([...meant, ...[...near].map((cell) => fieldOfCell(deed, cell))]);
    if ([...meant].every((field) => named.has(field)) && [...named].every((field) => allowed.has(field))) return;
    this.#violate("wrong fields", deed, `named are [${[...named].join(", ")}], and it is [${[...meant].join(", ")}]`);
  }

  #since(deed: AgentDeed): Since {
    const { deeds, agents } = this.#trial;
    const isOther = ({ agent }: Deed) => agent === undefined || !agents.includes(agent);
    const others = deeds.slice(deeds.indexOf(deed) + 1).filter((other) => isOther(other) && !this.#undone.has(other));
    const wrote = new Set(others.flatMap((other) => [...other.wrote]));
    const takenBack = [...this.#undone].filter(isOther).flatMap((other) => [...other.wrote]);
    return {
      wrote,
      isTouched: (thing) => [...wrote, ...takenBack].some((cell) => isWithin(cell, thing)),
      isTakenByAgent: (scope) =>
        others.findLast((other) => writes(other, scope))?.agent !== undefined ||
        others.some((other) => isAgentDeed(other) && other.thing === partsOf(scope).thing && isLost(other.fault)),
    };
  }

  #violate(kind: Violation["kind"], deed: AgentDeed, what: string): void {
    this.#violations.push({ kind, what: `${deed.call.tool} on ${deed.thing ?? "nothing"}: ${what}` });
  }
}

/** A newer deed stands on an older one where both touch one thing, or where it says what the older one's result gave. */
function isConnected(older: AgentDeed, newer: AgentDeed): boolean {
  if (older.thing !== undefined && older.thing === newer.thing) return true;
  const given = Object.values(typeof older.result === "object" && older.result !== null ? older.result : {});
  return Object.values(newer.call.args).some((value) => typeof value === "string" && given.includes(value));
}

/** The one who wrote a cell last, of the deeds that stand. */
function lastWriter(deeds: readonly Deed[], undone: ReadonlySet<Deed>, cell: string): Deed | undefined {
  return deeds.findLast((deed) => !undone.has(deed) && writes(deed, cell));
}

/** Tells whether a deed changed a cell, if only by taking away the thing that it would be in. */
function writes({ effect }: Deed, cell: string): boolean {
  const thing = effect.get(partsOf(cell).thing);
  return effect.has(cell) || (thing !== undefined && thing.after === undefined);
}

/** The cells that a person wrote last and that don't show it any more, with what they should show. Amounts are the business of their sum. */
export function lostEdits(deeds: readonly Deed[], undone: ReadonlySet<Deed>, now: Cells): ReadonlyMap<string, string | undefined> {
  const lost = new Map<string, string | undefined>();
  for (const cell of new Set(deeds.flatMap(({ effect }) => [...effect.keys()]))) {
    const writer = lastWriter(deeds, undone, cell);
    if (writer === undefined || writer.agent !== undefined || isCounter(cell)) continue;
    const meant = writer.effect.get(cell)?.after;
    if (now.get(cell) !== meant) lost.set(cell, meant);
  }
  return lost;
}

/** What would be there if only the people had been: the state that undoing everything has to give where nothing overlaps. */
export function withoutAgents(first: Cells, deeds: readonly Deed[]): Cells {
  const state = new Map(first);
  for (const { agent, effect } of deeds) {
    if (agent !== undefined) continue;
    for (const [cell, { before, after }] of effect) {
      const isAdded = isCounter(cell) && before !== undefined && after !== undefined;
      put(state, cell, isAdded ? String(Number(state.get(cell) ?? 0) + Number(after) - Number(before)) : after);
      if (after === undefined) for (const inner of [...state.keys()]) if (isWithin(inner, cell)) state.delete(inner);
    }
  }
  return state;
}

/** Names what a path of a conflict row is about in the words of cells; "" is the whole thing. */
function fieldOfPath({ call }: AgentDeed, path: string): string {
  if (call.tool.endsWith("_file") || call.tool.endsWith("_note")) return "";
  return /^[a-z_]*/.exec(path)?.[0] ?? "";
}

function fieldOfCell({ call }: AgentDeed, cell: string): string {
  return call.tool.endsWith("_file") || call.tool.endsWith("_note") ? "" : (partsOf(cell).field ?? "");
}

function shown(content: string | undefined): string {
  return content === undefined ? "gone" : JSON.stringify(content);
}

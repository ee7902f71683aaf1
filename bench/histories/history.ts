// What happened in one history? Agents call tools through the proxy, people work at the same things in between, and everything is noted: who
// did what, and which cells that changed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../../src/core/json.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { chooserOf } from "../../test/support/random.ts";
import { Agent, type Place } from "./agent.ts";
import { type Cells, type Effect, effectOf } from "./cells.ts";
import { Refusal } from "./crm.ts";
import { realFolder } from "./folder.ts";
import { faultFor, furnish, Imagination, nextCall } from "./generate.ts";
import { Bin, edit } from "./people.ts";
import { manifestFor } from "./policy.ts";
import type { Worlds } from "./serve.ts";
import type { Call } from "./tool.ts";
import { thingOf, toolOf } from "./tools.ts";
import { type Fault, NO_FAULT, World } from "./world.ts";

/** What somebody did, and what came of it. */
export interface Deed {
  /** The agent's number, from 0; undefined for a person. */
  readonly agent: number | undefined;
  /** For the story. */
  readonly what: string;
  readonly effect: Effect;
  /** Every cell that was written, whether or not that changed it. */
  readonly wrote: ReadonlySet<string>;
}

/** A changing call of an agent. */
export interface AgentDeed extends Deed {
  readonly agent: number;
  readonly call: Call;
  readonly result: Json;
  readonly fault: Fault;
  /** The customer or file that it touches. */
  readonly thing: string | undefined;
  /** The whole world right before it and right after it. */
  readonly before: Cells;
  readonly after: Cells;
  /** What its look showed before and after it; null where there was nothing. */
  readonly looked: Json;
  readonly left: Json;
}

/** One history, played and not undone yet. */
export interface History extends Disposable {
  readonly seed: number;
  readonly world: World;
  readonly place: Place;
  /** How many agents there were; each is one run, in the order in which they began. */
  readonly agents: number;
  readonly first: Cells;
  /** Everything that happened, in order; more is added where people go on during the undo. */
  readonly deeds: Deed[];
  readonly imagine: Imagination;
  readonly bin: Bin;
  /** Whether reads lag behind every call of the undo too. */
  readonly isLagging: boolean;
  /** Moves the clock on, in milliseconds. */
  wait(milliseconds: number): void;
}

/** Plays the history of a seed. */
export async function play(seed: number, worlds: Worlds): Promise<History> {
  const history = prepare(seed, worlds);
  try {
    await perform(history);
  } catch (error) {
    history[Symbol.dispose]();
    throw error;
  }
  history.world.settle();
  history.world.nextFault = () => (history.isLagging ? { kind: "lag", reads: 1 } : NO_FAULT);
  history.wait(60_000);
  return history;
}

function prepare(seed: number, worlds: Worlds): History {
  const base = mkdtempSync(join(tmpdir(), "synartesis-history-"));
  const imagine = new Imagination(chooserOf(seed));
  const world = new World(realFolder(join(base, "folder")));
  furnish(world, imagine);
  const url = worlds.open(String(seed), world);
  const policyText = manifestFor(url);
  const loading = loadManifestText(policyText, { directory: base, env: "any" });
  if (loading.kind === "invalid") throw new Error(`the policy of the histories is no manifest: ${JSON.stringify(loading.problems)}`);
  let waited = 0;
  return {
    seed,
    world,
    place: { url, policy: loading.policy, policyText, journal: join(base, "journal.db"), clock: () => Date.now() + waited },
    agents: imagine.choose.of([1, 1, 1, 2, 3]),
    first: world.cells(),
    deeds: [],
    imagine,
    bin: new Bin(),
    isLagging: imagine.choose.chance(8),
    wait: (milliseconds) => {
      waited += milliseconds;
    },
    [Symbol.dispose]() {
      worlds.close(String(seed));
      rmSync(base, { recursive: true, force: true });
    },
  };
}

async function perform(history: History): Promise<void> {
  const { imagine, place } = history;
  const { choose } = imagine;
  const agents: Agent[] = [];
  for (let number = 0; number < history.agents; number++) agents.push(await Agent.start(place, `agent-${number}`));
  const calls = Math.max(history.agents, 1 + choose.below(12));
  const edits = choose.below(7);
  const turns = [...Array(calls).fill("call"), ...Array(edits).fill("edit")];
  while (turns.length > 0) {
    const [turn] = turns.splice(choose.below(turns.length), 1);
    history.bin.note(history.world);
    if (turn === "edit") history.deeds.push(personDeed(history));
    else {
      const number = choose.below(agents.length);
      const deed = await agentDeed(history, agents[number], number);
      if (deed === undefined) continue;
      history.deeds.push(deed);
      imagine.hot = [...deed.effect.keys()];
    }
  }
  for (const agent of agents) await agent.end();
}

/** Lets a person do something now. */
export function personDeed({ world, imagine, bin }: Pick<History, "world" | "imagine" | "bin">): Deed {
  world.settle();
  const done = edit(world, imagine, bin);
  return { agent: undefined, what: `a person ${done.what}`, effect: done.effect, wrote: done.wrote };
}

async function agentDeed({ world, imagine }: History, agent: Agent | undefined, number: number): Promise<AgentDeed | undefined> {
  if (agent === undefined) throw new Error(`there is no agent ${number}`);
  world.settle();
  const call = nextCall(world, imagine);
  const fault = faultFor(call, imagine);
  const before = world.cells();
  const looked = toolOf(call.tool).family === "make" ? null : lookOf(world, call, null);
  world.nextFault = () => fault;
  world.result = null;
  await agent.call(call);
  const result = world.result;
  if (toolOf(call.tool).family === "read") return undefined;
  const after = world.cells();
  const effect = effectOf(before, after);
  const what = `agent ${number} calls ${call.tool} ${JSON.stringify(call.args)}${fault.kind === "none" ? "" : ` (${fault.kind})`}`;
  const wrote = new Set(effect.keys());
  return {
    agent: number,
    what,
    effect,
    wrote,
    call,
    result,
    fault,
    thing: thingOf(call, result),
    before,
    after,
    looked,
    left: lookOf(world, call, result),
  };
}

/** What the look of a call shows now; null where nothing can be seen. */
export function lookOf(world: World, { tool, args }: Call, result: Json): Json {
  const { family, look } = toolOf(tool);
  if (look === undefined || (family === "make" && result === null)) return null;
  const read = look(args, result);
  try {
    return toolOf(read.tool).run(world, read.args);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Tells whether a deed is a changing call of an agent. */
export function isAgentDeed(deed: Deed): deed is AgentDeed {
  return deed.agent !== undefined;
}

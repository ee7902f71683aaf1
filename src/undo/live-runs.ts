// Which servers of an undo's runs are at work in a session that goes on? Those are reached through their proxy: a second process of a server that keeps
// its state in memory would show another world. Refuses a run whose agent is connected unless the person said that they know.
import type { Log } from "../core/log.ts";
import { SynartesisError } from "../errors.ts";
import { controlPlace } from "../journal/control-place.ts";
import type { Journal, ProcessIdentity, Run } from "../journal/journal.ts";
import { type LiveProxy, type LiveUpstream, openLiveProxy } from "../upstream/live/live-proxy.ts";

export interface LiveParts {
  readonly journal: Journal;
  readonly log: Log;
  /** Undo although a run's agent is connected. */
  readonly live: boolean;
  /** Nothing will be sent: the agent need not be kept waiting, and nobody has to know that it is there. */
  readonly looksOnly: boolean;
  /** Tells the person something that they should know of. */
  readonly note: (text: string) => void;
}

export interface LiveRuns {
  /** The server as the session of this run has it; undefined where there is none. One that ends meanwhile is not replaced: its proxy may still be ending it. */
  find(run: string, server: string): LiveUpstream | undefined;
  /** Lets the agents go on. */
  close(): void;
}

/**
 * Connects to the proxies of the runs whose agents are connected, and keeps their changing calls waiting.
 * @throws SynartesisError refused where an agent is connected and that wasn't expected
 */
export async function connectLive(parts: LiveParts, runs: readonly Run[]): Promise<LiveRuns> {
  const proxies = new Map<string, readonly LiveProxy[]>();
  const close = () => {
    for (const { close: letGo } of [...proxies.values()].flat()) letGo();
  };
  try {
    for (const run of runs) proxies.set(run.id, await connect(parts, run));
  } catch (error) {
    close();
    throw error;
  }
  return {
    find: (run, server) =>
      proxies
        .get(run)
        ?.flatMap(({ servers }) => servers)
        .find(({ name }) => name === server),
    close,
  };
}

async function connect(parts: LiveParts, run: Run): Promise<readonly LiveProxy[]> {
  const { journal } = parts;
  const { agents, held } = await connectedAgents(journal, run);
  const [first] = held;
  if (first === undefined) return [];
  const connected = `the agent of run ${first.agent} is still connected (process ${first.holder.pid})`;
  if (!parts.live && !parts.looksOnly)
    throw new SynartesisError("refused", connected, { hint: "end it first, or go through its own connection to the servers with --live" });
  if (agents.length > 1)
    throw new SynartesisError("refused", connected, { hint: "an undo of several runs can only be redone once their agents have gone" });
  const opened = await Promise.all(held.map(({ agent, holder }) => open(parts, agent, holder)));
  return opened.flat();
}

/** Gives the agents' runs that a run is about, and the processes that hold those: their agents are still connected. */
export async function connectedAgents(journal: Journal, run: Run) {
  const agents = await agentRunsOf(journal, run);
  const held: { readonly agent: string; readonly holder: ProcessIdentity }[] = [];
  for (const agent of agents) for (const holder of await journal.holders(agent)) held.push({ agent, holder });
  return { agents, held };
}

async function open({ journal, log, looksOnly, note }: LiveParts, agent: string, holder: ProcessIdentity): Promise<readonly LiveProxy[]> {
  const proxy = await openLiveProxy(controlPlace(journal.path, holder), agent, { holds: !looksOnly, log });
  if (proxy !== undefined) return [proxy];
  note(
    `synartesis: the proxy of run ${agent} (process ${holder.pid}) can't be reached, so its servers are started a second time: what one keeps only in memory isn't seen, and its agent can change things meanwhile`,
  );
  return [];
}

/** The agents' runs in which an undo's or a redo's actions were made at first. */
async function agentRunsOf(journal: Journal, run: Run): Promise<readonly string[]> {
  if (run.kind === "agent") return [run.id];
  if (run.undoes !== null) return agentRunsOf(journal, await journal.findRun(run.undoes));
  const found = new Set<string>();
  for (const { undoes } of await journal.actions(run.id)) if (undoes !== null) found.add((await journal.action(undoes)).run);
  return [...found];
}

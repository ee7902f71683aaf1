// How long does a call take, and how many fit into a second? Measured on running connections, one way after the other in each round, so
// that whatever else the machine does falls on all of them. Only times per call in microseconds come out.
import { Client, type Expected } from "./client.ts";
import { WAYS, type Way, type Ways } from "./setting.ts";
import { median, type Rounds } from "./statistics.ts";

/** One kind of call: `number` never repeats on a connection. */
export interface Load {
  readonly tool: string;
  readonly args: (number: number) => Readonly<Record<string, string>>;
  /** What the proxy answers; the others always do the call. */
  readonly throughProxy: Expected;
  /** Calls per round and way. */
  readonly calls: number;
}

/** Connections over the three ways, and how many calls each has carried. */
export interface Connections {
  readonly clients: Readonly<Record<Way, Client>>;
  calls: number;
}

/** Opens a connection over each way. */
export async function connect(ways: Ways): Promise<Connections> {
  const [direct, relay, proxy] = [await Client.start(ways.direct), await Client.start(ways.relay), await Client.start(ways.proxy)];
  return { clients: { direct, relay, proxy }, calls: 0 };
}

/** Closes them all. */
export async function disconnect({ clients }: Connections): Promise<void> {
  await Promise.all(WAYS.map((way) => clients[way].end()));
}

/** Gives the median time of a call with one in flight, per way and round. `eachRound` is called at the end of each, also of the first that only warms up. */
export function latencies(connections: Connections, load: Load, rounds: number, eachRound?: () => void): Promise<Rounds> {
  return inRounds(connections, load, rounds, eachRound, async (make, first) => {
    const times: number[] = [];
    for (let number = first; number < first + load.calls; number++) {
      const start = performance.now();
      await make(number);
      times.push((performance.now() - start) * 1000);
    }
    return median(times);
  });
}

/** Gives the time per call with `inFlight` of them under way at any moment, per way and round. */
export function paces(connections: Connections, load: Load, rounds: number, inFlight: number): Promise<Rounds> {
  return inRounds(connections, load, rounds, undefined, async (make, first) => {
    let next = first;
    const end = first + load.calls;
    const caller = async () => {
      while (next < end) await make(next++);
    };
    const start = performance.now();
    await Promise.all(Array.from({ length: inFlight }, caller));
    return ((performance.now() - start) * 1000) / load.calls;
  });
}

/** Gives the time from starting the process to its first list of tools, per way and round, in microseconds. */
export async function startUps(ways: Ways, rounds: number): Promise<Rounds> {
  return eachWay(rounds, async (way) => {
    const start = performance.now();
    const client = await Client.start(ways[way]);
    const time = (performance.now() - start) * 1000;
    await client.end();
    return time;
  });
}

type Make = (number: number) => Promise<void>;

async function inRounds(
  connections: Connections,
  load: Load,
  rounds: number,
  eachRound: (() => void) | undefined,
  measure: (make: Make, first: number) => Promise<number>,
): Promise<Rounds> {
  const makeOver =
    (way: Way): Make =>
    (number) =>
      connections.clients[way].call(load.tool, load.args(number), way === "proxy" ? load.throughProxy : "done");
  let first = connections.calls;
  // One round more, first, that only warms up what is measured.
  const times = await eachWay(rounds + 1, async (way) => {
    const time = await measure(makeOver(way), first);
    if (way !== "proxy") return time;
    first += load.calls;
    eachRound?.();
    return time;
  });
  connections.calls = first;
  return { direct: times.direct.slice(1), relay: times.relay.slice(1), proxy: times.proxy.slice(1) };
}

async function eachWay(rounds: number, measure: (way: Way) => Promise<number>): Promise<Rounds> {
  const times: Record<Way, number[]> = { direct: [], relay: [], proxy: [] };
  for (let round = 0; round < rounds; round++) {
    for (const way of WAYS) times[way].push(await measure(way));
  }
  return times;
}

// What does the proxy cost? One run that measures the same calls directly, through a bare relay and through the proxy, in turns, and prints
// ratios. Never a figure without the baseline of the same run: the machine may be doing anything else.
//   bun bench/run.ts [--quick] [--executable PATH]        (or: npm run bench)
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { CommitMeter, memoryOf, processorTimeOf } from "./machine.ts";
import { type Connections, connect, disconnect, type Load, latencies, paces, startUps } from "./measure.ts";
import { commitRow, headRow, memoryRow, processorRow, row } from "./report.ts";
import { makeSetting, ROOT, type Setting, type Way } from "./setting.ts";
import type { Rounds } from "./statistics.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, executable: { type: "string" } } });
const ROUNDS = values.quick ? 3 : 12;
const CALLS = values.quick ? 200 : 400;
const IN_FLIGHT = 32;
/** Commits measured beside each round, as many as the disk's mood needs to show. */
const COMMITS = 50;
const KEYS = 1000;

const read: Load = { tool: "get", args: (number) => ({ key: `k${number % KEYS}` }), throughProxy: "done", calls: CALLS };
const write: Load = {
  tool: "set",
  args: (number) => ({ key: `k${number % KEYS}`, value: `value ${number}` }),
  throughProxy: "done",
  calls: CALLS / 2,
};
const held: Load = { tool: "send", args: (number) => ({ to: `person ${number}` }), throughProxy: "held", calls: CALLS / 4 };

if (values.executable === undefined) {
  const ensured = Bun.spawnSync(["sh", "scripts/ensure.sh", "executable"], { cwd: ROOT, stdout: "inherit", stderr: "inherit" });
  if (!ensured.success) throw new Error("dist/synartesis could not be built");
}
using setting = await makeSetting(resolve(values.executable ?? join(ROOT, "dist", "synartesis")));
const meter = new CommitMeter(setting.folder);
try {
  console.log(headRow());
  await measureCalls(setting);
  console.log(row("start-up", await startUps(setting.ways("start-up"), ROUNDS), "ms"));
} finally {
  meter.close();
}

async function measureCalls(setting: Setting): Promise<void> {
  const connections = await connect(setting.ways("calls"));
  await withProcessorTime("read", connections, async () => {
    console.log(row("read, one in flight", await latencies(connections, read, ROUNDS), "µs"));
    const many = await paces(connections, { ...read, calls: CALLS * 4 }, ROUNDS, IN_FLIGHT);
    console.log(row(`read, ${IN_FLIGHT} in flight`, many, "calls/s"));
  });
  await measureChange("write", connections, write);
  await measureChange("held call", connections, held);
  console.log(
    memoryRow(
      connections.calls,
      ofEach((way) => memoryOf(connections.clients[way].pid)),
    ),
  );
  await disconnect(connections);
}

/** Measures what waits for the disk; the disk's own part, measured at the same time, is shown apart. */
async function measureChange(name: string, connections: Connections, load: Load): Promise<void> {
  await withProcessorTime(name, connections, async () => {
    const measured: number[] = [];
    const single = await latencies(connections, load, ROUNDS, () => measured.push(meter.measure(COMMITS)));
    const commits = measured.slice(1);
    console.log(row(`${name}, one in flight`, single, "µs"));
    console.log(commitRow(commits));
    console.log(row(`${name}, one in flight, without the commit`, without(single, commits), "µs"));
    const many = await paces(connections, { ...load, calls: load.calls * 2 }, ROUNDS, IN_FLIGHT);
    console.log(row(`${name}, ${IN_FLIGHT} in flight`, many, "calls/s"));
  });
}

async function withProcessorTime(name: string, connections: Connections, measure: () => Promise<void>): Promise<void> {
  const used = () => ofEach((way) => processorTimeOf(connections.clients[way].pid) ?? Number.NaN);
  const [before, calls] = [used(), connections.calls];
  await measure();
  const after = used();
  if (Number.isNaN(after.proxy)) return; // this system doesn't say
  console.log(
    processorRow(
      name,
      ofEach((way) => (after[way] - before[way]) / (connections.calls - calls)),
    ),
  );
}

function ofEach<T>(of: (way: Way) => T): Record<Way, T> {
  return { direct: of("direct"), relay: of("relay"), proxy: of("proxy") };
}

function without({ direct, relay, proxy }: Rounds, commits: readonly number[]): Rounds {
  return { direct, relay, proxy: proxy.map((time, round) => time - (commits[round] ?? Number.NaN)) };
}

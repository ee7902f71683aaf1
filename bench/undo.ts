// What does an undo cost beside the calls that it makes? Undoes a long run with the compiled executable, and sends the very same calls from a bare
// client to the same server, before and after. Prints ratios and the peak of memory; an undo that didn't put everything back counts for nothing.
//   bun bench/undo.ts [--quick] [--executable PATH]        (or: npm run bench:undo)
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Client, type Command } from "./client.ts";
import { CommitMeter, peakOf } from "./machine.ts";
import { undoHead, undoRow } from "./report.ts";
import { environment, ROOT } from "./setting.ts";
import { type Call, filesystem, keyValue, type Subject } from "./subjects.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, executable: { type: "string" } } });
const SIZES = values.quick ? [100] : [1000, 5000];
/** Agents make several calls at once; the run is only the preparation. */
const IN_FLIGHT = 16;
const COMMITS = 100;

if (values.executable === undefined) {
  const ensured = Bun.spawnSync(["sh", "scripts/ensure.sh", "executable"], { cwd: ROOT, stdout: "inherit", stderr: "inherit" });
  if (!ensured.success) throw new Error("dist/synartesis could not be built");
}
const executable = resolve(values.executable ?? join(ROOT, "dist", "synartesis"));
console.log(undoHead());
for (const subject of [keyValue, filesystem]) for (const size of SIZES) await measure(subject, size);

async function measure(subject: Subject, size: number): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-bench-")));
  try {
    mkdirSync(join(folder, "home"));
    const env = environment(join(folder, "home"));
    const command = (...words: string[]): Command => ({ words, cwd: folder, env });
    const world = join(folder, "world");
    subject.plant(folder, world);
    const run = subject.run(size, world);
    await perform(
      await Client.start(command(executable, "proxy")),
      run.map(({ call }) => call),
      IN_FLIGHT,
    );
    const meter = new CommitMeter(folder);
    const commit = meter.measure(COMMITS);
    const bare = async (name: string) => {
      const copy = join(folder, name);
      const calls = run.toReversed().flatMap(({ undo }) => undo);
      const moved = calls.map((call) => ({ ...call, args: relocated(call.args, world, copy) }));
      const start = performance.now();
      await perform(await Client.start(command(...subject.server(copy))), moved, 1);
      return performance.now() - start;
    };
    for (const copy of ["before", "after"]) cpSync(world, join(folder, copy), { recursive: true });
    const before = await bare("before");
    const undo = await undone(command(executable, "undo", "--yes"));
    const after = await bare("after");
    subject.check(world);
    console.log(undoRow({ name: subject.name, size, bare: [before, after], ...undo, commit: (commit + meter.measure(COMMITS)) / 2 }));
    meter.close();
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function perform(client: Client, calls: readonly Call[], inFlight: number): Promise<void> {
  let next = 0;
  const caller = async () => {
    for (let call = calls[next++]; call !== undefined; call = calls[next++]) await client.call(call.tool, call.args, call.expected);
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  await client.end();
}

function relocated(args: Call["args"], from: string, to: string): Call["args"] {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, value.startsWith(from) ? to + value.slice(from.length) : value]),
  );
}

/** Runs the undo; times in milliseconds, memory in MiB (undefined where the system doesn't say). @throws where it fails */
async function undone({ words, cwd, env }: Command): Promise<{ undo: number; processor: number; peak: number | undefined }> {
  const start = performance.now();
  const child = Bun.spawn([...words], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  let peak: number | undefined;
  const watch = setInterval(() => {
    peak = peakOf(child.pid) ?? peak;
  }, 20);
  const [text, code] = await Promise.all([child.stdout.text(), child.exited]);
  const undo = performance.now() - start;
  clearInterval(watch);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${text.slice(-2000)}`);
  return { undo, processor: Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1000, peak };
}

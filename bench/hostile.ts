// Does a client by HTTP feel what hostile ones do beside it? Prints the p95 of its calls alone and beside each kind of trouble, measured in
// turns, and the ratio. Never with trouble and measurement in one process: they would only wait for each other.
//   bun bench/hostile.ts [--quick] [--executable PATH]        (or: npm run bench:hostile)
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeSetting, ROOT } from "./setting.ts";
import { percentile, spreadOf } from "./statistics.ts";
import { KINDS, type Kind } from "./trouble.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, executable: { type: "string" } } });
const ROUNDS = values.quick ? 3 : 10;
const CALLS = values.quick ? 100 : 400;
const TOKEN = "a-token-for-the-benchmark";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", accept: "application/json, text/event-stream" };

if (values.executable === undefined) {
  const ensured = Bun.spawnSync(["sh", "scripts/ensure.sh", "executable"], { cwd: ROOT, stdout: "inherit", stderr: "inherit" });
  if (!ensured.success) throw new Error("dist/synartesis could not be built");
}
using setting = await makeSetting(resolve(values.executable ?? join(ROOT, "dist", "synartesis")));
const { words, cwd, env } = setting.ways("hostile").proxy;
const log = join(setting.folder, "log");
const proxy = Bun.spawn([...words, "--http", "0", "--max-sessions", "2"], {
  ...{ cwd, env: { ...env, SYNARTESIS_TOKEN: TOKEN } },
  ...{ stdin: "ignore", stdout: "ignore", stderr: Bun.file(log) },
});
try {
  const url = await address();
  const call = await begin(url);
  console.log("| beside | p95 alone | p95 beside it | ratio |\n|---|---|---|---|");
  for (const kind of Object.keys(KINDS) as Kind[]) await compare(kind, url, call); // its own keys
} finally {
  proxy.kill();
  await proxy.exited;
}

/** Waits until the proxy says where it listens. */
async function address(): Promise<string> {
  for (;;) {
    const found = /^listening on (\S+)$/m.exec(await Bun.file(log).text())?.[1];
    if (found !== undefined) return found;
    if (proxy.exitCode !== null) throw new Error(`the proxy ended (${proxy.exitCode}): ${await Bun.file(log).text()}`);
    await Bun.sleep(10);
  }
}

/** Begins a session; gives what makes one call of it, whose number never repeats. @throws where the answer isn't the value */
async function begin(url: string): Promise<(number: number) => Promise<void>> {
  const post = (message: object, headers = {}) =>
    fetch(url, { method: "POST", headers: { ...HEADERS, ...headers }, body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const begun = await post({ id: 0, method: "initialize", params });
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-11-25" };
  await begun.text();
  await (await post({ method: "notifications/initialized" }, session)).text();
  return async (number) => {
    const key = `k${number % 1000}`;
    const answer = await post({ id: number + 1, method: "tools/call", params: { name: "get", arguments: { key } } }, session);
    const text = await answer.text();
    if (!text.includes('"content"') || text.includes('"isError":true')) throw new Error(`get was not done (${answer.status}): ${text}`);
  };
}

async function compare(kind: Kind, url: string, call: (number: number) => Promise<void>): Promise<void> {
  const [alone, beside]: [number[], number[]] = [[], []];
  let number = 0;
  const p95 = async () => {
    const times: number[] = [];
    for (const end = number + CALLS; number < end; number++) {
      const start = performance.now();
      await call(number);
      times.push((performance.now() - start) * 1000);
    }
    return percentile(times, 95);
  };
  await p95(); // warms up
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await p95());
    const trouble = Bun.spawn([process.execPath, join(import.meta.dir, "trouble.ts"), kind, url, TOKEN], { stdin: "pipe", stdout: "pipe" });
    await trouble.stdout.getReader().read(); // it says when it is under way
    beside.push(await p95());
    trouble.kill();
    await trouble.exited;
  }
  const [before, after] = [spreadOf(alone), spreadOf(beside)];
  const shown = ({ median, min, max }: typeof before) => `${median.toFixed(0)} µs (${min.toFixed(0)} to ${max.toFixed(0)})`;
  console.log(`| ${KINDS[kind].name} | ${shown(before)} | ${shown(after)} | **${(after.median / before.median).toFixed(2)}** |`);
}

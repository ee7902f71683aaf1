// What does the conformance suite find at our fixtures, and is it found through the proxy too? First directly, then with the proxy in front, of
// the same fixture over stdio and by URL. A server's own failures stay as they are; a check that is lost, or fails anew, is a failure.
//   bun test/conformance/run.ts CACHE        (by run.sh, which installs the suites there)
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startListening } from "./listening.ts";
import { startRelay } from "./relay.ts";
import { type Findings, runSuite, type Suite } from "./suite.ts";

interface Leg extends Suite {
  readonly fixture: string;
  /** How many checks pass directly; fewer, and there is less to compare than there should be. */
  readonly direct: number;
}
const LEGS: readonly Leg[] = [
  { version: "0.1.16", words: ["--suite", "all"], fixture: "sdk1-server.ts", direct: 44 },
  { version: "0.2.0-alpha.12", words: ["--requirements", "2025-11-25"], fixture: "sdk1-server.ts", direct: 84 },
  { version: "0.2.0-alpha.12", words: ["--requirements", "2026-07-28"], fixture: "sdk2-server.ts", direct: 164 },
];

/**
 * Checks that pass directly and needn't be there through the proxy, each with the reason. They are excused from being there, not from failing; one
 * that does pass must go from here.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "server-sse-multiple-streams / server-sse-streams-functional / ServerSSEStreamsFunctional":
    "we answer a plain request by JSON, as a server may",
  "server-sse-polling / server-sse-priming-event / ServerSendsPrimingEvent": "the same: there is no stream to prime",
  "server-sse-polling / server-sse-retry-field / ServerSendsRetryField": "the same",
  "server-sse-polling / server-sse-disconnect-resume / ServerDisconnectResume":
    "the same; where the server closes its stream, we resume it",
};

const TOKEN = "conformance-token-0123456789";
const EXECUTABLE = join(import.meta.dir, "../../dist/synartesis");
const [cache = ""] = Bun.argv.slice(2);
const folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-conformance-")));
let passed = 0;
let failed = 0;

try {
  for (const leg of LEGS) await compare(leg);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

async function compare(leg: Leg): Promise<void> {
  const name = `${leg.version} ${leg.words.join(" ")}`;
  const command = [process.execPath, join(import.meta.dir, leg.fixture)];
  await using fixture = await startListening([...command, "--http"]);
  const direct = await runSuite(cache, folder, leg, fixture.url);
  const total = sum(direct.passed);
  say(total >= leg.direct, `${name}, directly: ${total} checks pass, ${sum(direct.failed)} don't`, `of ${leg.direct} that should pass`);
  const ways = { stdio: { command: command[0], args: command.slice(1) }, url: { url: fixture.url } };
  for (const [way, server] of Object.entries(ways)) {
    const through = await throughProxy(leg, server);
    judge(`${name}, ${way}`, direct, through);
  }
}

/** Runs the suite with the proxy in front of a server. Every call is recorded as a change, and none held. */
async function throughProxy(leg: Leg, server: object): Promise<Findings> {
  const cwd = mkdtempSync(join(folder, "proxy-"));
  const home = join(cwd, "home");
  mkdirSync(home);
  const tools = [{ match: "fixture.*", class: "irreversible", gate: "never" }];
  writeFileSync(join(cwd, "synartesis.yaml"), JSON.stringify({ version: 1, servers: { fixture: server }, tools }));
  const env = { HOME: home, PATH: process.env["PATH"] ?? "", SYNARTESIS_TOKEN: TOKEN, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  await using proxy = await startListening([EXECUTABLE, "proxy", "--http", "0", "--server", "fixture"], { cwd, env });
  using relay = startRelay(proxy.url, TOKEN);
  return await runSuite(cache, folder, leg, relay.url);
}

function judge(name: string, direct: Findings, through: Findings): void {
  let same = 0;
  for (const [check, times] of direct.passed) {
    const found = Math.min(times, through.passed.get(check) ?? 0);
    const excepted = Object.hasOwn(EXCEPTIONS, check);
    same += found;
    if (excepted && found === times) say(false, `${name}: ${check}`, "passes, so it is no exception any more");
    if (!excepted && found < times) say(false, `${name}: ${check}`, `is lost, ${found} of ${times} are left`);
  }
  for (const [check, times] of through.failed) {
    const before = direct.failed.get(check) ?? 0;
    if (times > before && (!direct.passed.has(check) || Object.hasOwn(EXCEPTIONS, check))) say(false, `${name}: ${check}`, "fails anew");
  }
  passed += same;
  const more = sum(through.passed) - same;
  console.log(`${name}: ${same} checks pass as they do directly, ${more} more than that`);
}

function say(holds: boolean, what: string, trouble: string): void {
  if (holds) passed += 1;
  else failed += 1;
  console.log(holds ? what : `failed: ${what}: ${trouble}`);
}

function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((before, count) => before + count, 0);
}

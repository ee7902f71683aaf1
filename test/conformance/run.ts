// What does the conformance suite find directly, and is all of it found through the proxy too? At our fixtures, with the proxy before the same
// fixture over stdio and by URL; and at a client of ours, to which the suite itself is the server. A server's own failures stay as they are; a
// check that is lost, or fails anew, is a failure.
//   bun test/conformance/run.ts CACHE        (by run.sh, which installs the suites there)
import { join } from "node:path";
import { startListening } from "./listening.ts";
import { makeProxied } from "./proxied.ts";
import { startRelay } from "./relay.ts";
import { type Findings, runSuite, sum } from "./suite.ts";

const OLD = "0.1.16";
const NEW = "0.2.0-alpha.12";
const TOKEN = "conformance-token-0123456789";

/** `direct`: how many checks pass directly; with fewer, there would be less to compare than there should be. */
const SERVERS = [
  { release: OLD, words: ["--suite", "all"], fixture: "sdk1-server.ts", direct: 44 },
  { release: NEW, words: ["--requirements", "2025-11-25"], fixture: "sdk1-server.ts", direct: 84 },
  { release: NEW, words: ["--requirements", "2026-07-28"], fixture: "sdk2-server.ts", direct: 164 },
];
/** What is to a client's transport, and so to us where a server is reached by URL; logins have tests of their own. */
const CLIENTS = [
  { version: "2025-11-25", scenario: "tools_call", direct: 2 },
  { version: "2025-11-25", scenario: "elicitation-sep1034-client-defaults", direct: 5 },
  { version: "2025-11-25", scenario: "sse-retry", direct: 3 },
  { version: "2025-11-25", scenario: "json-schema-2020-12-preservation", direct: 9 },
  { version: "2026-07-28", scenario: "tools_call", direct: 2 },
  { version: "2026-07-28", scenario: "request-metadata", direct: 8 },
  { version: "2026-07-28", scenario: "sep-2322-client-request-state", direct: 5 },
  { version: "2026-07-28", scenario: "http-standard-headers", direct: 9 },
  { version: "2026-07-28", scenario: "http-custom-headers", direct: 18 },
  { version: "2026-07-28", scenario: "http-invalid-tool-headers", direct: 12 },
  { version: "2026-07-28", scenario: "json-schema-ref-no-deref", direct: 1 },
  { version: "2026-07-28", scenario: "json-schema-2020-12-preservation", direct: 9 },
];

/**
 * Checks that pass directly and needn't be there through the proxy in one way, each with the reason. They are excused from being there, not from
 * failing; one that does pass must go from here.
 */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stdio: {
    "server-sse-polling / server-sse-disconnect-resume / ServerDisconnectResume":
      "over stdio no server can close a stream, and one that we closed by ourselves would take the answer from clients that don't come back for it",
  },
};

const [cache = ""] = Bun.argv.slice(2);
let passed = 0;
let failed = 0;
for (const leg of SERVERS) await compareServer(leg);
for (const leg of CLIENTS) await compareClient(leg);
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

async function compareServer({ release, words, fixture, direct }: (typeof SERVERS)[number]): Promise<void> {
  const name = `${release} ${words.join(" ")}`;
  const suite = (url: string) => runSuite(join(cache, release), ["server", "--url", url, ...words]);
  const [command, ...args] = [process.execPath, join(import.meta.dir, fixture)];
  await using server = await startListening([command, ...args, "--http"]);
  const through = (entry: object) => async () => {
    using proxied = makeProxied(entry);
    const env = { ...proxied.options.env, SYNARTESIS_TOKEN: TOKEN };
    await using proxy = await startListening([...proxied.words, "--http", "0"], { ...proxied.options, env });
    using relay = startRelay(proxy.url, TOKEN);
    return await suite(relay.url);
  };
  const ways = { stdio: through({ command, args }), url: through({ url: server.url }) };
  await compare(name, direct, () => suite(server.url), ways);
}

async function compareClient({ version, scenario, direct }: (typeof CLIENTS)[number]): Promise<void> {
  const suite = (...options: string[]) => {
    const command = [process.execPath, join(import.meta.dir, "suite-client.ts"), ...options].join(" ");
    return runSuite(join(cache, NEW), ["client", "--command", command, "--scenario", scenario, "--spec-version", version]);
  };
  await compare(`${NEW} client ${version} ${scenario}`, direct, () => suite(), { url: () => suite("--proxy") });
}

type Run = () => Promise<Findings>;

async function compare(name: string, expected: number, directly: Run, ways: Readonly<Record<string, Run>>): Promise<void> {
  const tooFew = ({ passed }: Findings) => (sum(passed) < expected ? [`only ${sum(passed)} of ${expected} checks pass`] : []);
  const direct = await attempt(`${name}, directly`, directly, tooFew);
  for (const [way, run] of Object.entries(ways)) {
    const through = await attempt(`${name}, ${way}`, run, (found) => losses(direct, found, EXCEPTIONS[way] ?? {}));
    for (const [check, times] of direct.passed) passed += Math.min(times, through.passed.get(check) ?? 0);
  }
}

/** Runs it and counts its troubles. The suite waits for some things only half a second: against a busy machine there is a second try, which is named. */
async function attempt(name: string, run: Run, troublesOf: (found: Findings) => readonly string[]): Promise<Findings> {
  let found = await run();
  const first = troublesOf(found);
  if (first.length > 0) {
    console.log(`tried again: ${name}: ${first.join("; ")}`);
    found = await run();
  }
  const troubles = first.length === 0 ? [] : troublesOf(found);
  for (const trouble of troubles) console.log(`failed: ${name}: ${trouble}`);
  failed += troubles.length;
  console.log(`${name}: ${sum(found.passed)} checks pass, ${sum(found.failed)} don't`);
  return found;
}

/** What passed directly and doesn't through the proxy, and what fails there only. */
function losses(direct: Findings, through: Findings, excused: Readonly<Record<string, string>>): readonly string[] {
  const lost = [...direct.passed].flatMap(([check, times]) => {
    const found = through.passed.get(check) ?? 0;
    if (Object.hasOwn(excused, check)) return found < times ? [] : [`${check} passes, so it is no exception any more`];
    return found < times ? [`${check} is lost, ${found} of ${times} are left`] : [];
  });
  const isNew = ([check, times]: [string, number]) =>
    times > (direct.failed.get(check) ?? 0) && (!direct.passed.has(check) || Object.hasOwn(excused, check));
  return [...lost, ...[...through.failed].filter(isNew).map(([check]) => `${check} fails, and didn't before`)];
}

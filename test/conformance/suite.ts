// What does the conformance suite find at a URL? Its checks by scenario, as it wrote them down.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** One release of the suite, and what it is told to check. */
export interface Suite {
  readonly version: string;
  readonly words: readonly string[];
}

/** How often each check ended well or badly, by `scenario / check / name`. */
export interface Findings {
  readonly passed: ReadonlyMap<string, number>;
  readonly failed: ReadonlyMap<string, number>;
}

interface Check {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** Runs it to its end. `cache` has the installed releases, `folder` takes what it writes. @throws where it wrote nothing */
export async function runSuite(cache: string, folder: string, { version, words }: Suite, url: string): Promise<Findings> {
  const output = mkdtempSync(join(folder, "findings-"));
  const entry = join(cache, version, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const child = Bun.spawn([process.execPath, entry, "server", "--url", url, ...words, "--output-dir", output], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  const findings = { passed: new Map<string, number>(), failed: new Map<string, number>() };
  for (const name of readdirSync(output)) {
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    // Written by the suite, whose format both releases share.
    for (const check of JSON.parse(readFileSync(join(output, name, "checks.json"), "utf8")) as Check[]) {
      const counts = { SUCCESS: findings.passed, FAILURE: findings.failed, WARNING: findings.failed }[check.status];
      const key = `${scenario} / ${check.id} / ${check.name}`;
      counts?.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  rmSync(output, { recursive: true });
  if (findings.passed.size === 0) throw new Error(`the suite ${version} found nothing at ${url}:\n${out}${err}`);
  return findings;
}

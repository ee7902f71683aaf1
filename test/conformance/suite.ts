// What does the conformance suite find? Its checks by scenario, as it wrote them down.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

/** Runs the release that is installed in `folder` to its end, with these words on its command line. @throws where it wrote nothing */
export async function runSuite(folder: string, words: readonly string[]): Promise<Findings> {
  const output = mkdtempSync(join(tmpdir(), "synartesis-conformance-"));
  try {
    const entry = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
    const child = Bun.spawn([process.execPath, entry, ...words, "--output-dir", output], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    const findings = readFindings(output);
    if (findings.passed.size + findings.failed.size === 0) throw new Error(`nothing was found by ${words.join(" ")}:\n${out}${err}`);
    return findings;
  } finally {
    rmSync(output, { recursive: true });
  }
}

function readFindings(output: string): Findings {
  const passed = new Map<string, number>();
  const failed = new Map<string, number>();
  for (const name of readdirSync(output)) {
    const scenario = name.replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    // Written by the suite, whose releases share this much of the format.
    for (const check of JSON.parse(readFileSync(join(output, name, "checks.json"), "utf8")) as Check[]) {
      const counts = { SUCCESS: passed, FAILURE: failed, WARNING: failed }[check.status];
      const key = `${scenario} / ${check.id} / ${check.name}`;
      counts?.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return { passed, failed };
}

/** Counts all of them. */
export function sum(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((before, count) => before + count, 0);
}

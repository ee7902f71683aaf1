// How many tests passed and failed? Read from the reports that `bun test` wrote into a folder, NAME.xml, each with the exit code it ended
// with, NAME.status. A run that broke off, or has nothing to count, is a failure. Skipped tests are named, never silent.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [folder = ""] = Bun.argv.slice(2);
let passed = 0;
let failed = 0;
const skipped: string[] = [];

for (const name of readdirSync(folder)) {
  if (!name.endsWith(".status")) continue;
  const status = readFileSync(join(folder, name), "utf8").trim();
  const report = Bun.file(join(folder, name.replace(/status$/, "xml")));
  const xml = (await report.exists()) ? await report.text() : "";
  const [sums = ""] = /<testsuites\b[^>]*>/.exec(xml) ?? [];
  const count = (what: string) => Number(new RegExp(`\\b${what}="(\\d+)"`).exec(sums)?.[1] ?? 0);
  const ran = count("tests") - count("skipped");
  passed += ran - count("failures");
  failed += count("failures");
  // A file that can't be loaded, or an error between tests, is no test and so isn't counted in the report.
  if (ran === 0 || (status !== "0" && count("failures") === 0)) failed += 1;
  for (const [, test] of xml.matchAll(/<testcase\b[^>]*?\bname="([^"]*)"[^>]*>\s*<skipped/g)) skipped.push(test ?? "");
}

if (skipped.length > 0) console.log(`${skipped.length} skipped: ${skipped.join("; ")}`);
if (passed + failed === 0) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

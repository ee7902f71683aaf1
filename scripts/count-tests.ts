// How many tests passed and failed? Read from the report that `bun test` wrote, with the exit code it ended with:
// count-tests.ts REPORT STATUS. A run that broke off, or has nothing to count, is a failure. Skipped tests are named, never silent.
const [report = "", status = ""] = Bun.argv.slice(2);

const file = Bun.file(report);
const xml = (await file.exists()) ? await file.text() : "";
const [sums = ""] = /<testsuites\b[^>]*>/.exec(xml) ?? [];
const count = (name: string) => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(sums)?.[1] ?? 0);

const skipped = count("skipped");
const passed = count("tests") - count("failures") - skipped;
let failed = count("failures");
if (passed + failed === 0) failed += 1;
// A file that can't be loaded, or an error between tests, is no test and so isn't counted in the report.
else if (status !== "0" && failed === 0) failed += 1;

if (skipped > 0) {
  const names = [...xml.matchAll(/<testcase\b[^>]*?\bname="([^"]*)"[^>]*>\s*<skipped/g)].map(([, name]) => name);
  console.log(`${skipped} skipped: ${names.join("; ")}`);
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

export {};

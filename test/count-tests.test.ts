// Does the end of a log tell which tests failed, and which needed another try? In a copy of test/run.sh with tests of its own.
import { expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** Runs all tests of a project that has only these, and gives how it ends, without the places in the files. */
function runTests(files: Readonly<Record<string, string>>): { readonly code: number; readonly end: string } {
  const copy = mkdtempSync(join(tmpdir(), "synartesis-test-"));
  try {
    for (const file of ["test/run.sh", "scripts/count-tests.ts"]) cpSync(join(ROOT, file), join(copy, file));
    writeFileSync(join(copy, "scripts/ensure.sh"), "");
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    mkdirSync(join(copy, "test/journal"));
    const all = { "journal/quiet.test.ts": 'test("is quiet", () => {});', ...files };
    for (const [name, code] of Object.entries(all)) writeFileSync(join(copy, "test", name), HEAD + code);
    const { exitCode, stdout } = Bun.spawnSync(["sh", "test/run.sh"], { cwd: copy, stderr: "ignore" });
    return { code: exitCode, end: stdout.toString().split("what the tests showed:\n")[1] ?? stdout.toString() };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

const HEAD = `import { describe, expect, test } from "bun:test"; import { appendFileSync, readFileSync } from "node:fs";
const nth = (name: string) => { appendFileSync(name, "x"); return readFileSync(name).length; };
`;

test("the end names each test that failed, with its place and how it failed", () => {
  const { code, end } = runTests({
    "wrong.test.ts":
      'describe("a <list>", () => { test("is one & all", () => { expect([1]).toEqual([2]); }); test("is there", () => {}); });',
    "slow.test.ts": 'test("never ends", async () => { await new Promise(() => {}); }, 50);',
    "broken.test.ts": 'test("isn\'t reached", () => {}); throw new Error("can\'t be loaded");',
    "killed.test.ts": 'test("is killed", () => { process.kill(process.pid, "SIGKILL"); });',
  });
  expect(code).toBe(1);
  expect(end).toMatch(
    /^ {4}test\/wrong\.test\.ts:3: a <list> > is one & all\n {8}AssertionError: expect\(received\)\.toEqual\(expected\)\n/m,
  );
  expect(end).toContain("    test/slow.test.ts:3: never ends\n        test timed out\n");
  expect(end).toContain("    test/broken.test.ts: an error outside of its tests\n");
  expect(end).toContain("    test/killed.test.ts: (worker crashed)\n");
  expect(end).toEndWith("\n2 passed, 4 failed\n");
});

test("what passes at the second try, or when its file is run again alone, counts as passed and is named", () => {
  const { code, end } = runTests({
    "once.test.ts": 'test("needs two tries", () => { expect(nth("once")).toBe(2); });',
    "twice.test.ts": 'test("needs to be alone", () => { expect(nth("twice")).toBe(3); }); test("is well", () => {});',
    "load.test.ts": 'if (nth("load") === 1) throw new Error("not yet"); test("is there at last", () => {});',
  });
  expect(end.split("\n").toSorted()).toEqual(
    [
      "  passed at the second try: 1",
      "    test/once.test.ts: needs two tries",
      "  passed when run again alone: 2",
      "    test/twice.test.ts: needs to be alone",
      "    test/load.test.ts: an error outside of its tests",
      "5 passed, 0 failed",
      "",
    ].toSorted(),
  );
  expect(code).toBe(0);
});

test("where many files fail, none is run again", () => {
  const files = Object.fromEntries(
    Array.from({ length: 7 }, (_, at) => [`f${at}.test.ts`, `test("fails", () => { expect(nth("f${at}")).toBe(3); });`]),
  );
  const { code, end } = runTests(files);
  expect(end).toContain("  failed: 7\n");
  expect(end).toEndWith("\n1 passed, 7 failed\n");
  expect(code).toBe(1);
});

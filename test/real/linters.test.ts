// Are the shell scripts and the workflows as shellcheck and actionlint want them? Many machines have neither, so what these find is easily overlooked.
import { expect } from "bun:test";
import { dirname, join } from "node:path";
import { testUnless } from "../support/needing.ts";
import { ROOT } from "../support/sandbox.ts";
import { installed } from "./installed.ts";

const SHELLCHECK = installed("shellcheck", "shellcheck/bin/shellcheck");
const ACTIONLINT = installed("actionlint", "actionlint/actionlint");

function found(program: string, ...words: string[]): string {
  const env = { PATH: `${dirname(SHELLCHECK.path)}:${process.env["PATH"]}` };
  const ended = Bun.spawnSync([program, ...words], { cwd: ROOT, env, stderr: "pipe" });
  return `${ended.stdout}${ended.stderr}`;
}

testUnless(SHELLCHECK.lacks, "shellcheck finds nothing in any script, and would find something", () => {
  const scripts = [...new Bun.Glob("**/*.sh").scanSync(ROOT)].filter((path) => !/^(node_modules|dist)\//.test(path));
  expect(scripts).toContain("install.sh");
  expect(found(SHELLCHECK.path, ".ci/run", ...scripts)).toBe("");
  expect(found(SHELLCHECK.path, join(ROOT, "src/main.ts"))).toContain("SC");
});

testUnless(ACTIONLINT.lacks ?? SHELLCHECK.lacks, "actionlint finds nothing in the workflows", () => {
  expect(found(ACTIONLINT.path)).toBe("");
  expect(found(ACTIONLINT.path, "package.json")).not.toBe("");
});

// Do the demos clean up after themselves? That they say what is so they check themselves, each time they run.
import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

/** Starts a demo with a home and a place for temporary files of its own. */
function play(sandbox: Sandbox, name: string) {
  const temporary = join(sandbox.folder, "tmp");
  mkdirSync(temporary);
  // What is missing was installed before the tests; a test that did it would pull the rug from under the others.
  chmodSync(sandbox.write("bin/npm", "#!/bin/sh\necho 'a test must not install anything' >&2\nexit 1\n"), 0o755);
  const env = { ...sandbox.env, TMPDIR: temporary, PATH: `${join(sandbox.folder, "bin")}${delimiter}${sandbox.env["PATH"]}` };
  const child = Bun.spawn(["sh", join(ROOT, "demo", name)], { env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  return { child, left: () => [...readdirSync(temporary), ...readdirSync(sandbox.env["HOME"] ?? "")] };
}

test("a demo that runs to its end passes its own checks and leaves no trace", async () => {
  using sandbox = makeSandbox();
  const { child, left } = play(sandbox, "memory.sh");
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([await child.exited, err]).toEqual([0, ""]);
  expect(out).toContain("checked: the graph is as it was");
  expect(left()).toEqual([]);
});

test("a demo that is stopped in the middle says so by its exit code and leaves no trace", async () => {
  using sandbox = makeSandbox();
  const { child, left } = play(sandbox, "run.sh");
  let output = "";
  let stopped = false;
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    output += decoder.decode(bytes, { stream: true });
    if (stopped || !output.includes("$ synartesis show")) continue;
    child.kill("SIGTERM");
    stopped = true;
  }
  expect(await child.exited).toBe(143);
  expect(output).not.toContain("All of it was as it says");
  expect(left()).toEqual([]);
});

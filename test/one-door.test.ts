import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "..");
let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "synartesis-test-"));
  cpSync(join(ROOT, "src"), join(copy, "src"), { recursive: true });
});
afterEach(() => rmSync(copy, { recursive: true }));

function check(): { exit: number; report: string } {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, join(ROOT, "scripts/check-one-door.ts"), copy]);
  return { exit: exitCode, report: stderr.toString() };
}

function plant(file: string, code: string): void {
  mkdirSync(dirname(join(copy, file)), { recursive: true });
  writeFileSync(join(copy, file), code);
}

test("P2: nothing but the recorder sends a tools/call", () => {
  expect(check()).toEqual({ exit: 0, report: "" });
});

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the planted code has templates
const WAYS: Record<string, string> = {
  "a static import": 'import { sendCall } from "../upstream/send-call.ts";\nawait sendCall(u, {});',
  "a dynamic import": 'const { sendCall } = await import("../upstream/send-call.ts");\nawait sendCall(u, {});',
  "a computed import": 'const name = "send-" + process.argv[2];\nawait import(`../upstream/${name}.ts`);',
  "a re-export": 'export * from "../upstream/send-call.ts";',
  "a named re-export": 'export { sendCall } from "../upstream/send-call.ts";',
  "a require": 'const { sendCall } = require("../upstream/send-call.ts");\nsendCall(u, {});',
  "the door behind it": 'import { doorOf } from "../upstream/door.ts";\nawait doorOf(u).request("x", {}, {});',
  "a string": 'const m = "tools/call";\nexport { m };',
  "a string inside JSON": 'export const line = \'{"jsonrpc":"2.0","method":"tools/call"}\';',
  "a template": "const part = Math.random() > 2 ? 1 : 2;\nexport const m = `tools/call${part}`;",
  "a template with a hole": "const part = process.argv[2];\nexport const m = `${'tools/'}${part}`;",
  "a concatenation": 'export const m = "tools/" + "call";',
  "a concatenation over a constant": 'const a = "tools";\nexport const m = a + "/call";',
  "an escape": 'export const m = "tools\\u002fcall";',
  "a join": 'export const m = ["tools", "call"].join("/");',
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the planted code has templates

test.each(Object.entries(WAYS))("P2: %s in the proxy is found, with its place", (_way, code) => {
  plant("src/proxy/sneak.ts", `// Nothing to see here.\n${code}\n`);
  const { exit, report } = check();
  expect(exit).toBe(1);
  expect(report).toMatch(/^src\/proxy\/sneak\.ts:[23]: /);
});

test("the recorder may import the door, and anybody may speak of it in a comment", () => {
  plant("src/recorder/other.ts", 'import { sendCall } from "../upstream/send-call.ts";\nexport const send = sendCall;\n');
  plant("src/proxy/harmless.ts", '// A "tools/call" goes through the recorder.\nexport const list = "tools/list";\n');
  expect(check()).toEqual({ exit: 0, report: "" });
});

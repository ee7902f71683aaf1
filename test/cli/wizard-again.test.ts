// Does `init NAME` ask again about the tools that were left for later, and change their rules alone?
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emulateTerminal } from "../support/emulator.ts";
import { BUN, EXECUTABLE, ROOT } from "../support/sandbox.ts";
import { answer, type Desk, DOWN, desk, ENTER, ended, TOOLS } from "../support/wizard-desk.ts";

setDefaultTimeout(60_000);

const AGAIN = 'init pages; echo "ended with $?"; stty -a';

async function written(at: Desk): Promise<void> {
  await using terminal = at.open({ words: "--yes" });
  await ended(terminal, 0);
}

test("what was left for later is asked about again, and its rule alone becomes another", async () => {
  using at = desk(TOOLS);
  await written(at);
  writeFileSync(at.manifest, `# my own words\n${readFileSync(at.manifest, "utf8")}`);
  const before = readFileSync(at.manifest, "utf8");
  await using first = emulateTerminal(at.sandbox, `"$0" ${AGAIN}`, EXECUTABLE);
  await answer(first, "pages (1 of 2): update_page", ENTER);
  await answer(first, "pages (2 of 2): frobnicate", DOWN + ENTER);
  await answer(first, "Write this?", ENTER);
  expect(await ended(first, 0)).toContain("pages: 1 rule changed; 1 rule still with a TODO: frobnicate");
  const text = readFileSync(at.manifest, "utf8");
  expect(text).toMatch(/match: "pages.update_page"\n *# [^A].*\n *# A guess: .*\n *class: reversible\n/);
  const start = before.indexOf('  - match: "pages.update_page"');
  const end = before.indexOf('  - match: "pages.frobnicate"');
  expect(text.slice(0, start)).toBe(before.slice(0, start));
  expect(text.slice(text.indexOf('  - match: "pages.frobnicate"'))).toBe(before.slice(end));
  await using second = emulateTerminal(at.sandbox, `"$0" ${AGAIN}`, EXECUTABLE);
  await answer(second, "pages (1 of 1): frobnicate", DOWN + ENTER);
  expect(await ended(second, 0)).toContain("pages: 0 rules changed");
  expect(readFileSync(at.manifest, "utf8")).toBe(text);
});

test("an option decides about a tool that was left for later; of one that somebody decided about it says where", async () => {
  using at = desk(TOOLS);
  await written(at);
  const done = await at.sandbox.run("init", "pages", "--rule", "update_page=accept", "--rule", "pages.frobnicate=gate");
  expect([done.code, done.out]).toEqual([0, expect.stringContaining("pages: 2 rules changed")]);
  const text = readFileSync(at.manifest, "utf8");
  expect(text).toContain("class: reversible");
  expect(text).not.toContain("TODO");
  const again = await at.sandbox.run("init", "pages", "--rule", "update_page=gate");
  expect([again.code, again.err]).toEqual([2, expect.stringContaining(`edit its rule in ${at.manifest}`)]);
  const nothing = await at.sandbox.run("init", "pages", "--json");
  expect(JSON.parse(nothing.out)).toEqual({ manifest: at.manifest, server: "pages", settled: [], open: [] });
  expect(readFileSync(at.manifest, "utf8")).toBe(text);
});

test("a server that its client starts is asked about likewise, whether it is wrapped or not", async () => {
  using at = desk(TOOLS);
  const client = at.sandbox.write(
    "home/.cursor/mcp.json",
    JSON.stringify({
      mcpServers: { pages: { command: BUN, args: [join(ROOT, "test/support/listed-server.ts"), join(at.sandbox.folder, "tools.json")] } },
    }),
  );
  mkdirSync(dirname(at.manifest), { recursive: true });
  expect((await at.sandbox.run("init", "--yes")).code).toBe(0);
  expect(readFileSync(client, "utf8")).toContain('"--server"');
  expect(readFileSync(at.manifest, "utf8")).toContain("via:");
  const done = await at.sandbox.run("init", "pages", "--rule", "update_page=accept");
  expect([done.code, done.out]).toEqual([0, expect.stringContaining("pages: 1 rule changed; 1 rule still with a TODO: frobnicate")]);
});

test("a server that doesn't start is told of, and a name that the manifest has says how its tools are decided about", async () => {
  using at = desk(TOOLS);
  await written(at);
  const taken = await at.sandbox.run("init", "pages", "--", "true");
  expect([taken.code, taken.err]).toEqual([2, expect.stringContaining("init pages asks again about its tools")]);
  const before = readFileSync(at.manifest, "utf8");
  at.sandbox.write("tools.json", "gone");
  const failed = await at.sandbox.run("init", "pages", "--rule", "update_page=accept");
  expect([failed.code, failed.err]).toEqual([2, expect.stringContaining("can't be listed")]);
  expect(readFileSync(at.manifest, "utf8")).toBe(before);
  expect(existsSync(at.progress)).toBe(false);
});

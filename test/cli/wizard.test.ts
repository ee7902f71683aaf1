// Does a person come through the wizard with the keyboard alone, and out of it at any question with everything as it was?
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/documents.ts";
import type { EmulatedTerminal } from "../support/emulator.ts";
import { BUN, ROOT } from "../support/sandbox.ts";
import { answer, CTRL_C, DOWN, desk, ENTER, ESCAPE, ended, id, page, READ, TOOLS } from "../support/wizard-desk.ts";

setDefaultTimeout(60_000);

test("a person accepts a suggestion, leaves another tool held, sees the manifest, and has it written", async () => {
  using at = desk(TOOLS);
  await using terminal = at.open();
  await answer(terminal, "pages (1 of 2): update_page", ENTER);
  await answer(terminal, "pages (2 of 2): frobnicate", ENTER);
  await answer(terminal, "Write this?", ENTER);
  const text = await ended(terminal, 0);
  expect(text).toContain('undo sends: update_page {"id":"sample-1","title":"$snapshot.title"}');
  expect(text).toContain('+   - match: "pages.update_page"');
  const manifest = readFileSync(at.manifest, "utf8");
  expect(manifest).toMatch(/match: "pages.update_page"\n(?: *#.*\n)* *class: reversible/);
  expect(manifest).toMatch(/match: "pages.frobnicate"\n(?: *#.*\n)* *class: irreversible\n *gate: always/);
  expect(existsSync(at.progress)).toBe(false);
});

const QUESTIONS = ["update_page", "frobnicate", "Write this?"];
for (const [stop, question] of QUESTIONS.entries()) {
  test(`P5: Ctrl-C at "${question}" leaves everything as it was, and the next time it goes on from there`, async () => {
    using at = desk(TOOLS);
    await using terminal = at.open();
    for (const before of QUESTIONS.slice(0, stop)) await answer(terminal, before, ENTER);
    await answer(terminal, question, CTRL_C);
    expect(await ended(terminal, 130)).toContain("nothing was changed");
    expect(existsSync(at.manifest)).toBe(false);
    expect(existsSync(at.progress)).toBe(stop > 0);
    await using again = at.open();
    if (stop > 0) {
      expect(statSync(at.progress).mode & 0o777).toBe(0o600);
      await answer(again, "You stopped here before", ENTER);
    }
    for (const next of QUESTIONS.slice(stop)) await answer(again, next, ENTER);
    await ended(again, 0);
    expect(readFileSync(at.manifest, "utf8")).toContain("class: reversible");
    expect(existsSync(at.progress)).toBe(false);
  });
}

test("Escape goes back to the question before, and another answer counts", async () => {
  using at = desk(TOOLS);
  await using terminal = at.open();
  await answer(terminal, "update_page", ENTER);
  await answer(terminal, "frobnicate", ESCAPE);
  await answer(terminal, "update_page", DOWN.repeat(3) + ENTER);
  await answer(terminal, "frobnicate", ENTER);
  await answer(terminal, "Write this?", ESCAPE);
  await answer(terminal, "frobnicate", ENTER);
  await answer(terminal, "Write this?", ENTER);
  await ended(terminal, 0);
  expect(readFileSync(at.manifest, "utf8")).toMatch(/"pages.update_page"\n *class: irreversible\n *gate: always/);
});

test("answers about tools that are others by now aren't used again", async () => {
  using at = desk(TOOLS);
  await using first = at.open();
  await answer(first, "update_page", ENTER);
  await answer(first, "frobnicate", CTRL_C);
  await ended(first, 130);
  at.setTools([...TOOLS, { name: "delete_page", inputSchema: id }]);
  await using second = at.open();
  await answer(second, "You stopped here before", ENTER);
  await answer(second, "pages (1 of 3): update_page", CTRL_C);
  await ended(second, 130);
});

test("P3: a manifest that somebody edits meanwhile keeps the edit, and is shown anew before it is written", async () => {
  using at = desk(TOOLS);
  const manifest = at.sandbox.write("home/.synartesis/synartesis.yaml", 'version: 1\nservers:\n  other:\n    command: "true"\ntools: []\n');
  await using terminal = at.open();
  await answer(terminal, "update_page", ENTER);
  await answer(terminal, "frobnicate", ENTER);
  await until("it asks", () => terminal.text().includes("Write this?"));
  writeFileSync(manifest, `# my own words\n${readFileSync(manifest, "utf8")}`);
  await answer(terminal, "Write this?", ENTER);
  await until("it says so", () => terminal.text().includes("was changed meanwhile"));
  await answer(terminal, "Write this?", ENTER);
  await ended(terminal, 0);
  const text = readFileSync(manifest, "utf8");
  expect(text).toContain("# my own words");
  expect(text).toContain("pages.update_page");
});

test("a server that doesn't start is told of with what it said last, and can be tried again", async () => {
  using at = desk(undefined);
  await using terminal = at.open();
  await answer(terminal, "pages can't be listed", DOWN);
  expect(terminal.text()).toContain("no licence found");
  at.setTools([READ]);
  terminal.type(ENTER);
  await ended(terminal, 0);
  expect(readFileSync(at.manifest, "utf8")).toContain("pages.get_page");
});

test("what has come to its end by itself isn't called stopped the next time", async () => {
  using at = desk(undefined);
  await using first = at.open();
  await answer(first, "pages can't be listed", ENTER);
  await ended(first, 2);
  expect(existsSync(at.progress)).toBe(false);
});

test("what is to be asked for each time is told so, and no TODO is named where there is none", async () => {
  using at = desk(TOOLS);
  await using terminal = at.open();
  await answer(terminal, "update_page", ENTER);
  await answer(terminal, "frobnicate", "");
  expect(terminal.text()).toContain("● always ask me");
  await answer(terminal, "frobnicate", ENTER);
  await answer(terminal, "Write this?", ENTER);
  const text = await ended(terminal, 0);
  expect(text).toContain("accept (undo sends update_page)");
  expect(text).toContain("1 as you said, 1 held for you each time\n");
  expect(readFileSync(at.manifest, "utf8")).not.toContain("TODO");
});

test("344 tools take three questions, and a server without tools none", async () => {
  using at = desk([READ, ...Array.from({ length: 343 }, (_, index) => ({ name: `update_page_${index}`, inputSchema: page }))]);
  await using many = at.open();
  await answer(many, "343 tools may change things", "");
  await answer(many, "343 tools may change things", ENTER);
  const text = await untilAsked(many, ["Write this?", "which tools do you want to look at?"]);
  if (text.includes("which tools")) await answer(many, "which tools", ENTER);
  await answer(many, "Write this?", ENTER);
  await ended(many, 0);
  using none = desk([]);
  await ended(none.open(), 0);
  expect(readFileSync(none.manifest, "utf8")).toContain("tools: []");
});

async function untilAsked(terminal: EmulatedTerminal, titles: readonly string[]): Promise<string> {
  const last = () => terminal.text().slice(terminal.text().lastIndexOf("◆"));
  await until("it asks on", () => titles.some((title) => last().includes(title)));
  return last();
}

test("names and words of a server act on no terminal, whatever is in them, and fit 40 columns", async () => {
  const odd = ["a.b/c", "x".repeat(90), "tab\there", "\u001b[31mred\u001b[2J", "right\u202eleft"];
  using at = desk(odd.map((name) => ({ name, inputSchema: id, description: `\u001b]0;owned\u0007 ${name}` })));
  await using terminal = at.open({ columns: 40, env: { NO_COLOR: "1" } });
  for (const shown of ["a.b/c", "xxxxxxxx", "tab\\there", "\\u001b[31mred", "right\\u202eleft"]) await answer(terminal, shown, ENTER);
  await answer(terminal, "Write this?", ENTER);
  await ended(terminal, 0);
  expect(terminal.bytes()).not.toContain("\u001b]0;");
  for (let colour = 30; colour < 38; colour++) expect(terminal.bytes()).not.toContain(`\u001b[${colour}m`);
});

test("P6: keys that were typed before a question was there answer nothing", async () => {
  using at = desk(TOOLS);
  await using terminal = at.open();
  terminal.type(DOWN.repeat(3) + ENTER);
  await answer(terminal, "pages (1 of 2): update_page", ENTER);
  await answer(terminal, "pages (2 of 2): frobnicate", ENTER);
  await answer(terminal, "Write this?", ENTER);
  await ended(terminal, 0);
  expect(readFileSync(at.manifest, "utf8")).toMatch(/match: "pages.update_page"\n(?: *#.*\n)* *class: reversible/);
});

test("killed at a question, it leaves the terminal as it was and the manifest unwritten", async () => {
  using at = desk(TOOLS);
  await using terminal = at.open();
  await answer(terminal, "update_page", "");
  process.kill(at.pid(), "SIGTERM");
  await ended(terminal, 143);
  expect(existsSync(at.manifest)).toBe(false);
});

for (const [stop, question] of QUESTIONS.entries()) {
  test(`P5: killed at "${question}" without a chance to clean up, it has written nothing, and the next time it goes on from there`, async () => {
    using at = desk(TOOLS);
    await using terminal = at.open();
    for (const before of QUESTIONS.slice(0, stop)) await answer(terminal, before, ENTER);
    await answer(terminal, question, "");
    process.kill(at.pid(), "SIGKILL");
    await terminal.child.exited;
    expect(existsSync(at.manifest)).toBe(false);
    await using again = at.open();
    if (stop > 0) await answer(again, "You stopped here before", ENTER);
    for (const next of QUESTIONS.slice(stop)) await answer(again, next, ENTER);
    await ended(again, 0);
    expect(readFileSync(at.manifest, "utf8")).toContain("class: reversible");
    expect(existsSync(at.progress)).toBe(false);
  });
}

test("options answer beforehand, in a pipe as at a terminal; nothing is asked with --yes", async () => {
  using at = desk(TOOLS);
  const server = ["--", BUN, join(ROOT, "test/support/listed-server.ts"), join(at.sandbox.folder, "tools.json")];
  const piped = await at.sandbox.run("init", "one", "--rule", "update_page=accept", ...server);
  expect(piped.code).toBe(0);
  await using yes = at.open({ words: "--yes --accept sure --rule pages.frobnicate=readonly" });
  await ended(yes, 0);
  const manifest = readFileSync(at.manifest, "utf8");
  for (const name of ["one", "pages"]) expect(manifest).toMatch(new RegExp(`"${name}.update_page"\\n(?: *#.*\\n)* *class: reversible`));
  expect(manifest).toMatch(/"pages.frobnicate"\n *class: readonly/);
  const wrong = await at.sandbox.run("init", "two", "--rule", "update_page=acept", ...server);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('did you mean "accept"?')]);
});

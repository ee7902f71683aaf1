// Does a person who knows better than the suggestion get their way, and find the tool they look for among many?
import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { until } from "../support/documents.ts";
import { answer, CTRL_C, CTRL_U, DOWN, desk, ENTER, ESCAPE, ended, page, READ, TAB, TOOLS, UP } from "../support/wizard-desk.ts";

setDefaultTimeout(60_000);

test("the class, the calls and their arguments can be changed, and what can't be so is said and asked on", async () => {
  using at = desk(TOOLS);
  await using terminal = at.open({ columns: 60 });
  await answer(terminal, "update_page", ENTER);
  await answer(terminal, "frobnicate", UP.repeat(2) + ENTER);
  await answer(terminal, "what can undo do for it?", UP.repeat(2) + ENTER);
  await answer(terminal, "which call reads what was there before?", DOWN + ENTER);
  await answer(terminal, "get_page: its arguments, as JSON", `x${ENTER}`);
  await until("it says what is wrong", () => terminal.text().includes("not a JSON object"));
  terminal.type(`${CTRL_U}{"id":"$.id"}${ENTER}`);
  await answer(terminal, "which call puts it back?", ESCAPE);
  await answer(terminal, "get_page: its arguments, as JSON", ENTER);
  await answer(terminal, "which call puts it back?", DOWN + ENTER);
  await answer(terminal, "update_page: its arguments, as JSON", `${CTRL_U}{"id":"$nowhere.id"}${ENTER}`);
  await until("it says which reference is wrong", () => terminal.text().includes("$nowhere"));
  await until("it is asked on", () => terminal.text().includes("▲"));
  terminal.type(`${CTRL_U}{"id":"$.id","title":"$snapshot.title"}${ENTER}`);
  await answer(terminal, "Write this?", ENTER);
  await ended(terminal, 0);
  const rule = readFileSync(at.manifest, "utf8").split('match: "pages.frobnicate"')[1];
  expect(rule).toMatch(/class: reversible/);
  expect(rule).toMatch(/snapshot: \{ tool: "pages.get_page", args: \{ "id": "\$\.id" \} \}/);
  expect(rule).toContain("$snapshot.title");
});

test("P5: Ctrl-C within a change leaves nothing written, and the change goes on there the next time", async () => {
  using at = desk(TOOLS);
  const questions = ["frobnicate", "what can undo do for it?", "which call reads", "get_page: its arguments", "which call puts it back?"];
  const keys = [UP.repeat(2) + ENTER, UP.repeat(2) + ENTER, DOWN + ENTER, ENTER, CTRL_C];
  await using terminal = at.open();
  await answer(terminal, "update_page", ENTER);
  for (const [index, question] of questions.entries()) await answer(terminal, question, keys[index] ?? "");
  expect(await ended(terminal, 130)).toContain("nothing was changed");
  await using again = at.open();
  await answer(again, "You stopped here before, after 5 answers", ENTER);
  await answer(again, "which call puts it back?", CTRL_C);
  await ended(again, 130);
});

test("among many tools one types to find those to look at; the others wait for a person", async () => {
  const tools = Array.from({ length: 40 }, (_, index) => ({ name: `update_page_${index}`, inputSchema: page }));
  using at = desk([READ, ...tools]);
  await using terminal = at.open();
  await answer(terminal, "40 tools may change things", ENTER);
  await answer(terminal, "which tools do you want to look at?", "page_17");
  await until("one is left", () => terminal.text().includes("1 match"));
  terminal.type(TAB);
  await until("it is chosen", () => terminal.text().includes("◼ update_page_17"));
  terminal.type(ENTER);
  await answer(terminal, "pages (1 of 1): update_page_17", CTRL_C);
  await ended(terminal, 130);
});

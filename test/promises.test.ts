// Does docs/promises.md name the tests that there are? `bun scripts/promises.ts` makes it anew.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisesPage } from "../scripts/promises.ts";

/** The formatter has a taste of its own in escapes. */
const words = (text: string) =>
  text
    .replace(/ *\| */g, "|")
    .replace(/-{3,}/g, "---")
    .replace(/[\s\\_*]+/g, " ")
    .split(/(?=- )/);

test("docs/promises.md is what scripts/promises.ts makes of the tests", () => {
  expect(words(readFileSync(join(import.meta.dir, "../docs/promises.md"), "utf8"))).toEqual(words(promisesPage()));
});

test("every promise has tests in more than one file", () => {
  const sections = promisesPage().split(/^## /m).slice(1);
  expect(sections.length).toBe(7);
  for (const section of sections) expect([section, [...section.matchAll(/^- \[`test\//gm)].length > 1]).toEqual([section, true]);
});

// Do the pictures of the documents show what the program prints? They are made anew and compared, word for word; ids and times may differ.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pictures } from "../../scripts/picture.ts";
import { ROOT } from "../support/sandbox.ts";

/** What is written in a picture, in order, without what differs from one run to the next. */
function wordsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, text = ""]) =>
    text
      .replace(/\b[0-9a-hjkmnp-tv-z]{16}\b|(?<=undo of )[0-9a-hjkmnp-tv-z]{8}\b/g, "ID")
      .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b/g, "DATE")
      .replace(/\b(just now|\d+[smhd] ago|in \d+[smhd])/g, "WHEN"),
  );
}

test("the pictures have the words that the program prints today (bun scripts/picture.ts makes them anew)", async () => {
  for (const [name, made] of Object.entries(await pictures())) {
    const words = wordsOf(readFileSync(join(ROOT, "docs", name), "utf8"));
    expect(words.length).toBeGreaterThan(20);
    expect([name, ...words]).toEqual([name, ...wordsOf(made)]);
  }
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { shellQuote } from "../../../src/cli/command-line.ts";
import { shorten, table, wrap } from "../../../src/cli/render/layout.ts";
import { styleFor } from "../../../src/cli/render/style.ts";
import { ago, span } from "../../../src/cli/render/time.ts";
import { visible, visibleLines } from "../../../src/cli/render/visible.ts";

const anyText = fc.string({ unit: "binary" });

describe("foreign text", () => {
  test.each([
    ["\u001b[31mred", "\\u001b[31mred"],
    ["a\u009b2Jb", "a\\u009b2Jb"],
    ["pay \u202e001\u202c", "pay \\u202e001\\u202c"],
    ["zero\u200bwidth", "zero\\u200bwidth"],
    ["tag\u{e0041}", "tag\\u{e0041}"],
    ["lone \ud800", "lone \\ud800"],
    ["line\nbreak\r\t", "line\\nbreak\\r\\t"],
    ["a\u2800b\u00a0c\u2003d", "a\\u2800b\\u00a0c\\u2003d"],
    [`e${"\u0301".repeat(5)}`, `e${"\u0301".repeat(3)}\\u0301\\u0301`],
    ["plain äöü 漢字 🙂", "plain äöü 漢字 🙂"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test("never carries a control character, whatever it was", () => {
    fc.assert(fc.property(anyText, (text) => !/[\p{Cc}\p{Bidi_Control}\p{Cs}]/u.test(visible(text))));
  });

  test("keeps its line breaks where they are wanted", () => {
    expect(visibleLines("a\r\nb\u001bc")).toBe("a\nb\\u001bc");
  });
});

describe("layout", () => {
  test("wrapping loses nothing and keeps to the width", () => {
    fc.assert(
      fc.property(anyText.map(visible), fc.integer({ min: 12, max: 60 }), (text, width) => {
        const lines = wrap(text, width).split("\n");
        expect(lines.join("")).toBe(text);
        for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  test("wrapping breaks behind spaces, and a word only where it fits no line", () => {
    expect(wrap("call 3 of run 7f3a2c9kw2m4x8z1", 20)).toBe("call 3 of run \n7f3a2c9kw2m4x8z1");
    expect(wrap('a {"text":"averylongwordwithoutaspace"} b', 12)).toBe('a {"text":"a\nverylongword\nwithoutaspac\ne"} b');
  });

  test("a table that doesn't fit becomes a block for each row, within the width", () => {
    const rows = [
      ["run", "client", "state"],
      ["7f3a2c9k", "some client 1.0", "open (process 4711)"],
      ["81aa2c9k", "another", "ended"],
    ];
    expect(table(rows, 80).split("\n")).toHaveLength(3);
    expect(table(rows, 36)).toBe(
      "7f3a2c9k\n  client  some client 1.0\n  state   open (process 4711)\n\n81aa2c9k\n  client  another\n  state   ended",
    );
  });

  test("shortening counts wide characters as two cells", () => {
    expect(shorten("漢字漢字", 8)).toBe("漢字漢字");
    expect(shorten("漢字漢字", 7)).toBe("漢字漢…");
    expect(shorten("漢字漢字", 6)).toBe("漢字…");
  });

  test("columns line up under wide characters", () => {
    expect(
      table(
        [
          ["漢", "x"],
          ["abc", "y"],
        ],
        80,
      ),
    ).toBe("漢   x\nabc  y");
  });
});

describe("a printed word", () => {
  test("comes back unchanged from the shell", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ minLength: 1 }).filter((word) => !word.includes("\0")),
          { minLength: 1, maxLength: 4 },
        ),
        (words) => {
          const run = Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${words.map(shellQuote).join(" ")}`]);
          expect(run.stdout.toString()).toBe(words.map((word) => `${word}\0`).join(""));
        },
      ),
      { numRuns: 40 },
    );
  });

  test("never carries a control character", () => {
    expect(shellQuote("a\u001b[2J'\u009b")).toBe("$'a\\033[2J\\'\\302\\233'");
    expect(shellQuote("")).toBe("''");
  });
});

describe("time and colour", () => {
  test("a moment is told by its largest unit", () => {
    expect([span(59_999), span(60_000), span(7_200_000), span(86_400_000 * 3)]).toEqual(["59s", "1m", "2h", "3d"]);
    expect([ago(1000, 1500), ago(0, 90_000), ago(90_000, 30_000)]).toEqual(["just now", "1m ago", "in 1m"]);
    const day = 86_400_000;
    expect([ago(day, 0), ago(day, 5000), ago(3 * day, 0), ago(1, 0)]).toEqual(["in 24h", "in 24h", "in 3d", "in 1s"]);
  });

  test("without colour a style is the text itself", () => {
    expect(styleFor(false).red("x")).toBe("x");
    expect(styleFor(true).red("x")).toBe("\u001b[31mx\u001b[39m");
  });
});

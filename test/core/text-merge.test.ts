// How are texts of several lines compared and merged?
import { describe, expect, test } from "bun:test";
import { linesOf, textHunks } from "../../src/core/text-diff.ts";
import { type ThreeWay, threeWay } from "../../src/core/three-way.ts";
import { processorTime } from "../support/patience.ts";

const RULES = { ignore: [], sets: [], identity: [], relevant: undefined };

function merge(before: string, left: string, now: string): ThreeWay {
  return threeWay(before, left, now, RULES);
}

function merged(before: string, left: string, now: string) {
  const result = merge(before, left, now);
  return result.kind === "merged" ? result.value : result.kind;
}

describe("a text of several lines", () => {
  test("P3: is merged by line, one unchanged line between the two changes being enough", () => {
    expect(merge("a\nb\nc\n", "A\nb\nc\n", "A\nb\nC\n")).toEqual({
      kind: "merged",
      value: "a\nb\nC\n",
      kept: [{ path: "", from: "A\nb\nc\n", to: "A\nb\nC\n" }],
      already: 0,
    });
    expect(merged("a\nb\nc\n", "b\nc\n", "b\nC\n")).toBe("a\nb\nC\n");
    expect(merged("a\nb\n", "x\na\nb\n", "x\na\nb\ny\n")).toBe("a\nb\ny\n");
  });

  test("P3: changes that touch or overlap are a conflict, with the lines of each side", () => {
    expect(merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nB\nc\nD\n")).toEqual({
      kind: "conflict",
      conflicts: [{ path: "", before: "a\nb\n", left: "A\nb\n", now: "A\nB\n" }],
    });
    expect(merge("a\n", "a\nb\n", "a\nb\nc\n")).toEqual({
      kind: "conflict",
      conflicts: [{ path: "", before: "", left: "b\n", now: "b\nc\n" }],
    });
    expect(merge("a\nb\n", "a\nX\nb\n", "a\nb\n").kind).toBe("as-before");
    expect(merge("1\nm\n2\n", "x\nm\ny\n", "p\nm\nq\n")).toEqual({
      kind: "conflict",
      conflicts: [
        { path: "", before: "1\n", left: "x\n", now: "p\n" },
        { path: "", before: "2\n", left: "y\n", now: "q\n" },
      ],
    });
  });

  test("is a conflict of its field alone", () => {
    const result = threeWay({ note: "a\nb", n: 1 }, { note: "a\nB", n: 2 }, { note: "a\nc", n: 2 }, RULES);
    expect(result).toEqual({ kind: "conflict", conflicts: [{ path: "note", before: "b", left: "B", now: "c" }] });
  });

  test("has nothing to do where both made the same of it", () => {
    expect(merge("a\nm\nb\n", "A\nm\nB\n", "a\nm\nB\n")).toEqual({ kind: "merged", value: "a\nm\nb\n", kept: [], already: 1 });
    expect(merged("a\nm\nb\n", "A\nm\nb\n", "a\nm\nB\n")).toBe("as-before");
  });

  test("keeps the ends of its lines and of itself", () => {
    expect(merged("a\r\nb\r\nc", "A\r\nb\r\nc", "A\r\nb\r\nc\r\n")).toBe("a\r\nb\r\nc\r\n");
    expect(merged("a\nb\nc\n", "a\nb\nc", "A\nb\nc")).toBe("A\nb\nc\n");
    expect(merged("a\rb\nc\nd", "a\rB\nc\nd", "a\rB\nc\nD")).toBe("a\rb\nc\nD");
    expect(merged("a\u2028b\n\nc", "A\u2028b\n\nc", "A\u2028b\n\nC")).toBe("a\u2028b\n\nC");
  });

  test("P3: of which somebody changed all line ends is a conflict where the agent changed a line", () => {
    expect(merge("a\nb\nc\n", "A\nb\nc\n", "A\r\nb\r\nc\r\n").kind).toBe("conflict");
    expect(merge("a\r\nb\r\nc\r\n", "a\nb\nc\n", "a\nb\nC\n").kind).toBe("conflict");
  });

  test("of one line is one value", () => {
    expect(merge("a b", "A b", "A B")).toEqual({ kind: "conflict", conflicts: [{ path: "", before: "a b", left: "A b", now: "A B" }] });
  });

  test("of a hundred thousand lines is merged in a moment, and so is one that has nothing in common with the other", () => {
    const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index}`);
    const edited = (at: readonly number[], word: string, from: readonly string[] = lines) =>
      from.map((line, index) => (at.includes(index) ? `${line} ${word}` : line));
    const left = edited([5, 50_000], "agent");
    const now = edited([7, 99_999], "person", left);
    expect(merged(lines.join("\n"), left.join("\n"), now.join("\n"))).toBe(edited([7, 99_999], "person").join("\n"));
    const other = lines.map((_, index) => `${(index * 7919) % 13}`);
    const spent = processorTime();
    expect(merge(lines.join("\n"), other.join("\n"), other.toReversed().join("\n")).kind).toBe("conflict");
    expect(merged(`a\nb\n${lines.join("\n")}`, `a\nb\n${other.join("\n")}`, `A\nb\n${other.join("\n")}`)).toBe(`A\nb\n${lines.join("\n")}`);
    expect(spent()).toBeLessThan(20_000);
  });
});

describe("hunks", () => {
  const shown = (from: string, to: string) =>
    textHunks(from, to).map(({ fromLine, toLine, lines }) => [
      fromLine,
      toLine,
      ...lines.map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`),
    ]);

  test("show each change with two lines around it, and near ones together", () => {
    const from = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n";
    expect(shown(from, from.replace("4\n", "x\ny\n").replace("13\n", "13"))).toEqual([
      [2, 2, " 2\n", " 3\n", "-4\n", "+x\n", "+y\n", " 5\n", " 6\n"],
      [11, 12, " 11\n", " 12\n", "-13\n", "+13"],
    ]);
    expect(shown(from, from.replace("2\n", "").replace("7\n", "z\n"))).toEqual([
      [1, 1, " 1\n", "-2\n", " 3\n", " 4\n", " 5\n", " 6\n", "-7\n", "+z\n", " 8\n", " 9\n"],
    ]);
    expect(shown(from, from.replace("2\n", "").replace("8\n", "z\n")).map(([at]) => at)).toEqual([1, 6]);
  });

  test("tell what was added to nothing, and what is gone", () => {
    expect(shown("", "a\nb")).toEqual([[1, 1, "+a\n", "+b"]]);
    expect(shown("a\n", "")).toEqual([[1, 1, "-a\n"]]);
    expect(shown("a\n", "a\n")).toEqual([]);
  });
});

test("lines put together are the text", () => {
  for (const text of ["", "\n", "a", "a\n", "a\r\n\nb", "\n\n", "a\rb"]) expect(linesOf(text).join("")).toBe(text);
  expect(linesOf("a\r\n\nb")).toEqual(["a\r\n", "\n", "b"]);
});

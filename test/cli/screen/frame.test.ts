// Does a frame fit every terminal, and is what a person must see on it? Frames of a held call, without a terminal.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { styleFor } from "../../../src/cli/render/style.ts";
import type { ScreenData } from "../../../src/cli/screen/data.ts";
import { frameOf } from "../../../src/cli/screen/frame.ts";
import { firstState } from "../../../src/cli/screen/model.ts";
import { keysText } from "../../../src/cli/screen/views.ts";
import type { Json } from "../../../src/core/json.ts";
import { ROOT } from "../../support/sandbox.ts";

const NOW = Date.UTC(2026, 2, 1);
const SIZES = [10, 15, 24, 60].flatMap((rows) => [40, 61, 80, 200].map((columns) => ({ columns, rows })));

function heldCall(value: Json): ScreenData {
  const action = {
    id: "call1",
    run: "run1",
    seq: 1,
    server: "mail",
    tool: "send",
    class: "irreversible",
    status: "held",
    reason: "gate-always",
  };
  const call = {
    facts: { action: { ...action, receivedAt: NOW, detail: null, rule: null, resources: [] }, args: { kind: "value", value } },
    run: { id: "run1", client: null },
    decisions: [],
  };
  // Only these members are looked at.
  return { waiting: [call.facts.action, call.facts.action], view: { kind: "waiting", index: 0, call } } as unknown as ScreenData;
}

function frame(value: Json, size: { columns: number; rows: number }, top = 0) {
  const view = { now: NOW, columns: size.columns, command: () => "" };
  return frameOf(firstState([{ kind: "waiting", selected: "call1", top }]), heldCall(value), {
    size,
    view,
    style: styleFor(true),
    work: undefined,
  });
}

test("a frame has as many lines as the terminal, and none is wider, whatever is in the call", () => {
  for (const size of SIZES)
    for (const value of [
      "",
      { to: "ada" },
      { text: "漢字".repeat(500) },
      { [`${"k".repeat(300)}\u001b[2J`]: ["\u0007", "\u202e", "a\nb"] },
    ]) {
      const { lines } = frame(value, size);
      expect(lines).toHaveLength(size.rows);
      for (const line of lines) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(size.columns);
        expect(Bun.stripANSI(line)).not.toMatch(/[\p{Cc}\u202e]/u);
      }
    }
});

test("P6: a long text pushes no recipient off the screen, wherever one has scrolled to", () => {
  const value = { body: "x\n".repeat(4000), options: { cc: ["bob@example.org"] }, to: "ada@example.org" };
  for (const size of SIZES)
    for (const top of [0, 20, 100_000]) {
      const text = frame(value, size, top)
        .lines.map((line) => Bun.stripANSI(line))
        .join("\n");
      expect([size, text]).toEqual([size, expect.stringContaining('to: "ada@example.org"')]);
      expect(text).toContain("bob@example.org");
    }
});

test("P6: the end of a call counts as seen only where it is on the frame", () => {
  const value = { body: "x".repeat(5000) };
  const size = { columns: 80, rows: 24 };
  expect(frame(value, size).shown.end).toBeUndefined();
  expect(frame(value, size, 100_000).shown.end).toBe("call1");
  expect(frame({ to: "ada" }, { columns: 80, rows: 60 }).shown.end).toBe("call1");
});

test("the pictures of the documents show the keys and the question that there are (bun scripts/picture.ts makes them anew)", () => {
  const around = { size: { columns: 88, rows: 24 }, view: { now: NOW, columns: 88, command: () => "" }, style: styleFor(false) };
  const asking = { phase: "asking", text: "", line: "", question: "" } as const;
  const runs = { kind: "runs", selected: undefined, top: 0, filter: "" } as const;
  const waiting = firstState([runs, { kind: "waiting", selected: undefined, top: 0 }]);
  const undo = firstState([runs, { kind: "undo", run: "run1", top: 0 }]);
  const picture = (name: string) => readFileSync(join(ROOT, "docs", name), "utf8");
  expect(picture("screen.svg")).toContain(keysText(waiting, { ...around, work: undefined }, 88));
  expect(picture("plan.svg")).toContain(keysText(undo, { ...around, work: asking }, 88));
});

// Does a frame fit every terminal, and is what a person must see on it? Frames of a held call, without a terminal.
import { expect, test } from "bun:test";
import { cells } from "../../../src/cli/render/layout.ts";
import { styleFor } from "../../../src/cli/render/style.ts";
import type { ScreenData } from "../../../src/cli/screen/data.ts";
import { frameOf } from "../../../src/cli/screen/frame.ts";
import { keysText } from "../../../src/cli/screen/keys.ts";
import { firstState, type ScreenState } from "../../../src/cli/screen/state.ts";
import type { Json } from "../../../src/core/json.ts";

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

function frame(value: Json, size: { columns: number; rows: number }, top = 0, told: Partial<ScreenState> = {}) {
  const view = { now: NOW, columns: size.columns, command: () => "" };
  return frameOf({ ...firstState([{ kind: "waiting", selected: "call1", top }]), ...told }, heldCall(value), {
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
      { text: "\u{1f44d}\u{1f3fd}".repeat(500), more: "कि".repeat(500) },
      { [`${"k".repeat(300)}\u001b[2J`]: ["\u0007", "\u202e", "a\nb"] },
    ]) {
      const { lines } = frame(value, size);
      expect(lines).toHaveLength(size.rows);
      for (const line of lines) {
        expect(cells(line)).toBeLessThanOrEqual(size.columns);
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

test("what a key came to is said in full, on as many lines as it takes, and the call stays in sight", () => {
  const message = "notes was started by test-agent, which may be the agent itself: answer in a terminal of your own";
  for (const size of SIZES) {
    const { lines } = frame({ to: "ada@example.org" }, size, 0, { message });
    const text = lines.map((line) => Bun.stripANSI(line).trimEnd());
    expect(text).toHaveLength(size.rows);
    expect(text.join(" ").replaceAll(/ +/g, " ")).toContain(message);
    expect(text.join("\n")).toContain("ada@example.org");
  }
});

test("what is typed shows nothing raw, and its end", () => {
  const prompt = { kind: "reason", action: "call1", text: `${"x".repeat(300)}\u202e\u{1f44d}` } as const;
  for (const size of SIZES) {
    const line = Bun.stripANSI(frame({}, size, 0, { prompt }).lines.at(-2) ?? "");
    expect(cells(line)).toBeLessThanOrEqual(size.columns);
    expect(line).not.toContain("\u202e");
    expect(line).toEndWith("\u{1f44d}_");
  }
});

test("only keys that do something are shown, and on the narrowest screen the one that leads to all", () => {
  const around = (columns: number) => ({ size: { columns, rows: 10 }, work: undefined });
  const runs = { kind: "runs", selected: undefined, top: 0, filter: "" } as const;
  const waiting = firstState([runs, { kind: "waiting", selected: undefined, top: 0 }]);
  const nothing = { length: 1, page: 6, waiting: [] };
  expect(keysText(waiting, around(80), nothing)).toBe("esc back  ? help");
  expect(keysText(waiting, around(80), { ...nothing, waiting: [1] })).toBe("a approve  d deny  esc back  enter open  ? help");
  expect(keysText(waiting, around(40), { length: 20, page: 6, waiting: [1, 2] })).toBe("a approve  d deny  pgdn more  ? help");
  expect(keysText(firstState([runs]), around(80), { ...nothing, length: 0 })).toBe("w waiting  / filter  q quit  ? help");
  for (let columns = 10; columns < 100; columns += 1) expect(keysText(firstState([runs]), around(columns), nothing)).toEndWith("? help");
});

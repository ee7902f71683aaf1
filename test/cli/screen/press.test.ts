// Does a key act on what stood on the screen, and on nothing else? The model alone, without a terminal.
import { describe, expect, test } from "bun:test";
import { type Key, type Pressed, press, SETTLED } from "../../../src/cli/screen/press.ts";
import { chooseAmong, drawn, firstState, type ScreenState, type Shown, topView, unseen } from "../../../src/cli/screen/state.ts";

const CALLS = [
  { id: "first", run: "run1", seq: 3 },
  { id: "second", run: "run1", seq: 4 },
];
const NOW = 100_000;

function shownOf(told: Partial<Shown> = {}): Shown {
  return {
    ...{ length: 5, page: 10, top: 0, index: -1, keyAt: () => undefined, runs: [], waiting: CALLS, work: undefined },
    ...{ places: new Map([["first", "0"]]), end: "first", ...told },
  };
}

function letter(text: string): Key {
  return { name: "text", text };
}

/** What waits, with the first call chosen and drawn, so long ago that it can be answered. */
function ready(told: Partial<Shown> = {}): ScreenState {
  return drawn(firstState([{ kind: "waiting", selected: "first", top: 0 }]), shownOf(told), NOW - SETTLED);
}

/** Presses keys one after the other, so slowly that each counts. */
function typed(state: ScreenState, keys: readonly Key[], shown = shownOf()): Pressed {
  return keys.reduce<Pressed>((pressed, key, at) => press(pressed.state, key, shown, NOW + at * 2 * SETTLED), { state });
}

describe("answers", () => {
  test("P6: a lets exactly the call through that is shown and chosen, by its id", () => {
    expect(press(ready(), letter("a"), shownOf(), NOW).effect).toEqual({ kind: "approve", action: "first" });
  });

  test("P6: a call that appeared or moved within the last half second can't be answered", () => {
    for (const key of ["a", "d"]) {
      const fresh = drawn(firstState([{ kind: "waiting", selected: "first", top: 0 }]), shownOf(), NOW - SETTLED + 1);
      const moved = drawn(ready(), shownOf({ places: new Map([["first", "1"]]) }), NOW - 1);
      const other = drawn(ready(), shownOf({ places: new Map([["second", "0"]]) }), NOW - 1);
      for (const state of [fresh, moved, other]) {
        const pressed = press(state, letter(key), shownOf(), NOW);
        expect(pressed.effect).toBeUndefined();
        expect(pressed.state.prompt).toBeUndefined();
        expect(pressed.state.message).toContain("half a second");
      }
    }
  });

  test("P6: what stands where it stood keeps its time, however often it is drawn", () => {
    let state = ready();
    for (let at = NOW - SETTLED; at < NOW; at += 50) state = drawn(state, shownOf(), at);
    expect(press(state, letter("a"), shownOf(), NOW).effect?.kind).toBe("approve");
  });

  test("P6: pasted or typed-ahead letters answer nothing", () => {
    for (const text of ["aa", "a\r", "da\r", "y\n"]) {
      const { state, effect } = press(ready(), { name: "several", text }, shownOf(), NOW);
      expect([effect, state.prompt]).toEqual([undefined, undefined]);
    }
  });

  test("P6: a key that is held down answers no second call", () => {
    const { state, effect } = press(ready(), letter("a"), shownOf(), NOW);
    expect(effect?.kind).toBe("approve");
    const rest = shownOf({ waiting: CALLS.slice(1), places: new Map([["second", "0"]]), end: "second" });
    let next = drawn(chooseAmong(state, ["second"], 0), rest, NOW + 10);
    for (let at = NOW + 30; at < NOW + 5 * SETTLED; at += 30) {
      const pressed = press(next, letter("a"), rest, at);
      expect(pressed.effect).toBeUndefined();
      next = pressed.state;
    }
    expect(press(next, letter("a"), rest, NOW + 7 * SETTLED).effect).toEqual({ kind: "approve", action: "second" });
  });

  test("P6: a call is let through only once its end has been on the screen", () => {
    const unread = ready({ end: undefined });
    const pressed = press(unread, letter("a"), shownOf({ end: undefined }), NOW);
    expect(pressed.effect).toBeUndefined();
    expect(pressed.state.message).toContain("read it to its end");
    const read = drawn(drawn(unread, shownOf(), NOW), shownOf({ end: undefined }), NOW);
    expect(press(read, letter("a"), shownOf({ end: undefined }), NOW).effect?.kind).toBe("approve");
    expect(press(drawn(read, shownOf({ end: undefined, waiting: [] }), NOW), letter("a"), shownOf(), NOW).effect).toBeUndefined();
  });

  test("a denial goes to the call that was shown when d was pressed, with what was typed, and none to what was given up", () => {
    const keys = [
      letter("d"),
      letter("n"),
      letter("o"),
      letter("x"),
      { name: "backspace", text: "" },
      { name: "enter", text: "" },
    ] as const;
    expect(typed(ready(), keys, shownOf()).effect).toEqual({ kind: "deny", action: "first", why: "no" });
    expect(typed(ready(), [letter("d"), { name: "enter", text: "" }]).effect).toEqual({ kind: "deny", action: "first", why: null });
    expect(typed(ready(), [letter("d"), letter("a"), { name: "escape", text: "" }])).toMatchObject({ state: { prompt: undefined } });
    expect(typed(ready(), [letter("d"), letter("a"), { name: "escape", text: "" }]).effect).toBeUndefined();
  });

  test("P6: a line break within a pasted reason denies nothing", () => {
    const { state, effect } = typed(ready(), [letter("d"), { name: "several", text: "wrong\r\ncustomer\r" }]);
    expect(effect).toBeUndefined();
    expect(state.prompt).toEqual({ kind: "reason", action: "first", text: "wrong customer " });
  });

  test("P6: what was shown before the screen was suspended has to be looked at again, and Ctrl-Z answers nothing", () => {
    const { state, effect } = press(ready(), { name: "ctrl-z", text: "" }, shownOf(), NOW);
    expect(effect).toEqual({ kind: "suspend" });
    const back = drawn(unseen(state, NOW + 60_000), shownOf(), NOW + 60_000);
    expect(press(back, letter("a"), shownOf(), NOW + 60_000 + SETTLED - 1).effect).toBeUndefined();
    expect(press(back, letter("a"), shownOf(), NOW + 60_000 + SETTLED).effect?.kind).toBe("approve");
  });

  test("a reason is only so long, however much is pasted", () => {
    const { state } = typed(ready(), [letter("d"), { name: "several", text: "x".repeat(1_000_000) }]);
    expect(state.prompt?.text).toHaveLength(1000);
  });

  test("another call is chosen where the chosen one doesn't wait any more, and shown from its beginning", () => {
    const state = { ...ready(), views: [{ kind: "waiting", selected: "first", top: 7 }] } as const;
    expect(topView(chooseAmong(state, ["second"], 0))).toEqual({ kind: "waiting", selected: "second", top: 0 });
    expect(topView(chooseAmong(state, ["x", "first"], 0))).toEqual({ kind: "waiting", selected: "first", top: 7 });
    expect(topView(chooseAmong(state, [], 0))).toMatchObject({ selected: undefined });
  });
});

describe("an undo", () => {
  const undoing = firstState([
    { kind: "runs", selected: "run1", top: 0, filter: "" },
    { kind: "undo", run: "run1", top: 0 },
  ]);
  const asking = shownOf({ work: { run: "run1", phase: "asking", question: "q1", offers: [] }, places: new Map([["q1", "asked"]]) });

  test("P3: only a yes to a question that has stood for half a second puts back", () => {
    const asked = drawn(undoing, asking, NOW - SETTLED);
    expect(press(asked, letter("y"), asking, NOW).effect).toEqual({ kind: "agree", yes: true });
    expect(press(drawn(undoing, asking, NOW - 1), letter("y"), asking, NOW).effect).toBeUndefined();
    expect(press(asked, { name: "several", text: "yy" }, asking, NOW).effect).toBeUndefined();
    for (const key of [letter("n"), letter("q"), { name: "escape", text: "" }] as const) {
      const { state, effect } = press(asked, key, asking, NOW);
      expect([effect, topView(state).kind]).toEqual([{ kind: "agree", yes: false }, "runs"]);
    }
  });

  test("while it is carried out there is no way back but Ctrl-C", () => {
    const sending = shownOf({ work: { run: "run1", phase: "sending", question: "q1", offers: [] } });
    const { state, effect } = press(undoing, { name: "escape", text: "" }, sending, NOW);
    expect([effect, topView(state).kind]).toEqual([undefined, "undo"]);
    expect(press(undoing, { name: "ctrl-c", text: "" }, sending, NOW).effect).toEqual({ kind: "quit", code: 130 });
  });

  test("P3: there is one undo at a time: another one neither ends it nor shows in its place", () => {
    const onRun2 = firstState([
      { kind: "runs", selected: "run1", top: 0, filter: "" },
      { kind: "undo", run: "run1", top: 0 },
      { kind: "run", run: "run2", seq: undefined, top: 0, filter: "" },
    ]);
    const sending = shownOf({ work: { run: "run1", phase: "sending", question: "q1", offers: [] } });
    const refused = press(onRun2, letter("u"), sending, NOW);
    expect([refused.effect, refused.state.views, refused.state.message]).toEqual([
      undefined,
      onRun2.views,
      "the undo of run1 is under way: let it end first",
    ]);
    const begun = press(onRun2, letter("u"), asking, NOW);
    expect(begun.effect).toEqual({ kind: "undo", run: "run2" });
    expect(begun.state.views.map((view) => (view.kind === "undo" ? view.run : view.kind))).toEqual(["runs", "run", "run2"]);
  });

  test("u on the run that is being undone leads to that undo", () => {
    const onRun = firstState([{ kind: "runs", selected: "run1", top: 0, filter: "" }]);
    const sending = shownOf({ work: { run: "run1", phase: "sending", question: "q1", offers: [] } });
    const { state, effect } = press(onRun, letter("u"), sending, NOW);
    expect([effect, topView(state).kind]).toEqual([undefined, "undo"]);
  });

  test("P3: no question of another run's undo is answered", () => {
    const other = shownOf({ work: { run: "run2", phase: "asking", question: "q1", offers: [] }, places: new Map([["q1", "asked"]]) });
    expect(press(drawn(undoing, other, NOW - SETTLED), letter("y"), other, NOW).effect).toBeUndefined();
  });

  test("where it was refused or halted, a key asks for it in another way, and only one that is offered", () => {
    for (const phase of ["asking", "ended"] as const) {
      const shown = shownOf({ work: { run: "run1", phase, question: "q1", offers: ["live", "skip"] } });
      const pressed = (text: string) => press(undoing, letter(text), shown, NOW).effect;
      expect(pressed("l")).toEqual({ kind: "undo", run: "run1", offer: "live" });
      expect(pressed("s")).toEqual({ kind: "undo", run: "run1", offer: "skip" });
      expect([pressed("o"), pressed("c")]).toEqual([undefined, undefined]);
      expect(press(undoing, { name: "several", text: "ll" }, shown, NOW).effect).toBeUndefined();
    }
    const sending = shownOf({ work: { run: "run1", phase: "sending", question: "q1", offers: ["live"] } });
    expect(press(undoing, letter("l"), sending, NOW).effect).toBeUndefined();
  });

  test("u begins with the run that is chosen", () => {
    const runs = firstState([{ kind: "runs", selected: "run1", top: 0, filter: "" }]);
    expect(press(runs, letter("u"), shownOf(), NOW).effect).toEqual({ kind: "undo", run: "run1" });
  });
});

describe("moving about", () => {
  const numbers = (length: number, index: number, top: number): Shown =>
    shownOf({ length, page: 10, index, top, keyAt: (at) => (at < length ? at + 1 : undefined) });
  const run = (seq: number | undefined) => firstState([{ kind: "run", run: "run1", seq, top: 0, filter: "" }]);

  test("the arrows, the pages and the ends lead where they say, and never out of the list", () => {
    const to = (key: Key, index: number) => topView(press(run(index + 1), key, numbers(100, index, index), NOW).state);
    expect(to(letter("j"), 4)).toMatchObject({ seq: 6 });
    expect(to({ name: "up", text: "" }, 4)).toMatchObject({ seq: 4 });
    expect(to({ name: "up", text: "" }, 0)).toMatchObject({ seq: 1 });
    expect(to({ name: "pagedown", text: "" }, 4)).toMatchObject({ seq: 14 });
    expect(to(letter("g"), 50)).toMatchObject({ seq: 1, top: 0 });
    expect(to({ name: "pageup", text: "" }, 3)).toMatchObject({ seq: 1 });
  });

  test("at the end of a run the latest call is followed", () => {
    expect(topView(press(run(5), letter("G"), numbers(100, 4, 0), NOW).state)).toMatchObject({ seq: undefined });
    expect(topView(press(run(99), letter("j"), numbers(100, 98, 90), NOW).state)).toMatchObject({ seq: undefined });
  });

  test("enter opens, escape goes back, and at the first view only q leaves", () => {
    const opened = press(run(5), { name: "enter", text: "" }, numbers(100, 4, 0), NOW).state;
    expect(topView(opened)).toEqual({ kind: "action", run: "run1", seq: 5, top: 0 });
    const back = press(opened, { name: "escape", text: "" }, numbers(10, -1, 0), NOW).state;
    expect(topView(back)).toMatchObject({ kind: "run", seq: 5 });
    expect(press(back, { name: "escape", text: "" }, numbers(100, 4, 0), NOW).effect).toBeUndefined();
    expect(press(back, letter("q"), numbers(100, 4, 0), NOW).effect).toEqual({ kind: "quit", code: 0 });
  });

  test("a filter is typed, and its letters are no keys", () => {
    const keys = [letter("/"), letter("q"), letter("a"), { name: "enter", text: "" }] as const;
    const { state, effect } = typed(run(5), keys, numbers(100, 4, 0));
    expect([effect, topView(state)]).toEqual([undefined, { kind: "run", run: "run1", seq: 5, top: 0, filter: "qa" }]);
  });
});

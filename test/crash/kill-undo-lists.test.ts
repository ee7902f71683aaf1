// Is a kill -9 of an undo survived between any two calls of one inverse? Carried on, it has to end in the state that an undo without a break gives,
// and no call may be sent again that took effect.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { recordRule, storedRule } from "../../src/core/rule-record.ts";
import { openJournal } from "../../src/journal/open.ts";
import { intended, newIntent, newRun } from "../journal/calls.ts";
import { Agent } from "../support/agent.ts";
import { CLEAR_RULE, edit, makeNotes, type NotesSandbox } from "../support/notes.ts";
import { until } from "../support/patience.ts";
import {
  afterCrash,
  answered,
  arrived,
  callsOf,
  killUndo,
  lockJournal,
  recorded,
  serverBelow,
  startUndo,
  stop,
  type UndoDocument,
} from "./scene.ts";

const RULES = `
  - { match: "notes.list", class: readonly }
${CLEAR_RULE}`;
const NOTES = { a: "first", b: "second", c: "third" };
const SETS = Object.entries(NOTES).map(([key, value]) => ({ key, value }));

/** A run that cleared all notes. */
async function makeCleared(): Promise<NotesSandbox> {
  const notes = makeNotes(RULES, ["--clear"]);
  await using agent = await Agent.start(notes);
  await agent.call("clear", {});
  expect(notes.state().notes).toEqual({});
  return notes;
}

function sets(notes: NotesSandbox): object[] {
  return notes.received().flatMap(({ name, args }) => (name === "set" ? [args] : []));
}

/** The words by which the call with this number, from 1, meets trouble, and those before it none. */
function onlyAt(call: number, word: string): string {
  return [...Array<string>(call - 1).fill("normal"), word].join(" ");
}

/** Kills an undo at a moment, carries it on, and does it again and undoes it once more; `again`: the call that is sent twice. */
async function killAt(
  reach: (notes: NotesSandbox, undo: Bun.Subprocess, lists: number) => Promise<unknown>,
  again?: number,
): Promise<void> {
  using notes = await makeCleared();
  const lists = callsOf(notes, "list");
  await reach(notes, startUndo(notes), lists);
  await afterCrash(notes);
  const done = await notes.json<UndoDocument>("undo");
  expect({ state: done.state, outstanding: done.outstanding }).toEqual({ state: "undone", outstanding: [] });
  expect(notes.state().notes).toEqual(NOTES);
  expect(sets(notes)).toEqual(SETS.flatMap((set, at) => (at + 1 === again ? [set, set] : [set])));
  await afterCrash(notes);
  expect(await notes.json<UndoDocument>("redo", "--yes")).toMatchObject({ state: "undone", outstanding: [] });
  expect(notes.state().notes).toEqual({});
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ state: "undone" });
  expect(notes.state().notes).toEqual(NOTES);
}

const CALLS = [1, 2, 3];

test.concurrent.each(CALLS)("P3: an undo killed with call %i of three on the way to the server is carried on by looking", async (call) => {
  await killAt(async (notes, undo, lists) => {
    notes.trouble("list", onlyAt(call, "wait-after"));
    await arrived(notes, "list", lists + call);
    const lock = lockJournal(notes);
    notes.letAnswer("list");
    await answered(notes, "list");
    using stopped = stop(serverBelow(undo.pid));
    lock.release();
    await until("its intent", () => recorded(notes).filter(({ tool }) => tool === "set").length === call);
    const killed = killUndo(undo);
    stopped.goOn();
    await killed;
  });
});

test.concurrent("P3: an undo that was killed between two calls, with nothing under way, goes on with the next", async () => {
  using notes = await makeCleared();
  const journal = await openJournal({ file: join(notes.folder, ".synartesis", "journal.db"), mode: "existing" });
  const [run] = await journal.runs();
  const [cleared] = await journal.actions(run?.id ?? "");
  if (run === undefined || cleared === undefined || cleared.read === null) throw new Error("nothing was recorded");
  // What an undo writes that comes as far as this and no further.
  const { id: undo } = await journal.openRun(newRun({ kind: "undo", undoes: run.id, servers: run.servers }));
  const intent = newIntent(undo, {
    ...{ server: "notes", tool: "set", class: "irreversible", args: SETS[0] ?? null, resources: cleared.resources, inverse: undefined },
    rule: storedRule({ ...recordRule("unmentioned"), part: { at: 1, of: 3 } }),
    ...{ read: await journal.value(cleared.read), snapshot: { notes: {} }, undoes: cleared.id, after: null },
  });
  const step = await intended(journal, intent);
  await journal.settle(step, { status: "applied", reason: null, postState: "present", post: { notes: { a: "first" } } });
  await journal.leaveRun(undo);
  await journal.close();
  edit(notes, { a: "first" });
  expect(recorded(notes).map(({ status }) => status)).toEqual(["undoing", "applied"]);
  expect(await notes.json<UndoDocument>("undo")).toMatchObject({ state: "undone", outstanding: [] });
  expect(sets(notes)).toEqual(SETS.slice(1));
  expect(notes.state().notes).toEqual(NOTES);
});

test.concurrent.each(CALLS)(
  "P3: an undo killed with call %i of three received and not acted on sends that one again after a look, and no other",
  async (call) => {
    await killAt(async (notes, undo) => {
      notes.trouble("set", onlyAt(call, "hang-before"));
      await arrived(notes, "set", call);
      await killUndo(undo);
    }, call);
  },
);

test.concurrent.each(CALLS)("P3: an undo killed with call %i of three carried out and not answered goes on after it", async (call) => {
  await killAt(async (notes, undo) => {
    notes.trouble("set", onlyAt(call, "hang-after"));
    await arrived(notes, "set", call);
    await until("its effect", () => Object.keys(notes.state().notes).length === call);
    await killUndo(undo);
  });
});

test.concurrent.each(CALLS)(
  "P3: an undo killed with call %i of three answered, before the look after it, goes on after it",
  async (call) => {
    await killAt(async (notes, undo) => {
      notes.trouble("set", onlyAt(call, "wait-after"));
      await arrived(notes, "set", call);
      notes.trouble("list", "hang-before");
      const before = callsOf(notes, "list");
      notes.letAnswer("set");
      await arrived(notes, "list", before + 1);
      await killUndo(undo);
    });
  },
);

test.concurrent.each(CALLS)(
  "P3: an undo killed with call %i of three looked at, before its outcome is written, goes on after it",
  async (call) => {
    await killAt(async (notes, undo) => {
      notes.trouble("set", onlyAt(call, "wait-after"));
      await arrived(notes, "set", call);
      notes.trouble("list", "wait-after");
      const before = callsOf(notes, "list");
      notes.letAnswer("set");
      await arrived(notes, "list", before + 1);
      using _lock = lockJournal(notes);
      notes.letAnswer("list");
      await answered(notes, "list");
      await killUndo(undo);
    });
  },
);

test.concurrent("P3: an undo killed at each of three calls in turn is still carried on to its end", async () => {
  await killAt(async (notes, undo) => {
    let running = undo;
    for (const call of CALLS) {
      notes.trouble("set", "hang-after");
      await arrived(notes, "set", call);
      await until("its effect", () => Object.keys(notes.state().notes).length === call);
      await killUndo(running);
      if (call < 3) running = startUndo(notes);
    }
  });
});

// Is a kill -9 of an undo or a redo survived at each step of it? Carried on, it has to end in the state that an undo without a break gives, and no
// inverse may take effect, or be sent after it took effect, a second time.
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { edit, makeNotes, type NotesSandbox } from "../support/notes.ts";
import { until } from "../support/patience.ts";
import {
  afterCrash,
  answered,
  arrived,
  callsOf,
  hasRecorded,
  kill,
  killUndo,
  lockJournal,
  recorded,
  type ShowDocument,
  serverBelow,
  startUndo,
  stop,
  type UndoDocument,
} from "./scene.ts";

/** A run of two actions, newest undone first, and the tool of their inverses. */
interface Kind {
  /** What is there before the run, if not the three notes. */
  readonly before?: Record<string, string>;
  readonly run: readonly (readonly [string, Record<string, string>])[];
  /** What a person wrote after the run. */
  readonly edited?: Record<string, string>;
  /** The run is undone at once, and what is killed is the redo of that. */
  readonly redone?: true;
  /** What an undo without a break leaves, if not what was there before. */
  readonly wanted?: Record<string, string>;
  readonly inverse: string;
  /** In the order in which an undo without a break sends them: */
  readonly inverses: readonly Record<string, string>[];
}
const KINDS: [string, Kind][] = [
  [
    "restoring",
    {
      run: [
        ["set", { key: "a", value: "1" }],
        ["set", { key: "b", value: "2" }],
      ],
      inverse: "set",
      inverses: [
        { key: "b", value: "second" },
        { key: "a", value: "first" },
      ],
    },
  ],
  [
    "compensating",
    {
      run: [
        ["create", { value: "1" }],
        ["create", { value: "2" }],
      ],
      inverse: "remove",
      inverses: [{ key: "n2" }, { key: "n1" }],
    },
  ],
  [
    "merging",
    {
      before: { a: "1\n2\n3", b: "4\n5\n6" },
      run: [
        ["set", { key: "a", value: "agent's\n2\n3" }],
        ["set", { key: "b", value: "agent's\n5\n6" }],
      ],
      edited: { a: "agent's\n2\na person's", b: "agent's\n5\na person's" },
      wanted: { a: "1\n2\na person's", b: "4\n5\na person's" },
      inverse: "set",
      inverses: [
        { key: "b", value: "4\n5\na person's" },
        { key: "a", value: "1\n2\na person's" },
      ],
    },
  ],
  [
    "doing again",
    {
      run: [
        ["set", { key: "a", value: "1" }],
        ["set", { key: "b", value: "2" }],
      ],
      redone: true,
      wanted: { a: "1", b: "2", c: "third" },
      inverse: "set",
      inverses: [
        { key: "a", value: "1" },
        { key: "b", value: "2" },
      ],
    },
  ],
];
/** Reads that an undo makes before its first inverse: one look, since nobody sees a plan. */
const READS = 1;

interface Scene {
  readonly notes: NotesSandbox;
  readonly kind: Kind;
  /** Calls that the server had got before the undo, by tool. */
  readonly earlier: { readonly gets: number; readonly inverses: number };
  readonly undo: Bun.Subprocess;
}

/** Undoes a run up to a moment, kills it there, carries on, and compares with what an unbroken undo gives. */
async function killAt(kind: Kind, reach: (scene: Scene) => Promise<unknown>, sentAgain = false): Promise<void> {
  using notes = makeNotes();
  if (kind.before) notes.setState({ ...notes.state(), notes: kind.before });
  const before = notes.state();
  await makeRun(notes, kind);
  if (kind.edited) edit(notes, kind.edited);
  const left = notes.state().notes;
  if (kind.redone) expect((await notes.run("undo")).code).toBe(0);
  const earlier = { gets: callsOf(notes, "get"), inverses: callsOf(notes, kind.inverse) };
  await reach({ notes, kind, earlier, undo: startUndo(notes, wordsOf(kind)) });
  await carryOn(notes, kind, kind.wanted ?? before.notes);
  const sent = inversesSince(notes, kind, earlier.inverses);
  const again = sentAgain ? kind.inverses.slice(0, 1) : [];
  expect(sent).toEqual([...again, ...kind.inverses]);
  if (kind.redone) return;
  // The undo that was killed and the one that carried it on are one.
  expect(await notes.json<UndoDocument>("redo", "--yes")).toMatchObject({ state: "undone", outstanding: [] });
  if (kind.inverse !== "remove") expect(notes.state().notes).toEqual(left); // what is created again has another name
  await afterCrash(notes);
}

function wordsOf({ redone }: Kind): readonly string[] {
  return redone ? ["redo", "--yes"] : ["undo"]; // with --yes a redo makes no plan: it takes the same looks as an undo in a pipe
}

async function makeRun(notes: NotesSandbox, kind: Kind): Promise<void> {
  await using agent = await Agent.start(notes);
  for (const [tool, args] of kind.run) await agent.call(tool, args);
}

/** Lets an undo look at its first thing, which it has a lease for, and then write nothing more. */
async function lockOnceLooked(notes: NotesSandbox, gets: number): Promise<ReturnType<typeof lockJournal>> {
  notes.trouble("get", "wait-after");
  await arrived(notes, "get", gets);
  const lock = lockJournal(notes);
  notes.letAnswer("get");
  await answered(notes, "get");
  return lock;
}

function inversesSince(notes: NotesSandbox, kind: Kind, earlier: number): Record<string, string>[] {
  return notes
    .received()
    .filter(({ name }) => name === kind.inverse)
    .slice(earlier)
    .map(({ args }) => args);
}

/** Carries on with a killed undo, which the commands see as it is. */
async function carryOn(notes: NotesSandbox, kind: Kind, wanted: Record<string, string>): Promise<void> {
  await afterCrash(notes);
  if (kind.inverse === "remove") await notes.run("close"); // closing the undo's own run first must make no difference
  const done = await notes.json<UndoDocument>(...wordsOf(kind));
  expect(done.state).toBe("undone");
  expect(done.outstanding).toEqual([]);
  expect(notes.state().notes).toEqual(wanted);
  await afterCrash(notes);
  const { run, actions } = await notes.json<ShowDocument>("show", done.run);
  expect(run.state).toBe("undone");
  expect(actions.map(({ status }) => status)).toEqual(["undone", "undone"]);
}

test.concurrent.each(KINDS)(
  "P3: an undo killed while %s, before it has claimed anything, has sent nothing and is carried on",
  async (_, kind) => {
    await killAt(kind, async ({ notes, earlier, undo }) => {
      using _lock = await lockOnceLooked(notes, earlier.gets + READS);
      await killUndo(undo);
      expect(callsOf(notes, kind.inverse)).toBe(earlier.inverses);
    });
  },
);

test.concurrent.each(KINDS)(
  "P3: an undo killed while %s, its inverse on the way to the server, is carried on by looking",
  async (_, kind) => {
    await killAt(kind, async ({ notes, earlier, undo }) => {
      const lock = await lockOnceLooked(notes, earlier.gets + READS);
      const server = serverBelow(undo.pid);
      using stopped = stop(server);
      lock.release();
      await hasRecorded(notes, kind.inverse, "intended");
      expect(recorded(notes).some(({ status }) => status === "undoing")).toBe(true);
      const killed = killUndo(undo);
      stopped.goOn();
      await killed;
    });
  },
);

test.concurrent.each(KINDS)(
  "P3: an undo killed while %s, its inverse received and not acted on, sends it again after a look",
  async (_, kind) => {
    await killAt(
      kind,
      async ({ notes, earlier, undo }) => {
        notes.trouble(kind.inverse, "hang-before");
        await arrived(notes, kind.inverse, earlier.inverses + 1);
        await killUndo(undo);
      },
      true,
    );
  },
);

test.concurrent.each(KINDS)(
  "P3: an undo killed while %s, its inverse carried out and not answered, doesn't send it again",
  async (_, kind) => {
    await killAt(kind, async ({ notes, earlier, undo }) => {
      const before = JSON.stringify(notes.state());
      notes.trouble(kind.inverse, "hang-after");
      await arrived(notes, kind.inverse, earlier.inverses + 1);
      await until("the inverse's effect", () => JSON.stringify(notes.state()) !== before);
      await killUndo(undo);
    });
  },
);

test.concurrent.each(KINDS)("P3: an undo killed while %s, before the read-back, doesn't send its inverse again", async (_, kind) => {
  await killAt(kind, async ({ notes, earlier, undo }) => {
    notes.trouble(kind.inverse, "wait-after");
    await arrived(notes, kind.inverse, earlier.inverses + 1);
    notes.trouble("get", "hang-before");
    notes.letAnswer(kind.inverse);
    await arrived(notes, "get", earlier.gets + READS + 1);
    await killUndo(undo);
    expect(recorded(notes).filter(({ status }) => status === "undoing")).toHaveLength(1);
  });
});

test.concurrent.each(KINDS)(
  "P3: an undo killed while %s, before its outcome is written, doesn't send its inverse again",
  async (_, kind) => {
    await killAt(kind, async ({ notes, earlier, undo }) => {
      notes.trouble(kind.inverse, "wait-after");
      await arrived(notes, kind.inverse, earlier.inverses + 1);
      using _lock = lockJournal(notes);
      notes.letAnswer(kind.inverse);
      await arrived(notes, "get", earlier.gets + READS + 1);
      await killUndo(undo);
      expect(recorded(notes).filter(({ status }) => status === "undoing")).toHaveLength(1);
    });
  },
);

test.concurrent.each(KINDS)("P3: an undo killed while %s, between two steps, carries on with the next", async (_, kind) => {
  await killAt(kind, async ({ notes, earlier, undo }) => {
    notes.trouble(kind.inverse, "wait-after");
    await arrived(notes, kind.inverse, earlier.inverses + 1);
    notes.trouble("get", "normal hang-before"); // the read-back, and the look of the next step
    notes.letAnswer(kind.inverse);
    await until("the end of the first step in the journal", () => !recorded(notes).some(({ status }) => status === "undoing"));
    await arrived(notes, "get", earlier.gets + READS + 2);
    await killUndo(undo);
    // A redo's step is undone, and what it did again isn't any more.
    expect(recorded(notes).filter(({ status }) => status === "undone")).toHaveLength(kind.redone ? 2 : 1);
    expect(callsOf(notes, kind.inverse)).toBe(earlier.inverses + 1);
  });
});

test.concurrent.each(KINDS)(
  "P3: an undo killed while %s, the next step looked at before the end of the first is written, sends nothing twice",
  async (_, kind) => {
    await killAt(kind, async ({ notes, earlier, undo }) => {
      notes.trouble(kind.inverse, "wait-after");
      await arrived(notes, kind.inverse, earlier.inverses + 1);
      using _lock = lockJournal(notes);
      notes.letAnswer(kind.inverse);
      await arrived(notes, "get", earlier.gets + READS + 2);
      await killUndo(undo);
      expect(recorded(notes).filter(({ status }) => status === "undoing")).toHaveLength(1);
      expect(callsOf(notes, kind.inverse)).toBe(earlier.inverses + 1);
    });
  },
);

test.concurrent.each(KINDS)(
  "P3: an undo killed while %s, three times at three moments, is still carried on to its end",
  async (_, kind) => {
    await killAt(
      kind,
      async ({ notes, earlier, undo }) => {
        notes.trouble(kind.inverse, "hang-before");
        await arrived(notes, kind.inverse, earlier.inverses + 1);
        await killUndo(undo);
        const second = startUndo(notes, wordsOf(kind));
        notes.trouble(kind.inverse, "hang-after");
        await arrived(notes, kind.inverse, earlier.inverses + 2);
        await killUndo(second);
        const gets = callsOf(notes, "get");
        notes.trouble("get", "hang-before");
        const third = startUndo(notes, wordsOf(kind));
        await arrived(notes, "get", gets + 1);
        await killUndo(third);
      },
      true,
    );
  },
);

test.concurrent("P3: what a person wrote after an undo was killed is kept: carrying on halts and sends nothing", async () => {
  using notes = makeNotes();
  const [, kind] = KINDS[0] as [string, Kind];
  await makeRun(notes, kind);
  const earlier = callsOf(notes, "set");
  const undo = startUndo(notes);
  notes.trouble("set", "hang-after");
  await arrived(notes, "set", earlier + 1);
  await until("the inverse's effect", () => notes.state().notes["b"] === "second");
  await killUndo(undo);
  notes.setState({ ...notes.state(), notes: { ...notes.state().notes, b: "a person's" } });
  const done = await notes.json<UndoDocument>("undo");
  expect(done.state).toBe("partial");
  expect(done.outstanding).toEqual([1, 2]);
  expect(callsOf(notes, "set")).toBe(earlier + 1);
  expect(notes.state().notes).toEqual({ a: "1", b: "a person's", c: "third" });
});

test.concurrent("P3: while the server of a killed undo is still at work, carrying on halts instead of sending the inverse beside it", async () => {
  using notes = makeNotes();
  const [, kind] = KINDS[0] as [string, Kind];
  await makeRun(notes, kind);
  const earlier = callsOf(notes, "set");
  const undo = startUndo(notes);
  notes.trouble("set", "hang-before");
  await arrived(notes, "set", earlier + 1);
  const server = serverBelow(undo.pid);
  using stopped = stop(server);
  kill(undo.pid);
  await undo.exited;
  const done = await notes.json<UndoDocument>("undo");
  expect(done.steps[0]).toMatchObject({ seq: 2, kind: "unknown", reason: "still-running" });
  expect(callsOf(notes, "set")).toBe(earlier + 1);
  stopped.goOn();
  await until(
    "the server's end",
    () =>
      !Bun.spawnSync(["ps", "-o", "stat=", "-p", String(server)])
        .stdout.toString()
        .trim(),
  );
  expect((await notes.json<UndoDocument>("undo")).state).toBe("undone");
});

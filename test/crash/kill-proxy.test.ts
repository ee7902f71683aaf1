// Is a kill -9 of the proxy survived at each of the ten steps of a call? Nothing that reached the server may be missing from the journal,
// the chain must be whole, and undo must be right or halt.
import { expect, test } from "bun:test";
import { Agent, heldId, type ToolResult, textOf } from "../support/agent.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";
import {
  afterCrash,
  answered,
  arrived,
  begin,
  callsOf,
  gone,
  hasRecorded,
  kill,
  killProxy,
  lockJournal,
  recorded,
  serverBelow,
  stop,
  takenIn,
  treeOf,
  type UndoDocument,
} from "./scene.ts";

/** One kind of call, and how it gets as far as its intent. */
interface Kind {
  readonly tool: string;
  readonly args: Record<string, string>;
  /** Reads that the server gets before the call. */
  readonly snapshots: number;
}
const REVERSIBLE: Kind = { tool: "set", args: { key: "a", value: "the agent's" }, snapshots: 1 };
const COMPENSABLE: Kind = { tool: "create", args: { value: "new" }, snapshots: 0 };
const IRREVERSIBLE: Kind = { tool: "send", args: { to: "ada" }, snapshots: 0 };
const KINDS: [string, Kind][] = [
  ["a reversible call", REVERSIBLE],
  ["a compensable call", COMPENSABLE],
  ["an approved irreversible call", IRREVERSIBLE],
];

interface Scene {
  readonly notes: NotesSandbox;
  readonly agent: Agent;
  readonly kind: Kind;
  readonly proxy: number;
}

/** What the crash left: whether the call reached the server, whether it acted, and what a person can do. */
interface Expected {
  readonly status: string | "nothing";
  readonly reached: boolean;
  readonly acted: boolean;
  readonly undo: "undone" | "partial";
}
const NOTHING: Expected = { status: "nothing", reached: false, acted: false, undo: "undone" };

/** Starts an agent, brings its call to a moment, kills the proxy there, and checks what is left. */
async function killAt(kind: Kind, reach: (scene: Scene) => Promise<unknown>, expected: Expected): Promise<void> {
  using notes = makeNotes();
  const before = notes.state();
  await using agent = await Agent.start(notes);
  if (kind === IRREVERSIBLE) {
    const answered = await notes.run("approve", heldId(await agent.call(kind.tool, kind.args)));
    expect(answered.code).toBe(0);
  } else await agent.call("list"); // the run is open from here on
  await reach({ notes, agent, kind, proxy: await agent.proxyPid() });
  await killProxy(agent);
  await check(notes, kind, before, expected);
}

async function check(notes: NotesSandbox, kind: Kind, before: ReturnType<NotesSandbox["state"]>, expected: Expected): Promise<void> {
  const crashed = notes.state();
  const changes = notes.received().filter(({ name }) => name === kind.tool);
  expect(changes).toEqual(expected.reached ? [{ name: kind.tool, args: kind.args }] : []);
  expect(Bun.deepEquals(crashed, before)).toBe(!expected.acted);
  const ended = await notes.run("close");
  expect(ended.err).toBe("");
  expect(ended.code).toBe(0);
  const { run, actions } = await afterCrash(notes);
  const found = actions.filter(({ tool, status }) => tool === kind.tool && status !== "approved");
  expect(found.map(({ status, args }) => ({ status, args }))).toEqual(
    expected.status === "nothing" ? [] : [{ status: expected.status, args: kind.args }],
  );
  // Named, since undo by itself passes over a run that changed nothing.
  const undo = await notes.json<UndoDocument>("undo", run.id);
  expect(undo.state).toBe(expected.undo);
  // An undo that halts has changed nothing; one that went through has left what was there before the agent came.
  expect(notes.state()).toEqual(expected.undo === "undone" ? before : crashed);
  if (expected.undo === "partial") expect(undo.outstanding).toHaveLength(1);
  expect((await afterCrash(notes)).actions).toBeDefined();
}

/**
 * Begins a call and keeps it from writing its intent, from after what it replaces has been read until the lock is given back: a journal that is
 * locked before would keep it from its turn already.
 */
async function keepFromIntent(notes: NotesSandbox, agent: Agent, kind: Kind) {
  if (kind.snapshots === 0) {
    const lock = lockJournal(notes);
    const reply = begin(agent, kind.tool, kind.args);
    await takenIn(agent);
    return { lock, reply };
  }
  notes.trouble("get", "wait-after");
  const reply = begin(agent, kind.tool, kind.args);
  await arrived(notes, "get", kind.snapshots);
  const lock = lockJournal(notes);
  notes.letAnswer("get");
  await answered(notes, "get");
  await takenIn(agent);
  return { lock, reply };
}

test.concurrent.each(KINDS)(
  "P2: killed at step 1, before the bytes of %s were read: nothing was sent and nothing is recorded",
  async (_, kind) => {
    await killAt(
      kind,
      async ({ agent, proxy }) => {
        kill(proxy, "SIGSTOP");
        begin(agent, kind.tool, kind.args);
      },
      NOTHING,
    );
  },
);

test.concurrent("P6: killed at steps 2 to 4, before a hold is written: nothing was sent, and the same call is held by the next proxy", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  await agent.call("list");
  using lock = lockJournal(notes);
  begin(agent, "send", { to: "ada" });
  await takenIn(agent);
  await killProxy(agent);
  lock.release();
  expect(recorded(notes).some(({ tool }) => tool === "send")).toBe(false);
  await afterCrash(notes);
  await using next = await Agent.start(notes);
  expect(heldId(await next.call("send", { to: "ada" }))).not.toBe("");
  expect(notes.state().sent).toEqual([]);
});

test.concurrent("P6: killed at step 4, after a hold was told: its approval lets the same call of the next proxy through, once", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  await killProxy(agent);
  await afterCrash(notes);
  expect((await notes.run("approve", held)).code).toBe(0);
  await using next = await Agent.start(notes);
  expect((await next.call("send", { to: "ada" })).isError).toBeUndefined();
  expect(heldId(await next.call("send", { to: "ada" }))).not.toBe(held);
  expect(notes.state().sent).toEqual(["ada"]);
});

test.concurrent("P6: killed at step 2, before an approval is taken: it stands, and lets one call of the next proxy through", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  await notes.run("approve", held);
  using lock = lockJournal(notes);
  begin(agent, "send", { to: "ada" });
  await takenIn(agent);
  await killProxy(agent);
  lock.release();
  await afterCrash(notes);
  await using next = await Agent.start(notes);
  expect((await next.call("send", { to: "ada" })).isError).toBeUndefined();
  expect(notes.state().sent).toEqual(["ada"]);
});

test.concurrent("P2: killed at step 5, while a call waits for the one before it: only that one was sent, and only it is recorded", async () => {
  await killAt(
    REVERSIBLE,
    async ({ notes, agent, kind }) => {
      notes.trouble("set", "hang-before");
      begin(agent, kind.tool, kind.args);
      await arrived(notes, "set");
      begin(agent, kind.tool, { ...kind.args, value: "second" });
      await takenIn(agent);
    },
    { status: "unknown", reached: true, acted: false, undo: "undone" },
  );
});

test.concurrent("P2: killed at step 6, during the snapshot: nothing was sent and nothing is recorded", async () => {
  await killAt(
    REVERSIBLE,
    async ({ notes, agent, kind }) => {
      notes.trouble("get", "hang-before");
      begin(agent, kind.tool, kind.args);
      await arrived(notes, "get");
    },
    NOTHING,
  );
});

test.concurrent("P2: killed at step 5, before it stands in line for what it touches: nothing was sent, and nothing is in the next call's way", async () => {
  await killAt(
    REVERSIBLE,
    async ({ notes, agent, kind }) => {
      using _lock = lockJournal(notes);
      begin(agent, kind.tool, kind.args);
      await takenIn(agent);
      await killProxy(agent);
    },
    NOTHING,
  );
});

// An approved call is stopped by the same lock at step 2 already, where its approval is taken: see above.
test.concurrent.each(KINDS.slice(0, 2))("P2: killed at step 7, before the intent of %s is on disk: nothing was sent", async (_, kind) => {
  await killAt(
    kind,
    async ({ notes, agent }) => {
      const { lock } = await keepFromIntent(notes, agent, kind);
      using _lock = lock;
      await killProxy(agent);
    },
    NOTHING,
  );
});

test.concurrent.each(KINDS)(
  "P4: killed at step 8, with %s on its way to the server: recorded as unknown, whether it arrives or not",
  async (_, kind) => {
    using notes = makeNotes();
    const before = notes.state();
    await using agent = await Agent.start(notes);
    if (kind === IRREVERSIBLE) await notes.run("approve", heldId(await agent.call(kind.tool, kind.args)));
    else await agent.call("list");
    const proxy = await agent.proxyPid();
    const server = serverBelow(proxy);
    // A call with a snapshot needs its server until that is taken: it is kept from its intent meanwhile.
    using lock = kind.snapshots > 0 ? (await keepFromIntent(notes, agent, kind)).lock : undefined;
    using stopped = stop(server);
    if (lock) lock.release();
    else begin(agent, kind.tool, kind.args);
    await hasRecorded(notes, kind.tool, "intended");
    const pids = treeOf(agent.child.pid);
    kill(proxy);
    stopped.goOn();
    await gone(pids);
    const reached = callsOf(notes, kind.tool) === 1;
    const didNotHappen = !reached && kind === REVERSIBLE; // its snapshot shows so
    await check(notes, kind, before, { status: "unknown", reached, acted: reached, undo: didNotHappen ? "undone" : "partial" });
  },
);

test.concurrent.each(KINDS)(
  "P4: killed at step 8, when the server has %s and hasn't acted: unknown; undo looks, or halts",
  async (_, kind) => {
    await killAt(
      kind,
      async ({ notes, agent }) => {
        notes.trouble(kind.tool, "hang-before");
        begin(agent, kind.tool, kind.args);
        await arrived(notes, kind.tool);
      },
      { status: "unknown", reached: true, acted: false, undo: kind === REVERSIBLE ? "undone" : "partial" },
    );
  },
);

test.concurrent.each(KINDS)(
  "P4: killed at step 8, when the server has carried out %s and not answered: unknown, and undo halts",
  async (_, kind) => {
    await killAt(
      kind,
      async ({ notes, agent }) => {
        const before = JSON.stringify(notes.state());
        notes.trouble(kind.tool, "hang-after");
        begin(agent, kind.tool, kind.args);
        await arrived(notes, kind.tool);
        while (JSON.stringify(notes.state()) === before) await takenIn(agent);
      },
      { status: "unknown", reached: true, acted: true, undo: "partial" },
    );
  },
);

test.concurrent.each(KINDS)(
  "P4: killed at step 9, before the outcome of %s is written: the agent has its answer, with a warning",
  async (_, kind) => {
    await killAt(
      kind,
      async ({ notes, agent }) => {
        notes.trouble(kind.tool, "wait-after");
        const reply = begin(agent, kind.tool, kind.args);
        await arrived(notes, kind.tool);
        using _lock = lockJournal(notes);
        expect(recorded(notes).at(-1)?.status).toBe("intended");
        notes.letAnswer(kind.tool);
        const answer = textOf((await reply).result as ToolResult);
        expect(answer).toContain("its outcome is not recorded");
        expect(answer).toContain("Don't repeat it");
        await killProxy(agent);
      },
      { status: "unknown", reached: true, acted: true, undo: "partial" },
    );
  },
);

test.concurrent("P3: killed at step 9, while the state after a write is read: applied, and undo halts since it can't know what the agent left", async () => {
  await killAt(
    REVERSIBLE,
    async ({ notes, agent, kind }) => {
      const { lock, reply } = await keepFromIntent(notes, agent, kind);
      notes.trouble("get", "hang-before");
      lock.release();
      await reply;
      await arrived(notes, "get", 2);
    },
    { status: "applied", reached: true, acted: true, undo: "partial" },
  );
});

test.concurrent("P3: killed at step 9, while a new thing is observed: applied, and undo halts since it can't know what the agent left", async () => {
  await killAt(
    COMPENSABLE,
    async ({ notes, agent, kind }) => {
      notes.trouble("get", "hang-before");
      await begin(agent, kind.tool, kind.args);
      await arrived(notes, "get");
    },
    { status: "applied", reached: true, acted: true, undo: "partial" },
  );
});

test.concurrent.each([
  ["error-before", false],
  ["error-after", true],
] as const)("P4: killed at step 10, while an error of the server (%s) is checked: unknown, never failed", async (word, acted) => {
  await killAt(
    REVERSIBLE,
    async ({ notes, agent, kind }) => {
      notes.trouble("set", word);
      const { lock, reply } = await keepFromIntent(notes, agent, kind);
      notes.trouble("get", "hang-before");
      lock.release();
      expect(((await reply).result as ToolResult).isError).toBe(true);
      await arrived(notes, "get", 2);
    },
    { status: "unknown", reached: true, acted, undo: acted ? "partial" : "undone" },
  );
});

test.concurrent("P6: an approval whose call was sent is spent, whatever became of it: the same call is held anew", async () => {
  using notes = makeNotes();
  await using agent = await Agent.start(notes);
  const held = heldId(await agent.call("send", { to: "ada" }));
  await notes.run("approve", held);
  notes.trouble("send", "hang-before");
  begin(agent, "send", { to: "ada" });
  await arrived(notes, "send");
  await killProxy(agent);
  await using next = await Agent.start(notes);
  expect(heldId(await next.call("send", { to: "ada" }))).not.toBe(held);
  expect(callsOf(notes, "send")).toBe(1);
});

// What does a person see of a plan? The whole text at several widths, written by hand; nothing hostile in it, and nothing important out of sight.
import { describe, expect, test } from "bun:test";
import { planText, reportText } from "../../../src/cli/render/plan.ts";
import type { PlanView } from "../../../src/cli/render/plan-view.ts";
import { styleFor } from "../../../src/cli/render/style.ts";
import { findConnections } from "../../../src/core/connections.ts";
import type { PlanAction } from "../../../src/core/plan-step.ts";
import type { State } from "../../../src/core/state.ts";
import { type PlanOptions, planUndo } from "../../../src/core/undo-plan.ts";
import type { Run } from "../../../src/journal/journal.ts";
import { ABSENT, creation, present, readOf, write } from "../../core/plan-actions.ts";
import { processorTime } from "../../support/patience.ts";

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 2, 1, 12);

function view(columns: number, runs: readonly string[] = ["run-1"], told: Partial<PlanView> = {}): PlanView {
  return {
    kind: "undo",
    keepGoing: false,
    named: new Set(),
    again: (...more) => ["synartesis undo run-1", ...more].join(" "),
    now: NOW,
    columns,
    // Only its id and number are looked at.
    runs: runs.map((id) => ({ id }) as Run),
    style: styleFor(false),
    command: (...words) => `synartesis ${words.join(" ")}`,
    ...told,
  };
}

const NO_CONNECTIONS = findConnections([]);

/** Shows the plan for some actions, each on a note of its own, given what is there now. */
function shown(
  columns: number,
  judged: readonly (readonly [PlanAction, State])[],
  options: PlanOptions = {},
  told: Partial<PlanView> = {},
): string {
  const now = new Map(judged.flatMap(([{ read }, state]) => (read === undefined ? [] : [[read.key, state] as const])));
  const plan = planUndo(
    judged.map(([action]) => action),
    now,
    { at: NOW, ...options },
  );
  return planText(view(columns, undefined, told), plan, options.connections ?? NO_CONNECTIONS);
}

/** A write to a record whose inverse puts back its name and plan. */
function update(seq: number, facts: Partial<PlanAction> = {}): PlanAction {
  const steps = (name: string) => [{ kind: "member", name } as const];
  return write({
    seq,
    resources: [`notes:${seq}`],
    read: readOf(`${seq}`),
    rules: { ignore: [], sets: [], identity: [], relevant: [steps("name"), steps("plan"), steps("note")] },
    before: present({ name: "Ada", plan: "pro", note: "" }),
    left: present({ name: "Ada", plan: "free", note: "" }),
    wayBack: {
      templates: [
        {
          server: "notes",
          tool: "set",
          args: { kind: "reference", reference: { namespace: "snapshot", steps: [], text: "$snapshot" } },
        },
      ],
      args: {},
      result: undefined,
    },
    ...facts,
  });
}

const AS_LEFT = present({ name: "Ada", plan: "free", note: "" });

const STORY: readonly (readonly [PlanAction, State])[] = [
  [update(1), present({ name: "Ada", plan: "enterprise", note: "" })],
  [
    write({
      seq: 2,
      tool: "send",
      class: "irreversible",
      status: "permanent",
      resources: [],
      read: undefined,
      approvedBy: "maria",
      approvedAt: NOW - 5 * 60_000,
      terms: { remedy: "write to them that it was a mistake" },
    }),
    ABSENT,
  ],
  [update(3), present({ name: "Ada Byron", plan: "free", note: "" })],
  [
    creation({
      seq: 4,
      terms: { within: 24 * HOUR, sideEffects: "the followers are told", cost: "one credit" },
      settledAt: NOW - HOUR,
    }),
    present("new"),
  ],
  [update(5, { terms: { within: 2 * HOUR }, settledAt: NOW - HOUR }), AS_LEFT],
  [update(6, { terms: { within: HOUR, remedy: "ask the support" }, settledAt: NOW - 3 * HOUR }), AS_LEFT],
  [update(7), present({ name: "Ada", plan: "pro", note: "" })],
];

test("a plan at 80 columns says of each step what becomes of it, what it comes with, and sums up", () => {
  expect(shown(80, STORY)).toBe(`\
   7 = done  notes.set  notes:7
     it is already as it was before
   6 ! expired  notes.set  notes:6
     its undo window has closed
     could be undone until 2026-03-01 10:00:00 (2h ago)
     suggested: ask the support
   5 ~ restore  notes.set  notes:5
     it is as the agent left it
       plan: "free" -> "pro"
     can be undone until 2026-03-01 13:00:00 (in 1h)
   4 ± compensate  notes.create  notes:n1
     it is as the agent left it
     sends notes.remove {"key":"n1"}
     side effects: the followers are told
     cost: one credit
     can be undone until 2026-03-02 11:00:00 (in 23h)
   3 ≈ merge  notes.set  notes:3
     only what the agent changed goes back; what others changed since is kept
       plan: "free" -> "pro"
       kept, as changed since:
         name: "Ada" -> "Ada Byron"
   2 ! permanent  notes.send
     nothing can put it back
     approved by maria, 2026-03-01 11:55:00 (5m ago)
     suggested: write to them that it was a mistake
   1 ≠ conflict  notes.set  notes:1
     it was changed since
       field  before  agent left  now
       plan   "pro"   "free"      "enterprise"
Side effects: 4
Costs something: 4
Closes first: 5, in 1h (2026-03-01 13:00:00)
Plan: 1 to put back, 1 merged, 1 to offset, 1 already so, 1 permanent, 1
expired, 1 conflict
It would halt at step 1; nothing else waits for that.
To leave it as it is:
  synartesis undo run-1 --skip 1
To put it back over what others changed:
  synartesis undo run-1 --overwrite 1`);
});

test("at 40 columns the same is said, a field on several lines where it has to be", () => {
  expect(shown(40, STORY.slice(0, 4))).toBe(`\
   4 ± compensate  notes.create
     notes:n1
     it is as the agent left it
     sends notes.remove {"key":"n1"}
     side effects: the followers are
     told
     cost: one credit
     can be undone until 2026-03-02
     11:00:00 (in 23h)
   3 ≈ merge  notes.set  notes:3
     only what the agent changed goes
     back; what others changed since is
     kept
       plan: "free" -> "pro"
       kept, as changed since:
         name: "Ada" -> "Ada Byron"
   2 ! permanent  notes.send
     nothing can put it back
     approved by maria, 2026-03-01
     11:55:00 (5m ago)
     suggested: write to them that it
     was a mistake
   1 ≠ conflict  notes.set  notes:1
     it was changed since
       plan
         before      "pro"
         agent left  "free"
         now         "enterprise"
Side effects: 4
Costs something: 4
Closes first: 4, in 23h (2026-03-02
11:00:00)
Plan: 0 to put back, 1 merged, 1 to
offset, 1 permanent, 1 conflict
It would halt at step 1; nothing else
waits for that.
To leave it as it is:
  synartesis undo run-1 --skip 1
To put it back over what others changed:
  synartesis undo run-1 --overwrite 1`);
});

test("a conflict with a later call names it, and what to type to undo that first; what it keeps from being reached says so", () => {
  const changedBy = { run: "run-2", seq: 9, id: "action-9" };
  const judged = [
    [update(1), AS_LEFT],
    [update(2, { coveredBy: changedBy }), present({ name: "Ada", plan: "enterprise", note: "" })],
  ] as const;
  expect(shown(80, judged)).toBe(`\
   2 ≠ conflict  notes.set  notes:2
     it was changed since
       field  before  agent left  now
       plan   "pro"   "free"      "enterprise"
     changed since by run-2:9, a call of run run-2; to undo that first:
       synartesis undo run-2 --only 9
   1 · not reached  notes.set  notes:1
     because of 2
Plan: 0 to put back, 1 conflict, 1 not reached
It would halt at step 2; 1 older step stays as it is.
To leave it as it is:
  synartesis undo run-1 --skip 2
To put it back over what others changed:
  synartesis undo run-1 --overwrite 2
To go on with what isn't connected to it:
  synartesis undo run-1 --keep-going`);
});

test("every halt is named, keeping on isn't suggested where it was asked for, and what isn't reached counts as nothing else", () => {
  const changed = present({ name: "Ada", plan: "enterprise", note: "" });
  const judged = [
    [update(1, { resources: ["notes:2"] }), changed],
    [update(2), changed],
    [update(3), AS_LEFT],
    [update(4, { status: "unknown", reason: "reply-lost" }), changed],
    [update(5), changed],
  ] as const;
  const text = shown(80, judged, { keepGoing: true }, { keepGoing: true });
  expect(text.match(/^ {3}\d .*$/gm)).toEqual([
    "   5 ≠ conflict  notes.set  notes:5",
    "   4 ? unknown  notes.set  notes:4",
    "   3 ~ restore  notes.set  notes:3",
    "   2 ≠ conflict  notes.set  notes:2",
    "   1 · not reached  notes.set  notes:2",
  ]);
  expect(text).toEndWith(`
   1 · not reached  notes.set  notes:2
     because of 2
Plan: 1 to put back, 2 conflicts, 1 unknown, 1 not reached
It would halt at 5, 4 and 2; 1 older step stays as it is.
To leave 5, 4 and 2 as they are:
  synartesis undo run-1 --skip 5,4,2
To put 5 and 2 back over what others changed:
  synartesis undo run-1 --overwrite 5,2`);
});

test("P3: what nothing can put back is named as such, also where it isn't reached", () => {
  const text = shown(80, [STORY[1] as (typeof STORY)[number], [update(3), present({ name: "Ada", plan: "enterprise", note: "" })]]);
  expect(text).toContain("   2 ! permanent (not reached)  notes.send\n     nothing can put it back\n");
  expect(text).toContain("Plan: 0 to put back, 1 permanent, 1 conflict\n");
});

test("of what is sent unverified it is said what that is", () => {
  const blind = (seq: number) => [creation({ seq, id: `action-${seq}`, resources: [`notes:${seq}`], read: undefined }), ABSENT] as const;
  expect(shown(80, [blind(1), [update(2), AS_LEFT]])).toEndWith("\nPlan: 1 to put back, 1 to offset (unverified)");
  const seen = creation({ seq: 3, id: "action-3", resources: ["notes:3"], read: readOf("3") });
  expect(shown(80, [blind(1), [seen, present("new")]])).toEndWith("\nPlan: 0 to put back, 2 to offset (1 unverified)");
});

test("what was put back before is only counted, unless it was asked for by its number; so is what changed nothing", () => {
  const judged = [
    [update(1, { status: "undone" }), AS_LEFT],
    [update(2, { status: "held" }), AS_LEFT],
    [update(3), AS_LEFT],
  ] as const;
  expect(shown(80, judged)).toBe(`\
   3 ~ restore  notes.set  notes:3
     it is as the agent left it
       plan: "free" -> "pro"
Plan: 1 to put back, 1 put back before`);
  const ids = new Set(["action-1", "action-2"]);
  expect(shown(80, judged, { selected: ids }, { named: ids })).toBe(`\
   2 · skip  notes.set  notes:2
     it waits for a person, and was not carried out
   1 = done  notes.set  notes:1
     put back before
Plan: 0 to put back, 1 put back before, 1 kept`);
});

test.each([
  [{ status: "failed", reason: "tool-error" }, "it failed: the tool said so, and the state is unchanged"],
  [{ status: "failed", reason: "not-sent" }, "it failed: it was never sent"],
  [{ status: "denied", reason: "by-person" }, "it was not let through: a person denied it"],
  [{ class: "readonly" }, "a read: there is nothing to put back"],
] as const)("a call asked for by its number says why nothing is to be done: %j", (facts, words) => {
  const ids = new Set(["action-1"]);
  expect(shown(80, [[update(1, facts), AS_LEFT]], { selected: ids }, { named: ids })).toStartWith(
    `   1 · skip  notes.set  notes:1\n     ${words}\n`,
  );
});

test("a redo says that the undo left what is there, in a conflict's table too", () => {
  const judged = [
    [update(1), present({ name: "Ada", plan: "enterprise", note: "" })],
    [update(2), present({ name: "Ada Byron", plan: "free", note: "" })],
    [update(3), AS_LEFT],
    [update(4), present({ name: "Ada", plan: "pro", note: "" })],
  ] as const;
  const text = shown(80, judged, {}, { kind: "redo" });
  expect(text).not.toContain("agent");
  for (const words of [
    "     it is as the undo left it\n",
    "     only what the undo changed goes back; what others changed since is kept\n",
    "     it is already as it was before the undo\n",
    "       field  before  undo left  now\n",
    "\nPlan: 1 to do again, 1 merged, 1 already so, 1 conflict\n",
  ])
    expect(text).toContain(words);
});

test("what a call left whose reply was lost isn't known, which is something else than nothing", () => {
  const now = present({ name: "Ada", plan: "enterprise", note: "" });
  const lost = update(1, { status: "unknown", reason: "reply-lost", left: undefined });
  expect(shown(80, [[lost, now]])).toContain(`
       field  before  agent left  now
       plan   "pro"   not known   "enterprise"
`);
  expect(shown(40, [[lost, now]])).toContain(`
       plan
         before      "pro"
         agent left  not known
         now         "enterprise"
`);
});

describe("a conflict over a whole record", () => {
  const deleted = update(1, { left: ABSENT });
  const now = present({ plan: "enterprise", note: "", name: "Ada", by: { who: "a person", when: "today" } });

  test("is shown by its fields, whatever the order of their keys", () => {
    expect(shown(80, [[deleted, now]])).toContain(`
       field  before     agent left  now
       plan   "pro"      (nothing)   "enterprise"
       by     (nothing)  (nothing)   {"who":"a person","when":"today"}
`);
  });

  test("within another one is shown so, too", () => {
    const home = (city: string) => present({ plan: { street: "1 High St", city, zip: "x".repeat(80) } });
    const action = update(1, { before: home("Oxford"), left: present({ name: "Ada" }) });
    expect(shown(80, [[action, home("Bath")]])).toContain(`
       field      before    agent left  now
       plan.city  "Oxford"  (nothing)   "Bath"
`);
  });

  test("is so at 40 columns too", () => {
    expect(shown(40, [[deleted, now]])).toContain(`
       plan
         before      "pro"
         agent left  (nothing)
         now         "enterprise"
       by
         before      (nothing)
         agent left  (nothing)
         now         {"who":"a person",…
`);
  });
});

test("a step that goes as the plan had shown it is one line; what goes another way is shown whole", () => {
  const judged = (now: State) => {
    const [step] = planUndo([update(1)], new Map([[readOf("1").key, now]]), { at: NOW }).steps;
    return step as NonNullable<typeof step>;
  };
  const undone = { kind: "undone", verified: true } as const;
  const planned = judged(AS_LEFT);
  expect(reportText(view(80), { step: planned, end: undone, halts: false }, planned)).toBe("   1 ~ restore  notes.set  notes:1");
  const whole = '   1 ~ restore  notes.set  notes:1\n     it is as the agent left it\n       plan: "free" -> "pro"';
  expect(reportText(view(80), { step: planned, end: undone, halts: false })).toBe(whole);
  const refused = { kind: "refused", said: "no" } as const;
  expect(reportText(view(80), { step: planned, end: refused, halts: true }, planned)).toBe(
    `${whole}\n     the server refused, and nothing changed: no`,
  );
  const merged = judged(present({ name: "Ada Byron", plan: "free", note: "" }));
  expect(reportText(view(80), { step: merged, end: undone, halts: false }, planned)).toContain("kept, as changed since:");
});

test("what a later call uses of an earlier one's result is said at both", () => {
  const made = { id: "action-1", seq: 1, resources: ["notes:n1"], args: {}, result: { key: "n1" }, stands: true };
  const used = { id: "action-2", seq: 2, resources: ["notes:2"], args: { link: "n1" }, result: undefined, stands: true };
  const judged = [
    [creation(), present("new")],
    [update(2), AS_LEFT],
  ] as const;
  const text = shown(80, judged, { connections: findConnections([made, used]) });
  expect(text.split("\n").filter((line) => line === '     2 uses "n1", which 1 brought')).toHaveLength(2);
});

test("what wasn't asked for is counted, and what was left by choice is named", () => {
  const judged = [1, 2, 3].map((seq) => [update(seq), AS_LEFT] as const);
  const options = { selected: new Set(["action-2", "action-3"]), choices: new Map([["action-3", "skip"]] as const) };
  expect(shown(80, judged, options)).toBe(`\
   3 · kept  notes.set  notes:3
     left as it is, by choice
   2 ~ restore  notes.set  notes:2
     it is as the agent left it
       plan: "free" -> "pro"
Plan: 1 to put back, 2 kept`);
});

test("where it isn't known whether a call happened, it is said what to type; an id names the call", () => {
  const text = shown(80, [[update(1, { status: "unknown", reason: "reply-lost" }), present({ name: "?" })]]);
  expect(text).toContain("     the reply was lost\n");
  expect(text).toContain("\n       synartesis resolve action-1 --applied\n");
});

/** Shows a change of one field. */
function note(columns: number, left: string, before: string | undefined): string[] {
  const states = { before: present(before === undefined ? {} : { note: before }), left: present({ note: left }) };
  const lines = shown(columns, [[update(1, states), states.left]]).split("\n");
  return lines.slice(
    2,
    lines.findIndex((line) => line.startsWith("Plan:")),
  );
}

describe("a long text", () => {
  const numbered = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join("");

  test("is shown by its changed lines, with two around them", () => {
    const left = `${numbered(1, 20)}agent's\n${numbered(21, 40)}end`;
    expect(note(80, left, `${numbered(1, 40)}end\n`)).toEqual([
      "       note: 2 lines removed, 1 added",
      "         @ line 19",
      "           line 19",
      "           line 20",
      "         - agent's",
      "           line 21",
      "           line 22",
      "         @ line 39",
      "           line 39",
      "           line 40",
      "         - end (no line end)",
      "         + end",
    ]);
  });

  test("that is replaced as a whole shows the beginning of both, and how much more there is", () => {
    expect(note(80, numbered(1, 3000), numbered(5001, 5004))).toEqual([
      "       note: 3,000 lines removed, 4 added",
      "         @ line 1",
      ...[1, 2, 3, 4, 5].map((line) => `         - line ${line}`),
      "         - … 2,995 more lines",
      ...[5001, 5002, 5003, 5004].map((line) => `         + line ${line}`),
    ]);
  });

  test("that is changed in many places shows the first ones, within a bounded number of lines", () => {
    const left = Array.from({ length: 500 }, (_, at) => `line ${at}\nsame\nsame ${at}\n`).join("");
    const lines = note(80, left, left.replaceAll("line", "LINE"));
    expect(lines).toHaveLength(25);
    expect(lines.at(-1)).toMatch(/^ {9}… [\d,]+ more lines$/);
  });

  test("on one line is shown where it differs", () => {
    const same = "the same beginning ".repeat(200);
    expect(note(60, `${same}left`, `${same}before`)).toEqual([
      "       note:",
      '         - …e beginning left"',
      '         + …e beginning before"',
    ]);
  });
});

test("what is no text is shown by its size and digest, each side of it", () => {
  const bytes = (fill: string) => Buffer.alloc(3000, fill).toString("base64");
  expect(note(80, bytes("a"), bytes("b")).join("\n")).toBe(`\
       note:
         - (base64: 3,000 bytes, sha256 ${Bun.SHA256.hash(Buffer.alloc(3000, "a"), "hex").slice(0, 16)})
         + (base64: 3,000 bytes, sha256 ${Bun.SHA256.hash(Buffer.alloc(3000, "b"), "hex").slice(0, 16)})`);
  expect(note(120, "x\u0000y", `data:image/png;base64,${bytes("b")}`).join("\n")).toMatch(
    /no text: 3 bytes.*image\/png in base64: 3,000 bytes/s,
  );
});

test("bytes in lines of one length are bytes, and a list of words is a text", () => {
  const bytes = (fill: number) =>
    (
      Buffer.alloc(3000, fill)
        .toString("base64")
        .match(/.{1,76}/g) ?? []
    ).join("\r\n");
  expect(note(80, bytes(1), bytes(2)).join("\n")).toMatch(/- \(base64: 3,000 bytes.*\n.*\+ \(base64: 3,000 bytes/);
  const words = "word\n".repeat(100);
  expect(note(80, `${words}more`, words)).toEqual([
    "       note: 1 line removed, 0 added",
    "         @ line 99",
    "           word",
    "           word",
    "         - more (no line end)",
  ]);
});

test("a text made to take long to look at doesn't", () => {
  const spent = processorTime();
  note(80, `${"\n".repeat(900_000)}!`, "A".repeat(900_000));
  note(80, `${"A".repeat(900_000)}!`, "data:".repeat(100_000));
  note(80, "same\nline\n".repeat(50_000), Array.from({ length: 50_000 }, (_, at) => `same\n${at}\n`).join(""));
  expect(spent()).toBeLessThan(5000);
});

test("a thing that comes back shows only the members that are put back", () => {
  const action = update(1, { left: ABSENT, before: present({ name: "Ada", plan: "pro", note: "", changed_at: "2026-01-01" }) });
  expect(
    shown(40, [[action, ABSENT]])
      .split("\n")
      .slice(2, 6),
  ).toEqual(["       (absent) ->", '         name: "Ada"', '         plan: "pro"', '         note: ""']);
});

test("a text of several lines in a conflict shows each side by its lines", () => {
  const states = { before: present({ note: "1\n2\n" }), left: present({ note: "3\n4\n" }) };
  expect(
    shown(80, [[update(1, states), present({ note: "5\n6\n" })]])
      .split("\n")
      .slice(2, 12),
  ).toEqual([
    "       note",
    "         before      2 lines",
    "           1",
    "           2",
    "         agent left  2 lines",
    "           3",
    "           4",
    "         now         2 lines",
    "           5",
    "           6",
  ]);
});

test("P3: nothing hostile is shown as it is, and it pushes nothing out of sight, at any width", () => {
  const hostile = "\u001b[2J\u202e\r\n\u200b".repeat(2000);
  const action = update(1, {
    tool: hostile,
    resources: [hostile, ...Array.from({ length: 9000 }, (_, at) => `notes:${at}`)],
    before: present({ [hostile]: "a", plan: hostile }),
    left: present({ [hostile]: "b", plan: "free" }),
    rules: { ignore: [], sets: [], identity: [], relevant: undefined },
    approvedBy: hostile,
    terms: { sideEffects: hostile, within: HOUR },
    settledAt: NOW,
  });
  for (const columns of [40, 80, 200]) {
    for (const now of [
      action.left as State,
      present({ [hostile]: "b", plan: "a person's" }),
      ABSENT,
      { kind: "unreadable", cause: "failed", why: hostile } as const,
    ]) {
      const text = shown(columns, [[action, now]]);
      expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e\u200b]/u);
      expect(text.split("\n").length).toBeLessThan(150);
      for (const line of text.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(columns);
      expect(text).toMatch(/^ {3}1 [~≠=] (restore|conflict|done)/);
      expect(text).toMatch(/\nPlan: \d/);
    }
  }
});

test("where several runs are undone, a call is named with its run", () => {
  const action = update(3, { run: "aaaaaaaa-one" });
  const plan = planUndo([action], new Map([[action.read?.key ?? "", AS_LEFT]]));
  expect(planText(view(80, ["aaaaaaaa-one", "bbbbbbbb-two"]), plan, NO_CONNECTIONS)).toContain("aaaaaaaa:3 ~ restore  notes.set");
});

test("a step that came to something else than was meant says what", () => {
  const action = update(1);
  const [step] = planUndo([action], new Map([[action.read?.key ?? "", AS_LEFT]])).steps;
  if (step === undefined) throw new Error("there is one step");
  const said = (end: Parameters<typeof reportText>[1]["end"]) =>
    reportText(view(80), { step, end, halts: true }).split("\n").slice(3).join(" ");
  expect(said({ kind: "undone", verified: true })).toBe("");
  expect(said({ kind: "refused", said: "no\u001b[31m" })).toBe("     the server refused, and nothing changed: no\\u001b[31m");
  expect(said({ kind: "stuck", reason: "read-back-differs", said: null, now: present({ plan: "x" }) })).toBe(
    `     stuck: what was read back isn't what was meant; now {"plan":"x"}`,
  );
});

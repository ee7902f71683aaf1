// Does the screen show what is, and do its keys do what they say? The executable on an emulated terminal, with real agents beside.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, renameSync } from "node:fs";
import { Agent, childrenOf, heldId, isRunning, runOf, textOf } from "../support/agent.ts";
import { actions, journalFile, runs } from "../support/documents.ts";
import { type EmulatedTerminal, emulateTerminal, shows } from "../support/emulator.ts";
import { edit, makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";
import { until } from "../support/patience.ts";
import { EXECUTABLE } from "../support/sandbox.ts";

/** Presses a key until it is taken: one that comes too soon is refused, and says so. */
async function insist(screen: EmulatedTerminal, key: string, isTaken: () => boolean): Promise<void> {
  await until(`the key ${key} is taken`, async () => {
    screen.type(key);
    await Bun.sleep(700); // keys that come closer to each other answer nothing, which is what the screen promises
    return isTaken();
  });
}

const seen = (screen: EmulatedTerminal, text: string) => screen.lines().join("\n").includes(text);

async function held(notes: NotesSandbox, args: object): Promise<string> {
  const agent = await Agent.start(notes);
  const id = heldId(await agent.call("send", args));
  await agent.end();
  return id;
}

test("P6: a call is let through by a, whole on the screen, in the name that was given; and q gives the terminal back", async () => {
  using notes = makeNotes();
  await held(notes, { to: "ada\u001b[2J", body: "x" });
  await using screen = emulateTerminal(notes, 'exec "$0" watch --by maria', EXECUTABLE);
  await shows(screen, '"to": "ada\\u001b[2J"');
  expect(screen.isAlternate()).toBe(true);
  await insist(screen, "a", () => seen(screen, "approved: notes.send"));
  await shows(screen, "nothing waits");
  expect((await actions(notes)).map(({ status }) => status)).toEqual(["approved"]);
  screen.type("qq");
  expect(seen(screen, "nothing waits")).toBe(true);
  await insist(screen, "q", () => screen.child.exitCode !== null || !seen(screen, "nothing waits"));
  await insist(screen, "q", () => screen.child.exitCode !== null);
  expect([screen.child.exitCode, screen.isAlternate(), screen.isCursorShown()]).toEqual([0, false, true]);
});

test("P6: keys that come while an answer is being recorded lead where they lead", async () => {
  using notes = makeNotes();
  await held(notes, { to: "ada" });
  await using screen = emulateTerminal(notes, 'exec "$0" watch', EXECUTABLE);
  await shows(screen, '"to": "ada"');
  const other = new Database(journalFile(notes));
  other.run("BEGIN IMMEDIATE");
  await insist(screen, "a", () => seen(screen, "answering"));
  screen.type("?");
  await shows(screen, "let the call that is shown through");
  other.run("ROLLBACK");
  other.close();
  await shows(screen, "approved: notes.send");
  expect(seen(screen, "let the call that is shown through")).toBe(true);
});

test("P6: a terminal that the agent's client has started can't answer", async () => {
  using notes = makeNotes();
  await using agent = await Agent.startAsChild(notes);
  const id = heldId(await agent.call("send", { to: "ada" }));
  await using screen = emulateTerminal(notes, 'exec "$0" watch', EXECUTABLE);
  await shows(screen, id);
  await insist(screen, "a", () => seen(screen, "was started by test-agent"));
  expect((await actions(notes)).map(({ status }) => status)).toEqual(["held"]);
});

test("P6: pasted letters and those typed before the screen was there answer nothing", async () => {
  using notes = makeNotes();
  const id = await held(notes, { to: "ada" });
  await using screen = emulateTerminal(notes, 'sleep 0.3; exec "$0" watch', EXECUTABLE);
  screen.type("a");
  await shows(screen, id);
  for (const paste of ["\u001b[200~a\u001b[201~", "aa", "\u001b[200~d\r\u001b[201~"]) {
    await Bun.sleep(700);
    screen.type(paste);
  }
  screen.type("?");
  await shows(screen, "open what is chosen");
  expect((await actions(notes)).map(({ status }) => status)).toEqual(["held"]);
});

test("what is held while the screen is open appears, rings once, and is told to the desktop as it is written", async () => {
  using notes = makeNotes();
  await held(notes, { to: "ada" });
  chmodSync(notes.write("bin/notify-send", '#!/bin/sh\nprintf "%s\\n" "$@" >>"$HOME/notified"\n'), 0o755);
  const env = { PATH: `${notes.folder}/bin:${notes.env["PATH"]}` };
  await using screen = emulateTerminal(notes, 'exec "$0" watch', EXECUTABLE, { env });
  await shows(screen, '"ada"');
  expect(screen.bells()).toBe(0);
  await using agent = await Agent.start(notes);
  await agent.call("send", { to: "bob" });
  await shows(screen, "2 wait");
  const told = `${notes.env["HOME"]}/notified`;
  await until("the desktop is told", () => existsSync(told) && readFileSync(told, "utf8").endsWith("watch\n"));
  expect(readFileSync(told, "utf8")).toBe(
    "--app-name=Synartesis\n--\nSynartesis: notes.send waits\nApprove or deny it: synartesis watch\n",
  );
  expect(screen.bells()).toBe(1);
});

test("--no-notify rings no bell", async () => {
  using notes = makeNotes();
  await held(notes, { to: "ada" });
  await using screen = emulateTerminal(notes, 'exec "$0" watch --no-notify', EXECUTABLE);
  await shows(screen, '"ada"');
  await using agent = await Agent.start(notes);
  await agent.call("send", { to: "bob" });
  await shows(screen, "2 wait");
  expect(screen.bells()).toBe(0);
});

test("d denies, with the reason that is typed", async () => {
  using notes = makeNotes();
  await held(notes, { to: "ada" });
  await using screen = emulateTerminal(notes, 'exec "$0" watch', EXECUTABLE);
  await shows(screen, '"ada"');
  await insist(screen, "d", () => seen(screen, "denied, because"));
  screen.type("wrong person");
  await shows(screen, "wrong person");
  screen.type("\r");
  await shows(screen, "denied: notes.send");
  expect((await actions(notes))[0]).toMatchObject({ status: "denied", detail: "wrong person" });
});

test("P3: u shows the plan and asks; yes puts back as undo does, no leaves all as it was", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  await using screen = emulateTerminal(notes, 'exec "$0"', EXECUTABLE);
  await shows(screen, "synartesis: runs");
  screen.type("u");
  await shows(screen, 'value: "1" -> "first"');
  await shows(screen, "Put this back? (y/n)  Plan: 1 to put back");
  screen.type("n");
  await shows(screen, "synartesis: runs");
  expect(notes.state().notes["a"]).toBe("1");
  screen.type("u");
  await shows(screen, "Put this back?");
  await insist(screen, "y", () => seen(screen, "is undone: 1 put back."));
  expect(notes.state().notes["a"]).toBe("first");
  expect((await runs(notes)).map(({ kind, state }) => `${kind} ${state}`)).toEqual(["undo ended", "agent undone"]);
});

test("P3: where the run's client is connected, l undoes through its session, after the same plan and question", async () => {
  using notes = makeNotes(NOTES_RULES, ["--memory"]);
  await using agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await using screen = await emulateTerminal(notes, 'exec "$0"', EXECUTABLE);
  await shows(screen, "synartesis: runs");
  screen.type("u");
  await shows(screen, "is still connected");
  expect(seen(screen, "l undo live")).toBe(true);
  await insist(screen, "l", () => seen(screen, "Put this back? (y/n)  Plan: 1 to put back"));
  expect(screen.lines().join(" ").replace(/\s+/g, " ")).toContain("while its agent is connected");
  await insist(screen, "y", () => seen(screen, "is undone: 1 put back."));
  expect(textOf(await agent.call("get", { key: "a" }))).toContain("first");
});

for (const [key, choice, left] of [
  ["s", "skip", { a: "theirs", b: "second" }],
  ["o", "overwrite", { a: "first", b: "second" }],
] as const)
  test(`P3: where an undo halts, ${key} asks for it with --${choice}, and the new plan is asked about`, async () => {
    using notes = makeNotes();
    await runOf(notes, ["set", { key: "b", value: "2" }], ["set", { key: "a", value: "1" }]);
    edit(notes, { a: "theirs" });
    await using screen = await emulateTerminal(notes, 'exec "$0"', EXECUTABLE);
    await shows(screen, "synartesis: runs");
    screen.type("u");
    await shows(screen, "Halted at 2.");
    expect(seen(screen, "s skip  o overwrite")).toBe(true);
    expect(notes.state().notes).toMatchObject({ a: "theirs", b: "2" });
    await insist(screen, key, () => seen(screen, "Put this back?"));
    await insist(screen, "y", () => seen(screen, "undone: "));
    expect(notes.state().notes).toMatchObject(left);
  });

test("one opens a run, a call of it, and sees its arguments, what it changed and what would undo it", async () => {
  using notes = makeNotes();
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "1" });
  await agent.end();
  await using screen = emulateTerminal(notes, 'exec "$0"', EXECUTABLE);
  await shows(screen, "test-agent 1");
  screen.type("\r");
  await shows(screen, "notes.set  notes:note:a");
  screen.type("\r");
  await shows(screen, 'value: "first" -> "1"');
  expect(seen(screen, 'undo: notes.set {"key":"a","value":"first"}')).toBe(true);
  expect(seen(screen, '"key": "a"')).toBe(true);
});

test("P3: Ctrl-C in the middle of an undo leaves on the terminal what was done, and the record doesn't claim more", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }], ["set", { key: "b", value: "2" }]);
  await using screen = emulateTerminal(notes, 'exec "$0"', EXECUTABLE);
  await shows(screen, "synartesis: runs");
  screen.type("u");
  await shows(screen, "Put this back?");
  notes.trouble("set", "hang-before");
  await insist(screen, "y", () => seen(screen, "^C end"));
  await until("the first step is sent", () => notes.received().filter(({ name }) => name === "set").length === 3);
  screen.type("\u0003");
  await screen.child.exited;
  expect([screen.child.exitCode, screen.isAlternate()]).toEqual([130, false]);
  await shows(screen, "Plan: 2 to put back");
  const [undoing, run] = await runs(notes);
  expect([undoing?.kind, run?.state]).toEqual(["undo", "ended"]);
  expect(notes.state().notes).toMatchObject({ a: "1", b: "2" });
});

test("P3: the undo of one run never stands under the name of another", async () => {
  using notes = makeNotes();
  await runOf(notes, ["set", { key: "a", value: "1" }]);
  await held(notes, { to: "ada" });
  await using screen = emulateTerminal(notes, 'exec "$0"', EXECUTABLE);
  await shows(screen, "synartesis: runs");
  screen.type("j");
  await until("the older run is chosen", () => screen.lines()[3]?.startsWith("> ") === true);
  screen.type("u");
  await shows(screen, "Put this back?");
  for (const [key, then] of [
    ["w", "held: notes.send"],
    ["\r", "u undo run"],
    ["u", "There is nothing to put back"],
    ["\u001b", "u undo run"],
    ["\u001b", "held: notes.send"],
    ["\u001b", "synartesis: runs"],
  ] as const) {
    screen.type(key);
    await shows(screen, then);
  }
});

for (const [how, stop] of [
  ["Ctrl-Z", (screen: EmulatedTerminal) => screen.type("\u001a")],
  ["SIGSTOP", (screen: EmulatedTerminal) => process.kill(childrenOf(screen.child.pid)[0] ?? Number.NaN, "SIGSTOP")],
] as const)
  test(`after ${how} the shell has its terminal, and after fg the screen is whole and answers`, async () => {
    using notes = makeNotes();
    await held(notes, { to: "ada" });
    await using screen = emulateTerminal(notes, "exec sh -i", EXECUTABLE);
    screen.type(`"${EXECUTABLE}" watch\r`);
    await shows(screen, '"ada"');
    stop(screen);
    await until("the shell has seen it stop", () => /stopped|suspended/i.test(screen.bytes()));
    screen.type("echo sum $((20 + 22))\n"); // not every shell sets the terminal right after SIGSTOP
    await until("the shell answers", () => screen.bytes().includes("sum 42"));
    if (how === "Ctrl-Z") expect([screen.isAlternate(), screen.isCursorShown()]).toEqual([false, true]);
    screen.type("fg\n");
    await until("the screen is back", () => screen.isAlternate() && screen.lines()[0]?.startsWith("held: notes.send") === true);
    await insist(screen, "a", () => seen(screen, "approved: notes.send"));
    expect((await actions(notes)).map(({ status }) => status)).toEqual(["approved"]);
  });

test("a journal whose file is taken away isn't shown on as if nothing more happened", async () => {
  using notes = makeNotes();
  await held(notes, { to: "ada" });
  await using screen = emulateTerminal(notes, 'exec "$0" watch', EXECUTABLE);
  await shows(screen, '"ada"');
  renameSync(`${notes.folder}/.synartesis/journal.db`, `${notes.folder}/.synartesis/elsewhere.db`);
  await screen.child.exited;
  await shows(screen, "was deleted or moved away while in use");
  expect([screen.child.exitCode, screen.isAlternate()]).toEqual([1, false]);
});

for (const signal of ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGABRT"] as const)
  test(`the terminal is as it was after ${signal}`, async () => {
    using notes = makeNotes();
    await held(notes, { to: "ada" });
    const line = 'before=$(stty -g); "$0" watch; sleep 0.2; [ "$(stty -g)" = "$before" ] && echo "as it was"; exec sleep 1000';
    await using screen = emulateTerminal(notes, line, EXECUTABLE);
    await shows(screen, '"ada"');
    const [watch] = childrenOf(screen.child.pid);
    if (watch === undefined) throw new Error("it doesn't run");
    process.kill(watch, signal);
    await until("it has ended", () => !isRunning(watch));
    await shows(screen, "as it was");
    expect([screen.isAlternate(), screen.isCursorShown()]).toEqual([false, true]);
    expect(screen.bytes().lastIndexOf("\u001b[?2004l")).toBeGreaterThan(screen.bytes().lastIndexOf("\u001b[?2004h"));
  });

test("it follows the size of the terminal, down to 40 by 10", async () => {
  using notes = makeNotes();
  await held(notes, { to: "ada", body: "y".repeat(3000) });
  await using screen = emulateTerminal(notes, 'exec "$0" watch', EXECUTABLE);
  await shows(screen, "held: notes.send");
  for (const [columns, rows] of [
    [40, 10],
    [200, 60],
    [80, 24],
  ] as const) {
    screen.resize(columns, rows);
    await until("all of it is there", () => {
      const lines = screen.lines();
      const isFramed = lines[0]?.startsWith("held: notes.send") === true && lines[rows - 1]?.startsWith("a approve  d deny") === true;
      return isFramed && /"?to"?: "ada"/.test(lines.join("\n"));
    });
  }
});

test("piped, watch prints once, and synartesis its help; at a terminal without a journal it says how to begin", async () => {
  using notes = makeNotes();
  expect((await notes.run()).out).toContain("usage: synartesis COMMAND");
  await using bare = emulateTerminal(notes, 'exec "$0"', EXECUTABLE);
  await bare.child.exited;
  expect([bare.child.exitCode, bare.bytes()]).toEqual([0, expect.stringMatching(/no runs yet.*synartesis init /s)]);
  await held(notes, { to: "ada" });
  expect((await notes.run("watch")).out).toContain("notes.send");
  await using once = emulateTerminal(notes, 'exec "$0" watch --once', EXECUTABLE);
  await once.child.exited;
  expect([once.bytes().includes("notes.send"), once.bytes().includes("\u001b[?1049h")]).toEqual([true, false]);
});

// What if one agent session has several servers? Their proxies join one run; where they can't, an undo names the run that is left.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests hold variables
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { runs, undo } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";

/** The manifest with a second server, which is the same notes under another name. */
function twoServers(): NotesSandbox {
  const notes = makeNotes();
  const [command, ...args] = notes.command;
  const entry = `    command: ${JSON.stringify(command)}\n    args: ${JSON.stringify(args)}\n`;
  notes.write(
    "synartesis.yaml",
    `version: 1\nservers:\n  notes:\n${entry}  more:\n${entry}tools:${NOTES_RULES}${NOTES_RULES.replaceAll("notes.", "more.")}`,
  );
  return notes;
}

async function change(agent: Agent, key: string): Promise<void> {
  await agent.call("set", { key, value: "1" });
}

test("the proxies of one client join one run, started one after the other while one is alive, and one undo puts back what both did", async () => {
  using notes = twoServers();
  const first = await Agent.startAsChild(notes, ["--server", "notes"]);
  await change(first, "a");
  const second = await Agent.startAsChild(notes, ["--server", "more"]);
  await change(second, "b");
  await first.end();
  await change(second, "c");
  await second.end();
  expect(await runs(notes)).toMatchObject([{ servers: ["notes", "more"], calls: 3, state: "ended" }]);
  expect((await notes.run("list")).out).toContain("notes, more");
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.state().notes).toEqual({ a: "first", b: "second", c: "third" });
});

test("where a client has two runs at once, the undo of one names the other that still stands", async () => {
  using notes = twoServers();
  const first = await Agent.startAsChild(notes, ["--server", "notes"]);
  await change(first, "a");
  notes.write("synartesis.yaml", `${await Bun.file(`${notes.folder}/synartesis.yaml`).text()}\n# edited meanwhile\n`);
  const second = await Agent.startAsChild(notes, ["--server", "more"]);
  await change(second, "b");
  await first.end();
  await second.end();
  const [newer, older] = await runs(notes);
  expect([newer?.servers, older?.servers]).toEqual([["more"], ["notes"]]);
  const done = await notes.run("undo");
  expect(done.out).toMatch(
    new RegExp(`Another run of the same client still stands, ${older?.id} \\(notes\\); to undo it:\n.*undo ${older?.id}`),
  );
  expect((await notes.run("undo")).out).not.toContain("Another run");
});

test("an unset variable of one server stops neither the proxy nor the undo of another", async () => {
  using notes = twoServers();
  const text = await Bun.file(`${notes.folder}/synartesis.yaml`).text();
  notes.write("synartesis.yaml", text.replace("  more:\n", '  more:\n    env: { TOKEN: "${NO_SUCH_TOKEN}" }\n'));
  const agent = await Agent.start(notes, ["--server", "notes"]);
  await change(agent, "a");
  await agent.end();
  expect((await notes.run("undo", "--replan")).code).toBe(0);
  expect(notes.state().notes["a"]).toBe("first");
  const refused = await notes.run("proxy", "--server", "more");
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/synartesis\.yaml:7:19: error: the environment variable `NO_SUCH_TOKEN` is not set/);
});

test("what is missing to start a server is an error before the plan of an undo that needs it, and nothing is recorded", async () => {
  using notes = twoServers();
  const text = await Bun.file(`${notes.folder}/synartesis.yaml`).text();
  notes.write("synartesis.yaml", text.replace("  more:\n", '  more:\n    env: { TOKEN: "${NOTES_TOKEN}" }\n'));
  notes.env["NOTES_TOKEN"] = "t";
  const agent = await Agent.start(notes, ["--server", "more"]);
  await change(agent, "a");
  await agent.end();
  delete notes.env["NOTES_TOKEN"];
  for (const words of [["undo"], ["undo", "--dry-run"]]) {
    const { code, out, err } = await notes.run(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("needs the environment variable NOTES_TOKEN, which is not set");
  }
  expect(await runs(notes)).toMatchObject([{ kind: "agent", state: "ended" }]);
});

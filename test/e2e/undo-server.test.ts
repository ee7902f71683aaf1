// Does undo talk to the server that the run talked to? The variables of its command or its headers may have other values by now.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { type StepDocument, undo } from "../support/documents.ts";
import { makeHttpNotes } from "../support/http-notes.ts";
import { makeNotes, type NotesSandbox } from "../support/notes.ts";

/** Notes whose state file is named by a variable, where `place` says so: as an argument, or in the server's own environment. */
function makeByVariable(place: "args" | "env"): NotesSandbox {
  const notes = makeNotes();
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  const state = JSON.stringify(join(notes.folder, "notes.json"));
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the manifest's own notation
  const written =
    place === "args"
      ? manifest.replace(state, '"${STATE}"')
      : manifest.replace("\ntools:", '\n    env: { STATE: "${STATE}", PLAIN: "x" }\ntools:');
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the manifest's own notation
  notes.write("synartesis.yaml", written);
  return notes;
}

function at(notes: NotesSandbox, file: string): NotesSandbox {
  return Object.assign(notes, { env: Object.assign(notes.env, { STATE: join(notes.folder, file) }) });
}

test.each(["args", "env"] as const)(
  "P3: undo refuses a server whose variables (in its %s) have other values than in the run",
  async (place) => {
    using notes = makeByVariable(place);
    at(notes, "notes.json");
    const agent = await Agent.start(notes);
    await agent.call("create", { value: "agent's" });
    await agent.end();
    const made = notes.state();
    notes.write("other.json", JSON.stringify({ next: 1, notes: {}, sent: [] }));
    at(notes, "other.json");
    const refused = await notes.run("undo");
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("STATE");
    expect(refused.out).toContain("--replan");
    expect(notes.state()).toEqual(made);
    at(notes, "notes.json");
    expect((await undo(notes)).state).toBe("undone");
    expect(notes.state().notes).not.toHaveProperty("n1");
  },
);

test("P3: undo refuses a server at a URL whose headers have other values than in the run; the journal has neither the value nor a digest that gives it away", async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the manifest's own notation
  using notes = makeHttpNotes({ "X-Tenant": "${TENANT}", "X-Plain": "x" });
  notes.env["TENANT"] = "the-first-tenant";
  const agent = await Agent.start(notes);
  await agent.call("set", { key: "a", value: "agent's" });
  await agent.end();
  notes.env["TENANT"] = "the-other-tenant";
  const refused = await notes.run("undo");
  expect([refused.code, notes.notes.get("a")]).toEqual([1, "agent's"]);
  expect(refused.out).toContain("TENANT");
  expect(refused.out).toContain("--replan");
  notes.env["TENANT"] = "the-first-tenant";
  expect((await undo(notes)).state).toBe("undone");
  expect(notes.notes.get("a")).toBe("first");
  const journal = readFileSync(join(notes.folder, ".synartesis/journal.db")).toString("latin1");
  const plain = new Bun.CryptoHasher("sha256").update("the-first-tenant").digest("hex");
  expect(journal).toContain("X-Tenant");
  for (const secret of ["the-first-tenant", plain]) expect(journal).not.toContain(secret);
});

test("a server whose variables have other values is taken with --replan, and that is a person's word", async () => {
  using notes = makeByVariable("env");
  at(notes, "notes.json");
  const agent = await Agent.start(notes);
  await agent.call("create", { value: "agent's" });
  await agent.end();
  at(notes, "other.json");
  const [step] = (await undo(notes, "--replan")).steps as StepDocument[];
  expect(step).toMatchObject({ kind: "compensate", end: "undone" });
});

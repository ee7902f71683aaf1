// Is what others changed in the same record kept, by the field and in texts by the line, and only what both changed a conflict? On the built-in CRM.
import { expect, test } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { actions, runs, type UndoDocument } from "../support/documents.ts";
import { EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

/** The shipped policy starts the server by its name; here its command stands after --. */
const COMMAND = ["--", EXECUTABLE, "demo", "--crm", "--state", "crm.json"];

type Customer = Record<"id" | "name" | "email" | "plan" | "notes", string>;

interface Crm extends Sandbox {
  customer(id?: string): Customer | undefined;
  /** What somebody else writes into a customer, past the proxy. */
  edit(changes: Partial<Customer>): void;
  agent(...calls: readonly (readonly [string, object])[]): Promise<void>;
  undo(...words: readonly string[]): Promise<UndoDocument>;
}

/** A CRM whose customer c-1 is Ada, on the free plan, with notes of five lines. */
async function makeCrm(): Promise<Crm> {
  const sandbox = makeSandbox();
  copyFileSync(join(ROOT, "manifests", "crm.yaml"), join(sandbox.folder, "synartesis.yaml"));
  const read = () => JSON.parse(readFileSync(join(sandbox.folder, "crm.json"), "utf8")) as { customers: Customer[] };
  const crm: Crm = {
    ...sandbox,
    customer: (id = "c-1") => read().customers.find((customer) => customer.id === id),
    edit(changes) {
      const state = read();
      const customers = state.customers.map((customer) => (customer.id === "c-1" ? { ...customer, ...changes } : customer));
      sandbox.write("crm.json", JSON.stringify({ ...state, customers }));
    },
    async agent(...calls) {
      const agent = await Agent.start(sandbox, ["--server", "crm", ...COMMAND]);
      for (const [tool, args] of calls) expect((await agent.call(tool, args)).isError).toBeUndefined();
      await agent.end();
    },
    async undo(...words) {
      const { out, err } = await sandbox.run("undo", ...words, "--json", ...COMMAND);
      if (out === "") throw new Error(err);
      return JSON.parse(out) as UndoDocument;
    },
  };
  await crm.agent(["get_customer", { id: "c-1" }]);
  crm.edit({ name: "Ada", email: "ada@example.com", plan: "free", notes: "one\ntwo\nthree\nfour\nfive" });
  return crm;
}

test("P3: a field that somebody else changed since is kept, and the agent's fields go back", async () => {
  using crm = await makeCrm();
  await crm.agent(["update_customer", { id: "c-1", name: "Agent", plan: "pro" }]);
  crm.edit({ email: "person@example.com" });
  expect(await crm.undo("--dry-run")).toMatchObject({ halt: null, steps: [{ kind: "merge", reason: "beside-others" }] });
  expect(await crm.undo()).toMatchObject({ state: "undone", steps: [{ kind: "merge", end: "undone", verified: true }] });
  expect(crm.customer()).toMatchObject({ name: "Ada", plan: "free", email: "person@example.com" });
  expect((await actions(crm, (await runs(crm)).find(({ kind, calls }) => kind === "agent" && calls > 0)?.id ?? "")).at(-1)).toMatchObject({
    status: "undone",
    reason: "merged",
  });
});

test("P3: lines that somebody else changed since are kept, and the agent's lines go back", async () => {
  using crm = await makeCrm();
  await crm.agent(["update_customer", { id: "c-1", notes: "agent's\ntwo\nthree\nfour\nfive" }]);
  crm.edit({ notes: "agent's\ntwo\nthree\nfour\nperson's\nsix" });
  expect((await crm.undo()).steps).toMatchObject([{ kind: "merge", end: "undone" }]);
  expect(crm.customer()?.notes).toBe("one\ntwo\nthree\nfour\nperson's\nsix");
});

test("P3: a conflict names exactly the fields that both changed, halts, and touches none", async () => {
  using crm = await makeCrm();
  await crm.agent(["update_customer", { id: "c-1", name: "Agent", plan: "pro" }]);
  crm.edit({ name: "Person", email: "person@example.com" });
  const halted = await crm.undo();
  expect(halted.steps).toMatchObject([{ kind: "conflict", end: "not-sent" }]);
  expect(halted.steps[0]?.conflicts).toEqual([{ path: "name", before: "Ada", left: "Agent", now: "Person" }]);
  expect(crm.customer()).toMatchObject({ name: "Person", plan: "pro", email: "person@example.com" });
  crm.edit({ name: "Agent" });
  expect((await crm.undo()).state).toBe("undone");
  expect(crm.customer()).toMatchObject({ name: "Ada", plan: "free", email: "person@example.com" });
});

test("P3: what the agent and somebody else set to the same, or somebody put back already, is no conflict", async () => {
  using crm = await makeCrm();
  await crm.agent(["update_customer", { id: "c-1", name: "Agent", plan: "pro" }]);
  crm.edit({ name: "Ada", email: "person@example.com" });
  expect((await crm.undo()).state).toBe("undone");
  expect(crm.customer()).toMatchObject({ name: "Ada", plan: "free", email: "person@example.com" });
});

test("P3: two agents' changes to different fields of one record are undone apart, in either order, and done again", async () => {
  using crm = await makeCrm();
  await crm.agent(["update_customer", { id: "c-1", name: "First" }]);
  await crm.agent(["update_customer", { id: "c-1", plan: "pro" }]);
  const [second, first] = await runs(crm);
  expect((await crm.undo(first?.id ?? "")).steps).toMatchObject([{ kind: "merge", end: "undone" }]);
  expect(crm.customer()).toMatchObject({ name: "Ada", plan: "pro" });
  const redone = await crm.run("redo", "--yes", ...COMMAND);
  expect([redone.code, redone.err]).toEqual([0, ""]);
  expect(crm.customer()).toMatchObject({ name: "First", plan: "pro" });
  expect((await crm.undo(second?.id ?? "")).state).toBe("undone");
  expect(crm.customer()).toMatchObject({ name: "First", plan: "free" });
  expect((await crm.undo()).state).toBe("undone");
  expect(crm.customer()).toMatchObject({ name: "Ada", plan: "free" });
});

test("P3: a chain of changes to one record, with an edit by somebody else, goes back step by step and keeps the edit", async () => {
  using crm = await makeCrm();
  await crm.agent(
    ["update_customer", { id: "c-1", name: "1" }],
    ["update_customer", { id: "c-1", plan: "pro", notes: "agent's\ntwo\nthree\nfour\nfive" }],
    ["update_customer", { id: "c-1", name: "2" }],
    ["delete_customer", { id: "c-2" }],
    ["create_customer", { name: "New", email: "new@example.com" }],
  );
  crm.edit({ notes: "agent's\ntwo\nthree\nfour\nperson's", email: "person@example.com" });
  expect((await crm.undo("--dry-run")).steps.map(({ kind }) => kind)).not.toContain("conflict");
  expect(await crm.undo()).toMatchObject({ state: "undone", outstanding: [] });
  expect(crm.customer()).toMatchObject({
    name: "Ada",
    plan: "free",
    email: "person@example.com",
    notes: "one\ntwo\nthree\nfour\nperson's",
  });
  expect(crm.customer("c-2")).toBeDefined();
});

// Is a long run on the built-in CRM put back? Two hundred mixed calls with the shipped policy, at random; the same state but for what the CRM counts.
import { expect, test } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { actions, expectIntact, type undo } from "../support/documents.ts";
import { type Chooser, seeds, withSeed } from "../support/random.ts";
import { EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

const CALLS = 200;
const WORDS = ["", "Ada", "O'Neill", "日本語", "a\r\nb", 'say "hi"', "😀", "  ", "null", "$.id", "e\u0301"];

interface Customer {
  readonly id: string;
  readonly updated_at: string;
}

/** The CRM's state without the times of change and the counter. */
function stateOf(sandbox: Sandbox): unknown {
  const { customers, outbox } = JSON.parse(readFileSync(join(sandbox.folder, "crm.json"), "utf8")) as {
    customers: Customer[];
    outbox: unknown[];
  };
  return { customers: customers.map(({ updated_at: _, ...rest }) => rest), outbox };
}

async function makeCrm(): Promise<Sandbox> {
  const sandbox = makeSandbox();
  copyFileSync(join(ROOT, "manifests", "crm.yaml"), join(sandbox.folder, "synartesis.yaml"));
  return sandbox;
}

/** The shipped policy starts the server by its name; here its command stands after --. */
const COMMAND = ["--", EXECUTABLE, "demo", "--crm", "--state", "crm.json"];

/** The next call: mostly on customers that are there, now and then on one that never was. */
function nextCall(choose: Chooser, present: readonly string[], gone: readonly string[]): readonly [string, Record<string, unknown>] {
  const id = choose.chance(10) || present.length === 0 ? "c-999999" : choose.of(present);
  const fields = {
    name: choose.of(WORDS),
    email: choose.of(WORDS),
    plan: choose.of(["free", "pro", "enterprise"]),
    notes: choose.of(WORDS),
  };
  const some = Object.fromEntries(Object.entries(fields).filter(() => choose.chance(50)));
  switch (choose.below(10)) {
    case 0:
    case 1:
      return ["get_customer", { id }];
    case 2:
      return ["search_customers", { query: choose.of(WORDS) }];
    case 3:
    case 4:
      return ["create_customer", choose.chance(50) ? fields : { name: fields.name, email: fields.email }];
    case 5:
      return ["delete_customer", { id }];
    case 6:
      return gone.length > 0 ? ["restore_customer", { id: choose.of(gone), ...fields }] : ["restore_customer", { id, ...fields }];
    case 7:
      return choose.chance(30)
        ? ["send_email", { to: choose.of(WORDS), subject: "s", body: "b" }]
        : ["update_customer", { id, plan: "no such" }];
    default:
      return ["update_customer", { id, ...some }];
  }
}

/** Makes the calls, so many at a time, and gives the names of the tools that took effect. */
async function work(agent: Agent, choose: Chooser, inFlight: number): Promise<Set<string>> {
  const present = new Set(["c-1", "c-2", "c-3", "c-4", "c-5"]);
  const gone = new Set<string>();
  const done = new Set<string>();
  for (let made = 0; made < CALLS; made += inFlight) {
    const batch = Array.from({ length: inFlight }, () => nextCall(choose, [...present], [...gone]));
    const results = await Promise.all(batch.map(([tool, args]) => agent.call(tool, args)));
    for (const [index, [tool, args]] of batch.entries()) {
      const result = results[index];
      if (result === undefined || result.isError) continue;
      done.add(tool);
      const id = String((result.structuredContent as { id?: string }).id ?? args["id"]);
      if (tool === "create_customer" || tool === "restore_customer") present.add(id);
      if (tool === "delete_customer") gone.add(id);
    }
    // What the calls of one batch did to one customer depends on their order: the CRM's own list tells.
    const { structuredContent } = await agent.call("list_customers");
    const ids = new Set((structuredContent as { customers: Customer[] }).customers.map(({ id }) => id));
    for (const id of [...present, ...gone]) (ids.has(id) ? gone : present).delete(id);
  }
  return done;
}

for (const [inFlight, chosen] of [
  [1, seeds()],
  [8, seeds()],
] as const) {
  test(`P3: ${CALLS} mixed calls on the CRM, ${inFlight} at a time, are undone to the state before`, async () => {
    for (const seed of chosen) {
      await withSeed(seed, async (choose) => {
        using crm = await makeCrm();
        const agent = await Agent.start(crm, ["--server", "crm", ...COMMAND]);
        const before = stateOf(crm);
        const done = await work(agent, choose, inFlight);
        expect(stateOf(crm)).not.toEqual(before);
        await agent.end();
        for (const tool of ["create_customer", "update_customer", "delete_customer", "restore_customer"]) expect([...done]).toContain(tool);
        expect([...done]).not.toContain("send_email");
        const [run] = (await crm.json<{ runs: { id: string; calls: number }[] }>("list")).runs;
        const undone = await undoWrapped(crm, run?.id ?? "");
        expect(undone.filter(({ end }) => end !== null && end !== "undone" && end !== "not-sent")).toEqual([]);
        expect(stateOf(crm)).toEqual(before);
        const after = await actions(crm, run?.id ?? "");
        expect(after.filter((action) => action.class !== "readonly" && action.status === "applied")).toEqual([]);
        await expectIntact(crm);
      });
    }
  });
}

/** Undoes a run whose server's command stands after --; it must come to its end. */
async function undoWrapped(crm: Sandbox, run: string) {
  const ended = await crm.run("undo", run, "--json", ...COMMAND);
  const document = JSON.parse(ended.out) as Awaited<ReturnType<typeof undo>>;
  expect({ state: document.state, outstanding: document.outstanding, code: ended.code }).toEqual({
    state: "undone",
    outstanding: [],
    code: 0,
  });
  return document.steps;
}

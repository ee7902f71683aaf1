// The commands that read and answer the record, on a real journal.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/run.ts";
import { digestOf } from "../../src/core/digest.ts";
import type { Json } from "../../src/core/json.ts";
import { parseJson } from "../../src/core/json.ts";
import type { Journal, NewCall, NewRun, ProcessIdentity } from "../../src/journal/journal.ts";
import { openJournal } from "../../src/journal/open.ts";
import { parentIdentity, selfIdentity } from "../../src/journal/process-identity.ts";
import { fakeIo } from "./fake-io.ts";

let folder: string;
let file: string;
let journal: Journal;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-record-")));
  file = join(folder, ".synartesis", "journal.db");
  journal = await openJournal({ file, mode: "create" });
});
afterEach(async () => {
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

const gone: ProcessIdentity = { pid: 999_999_999, startTicks: "1", bootId: "none" };

async function openRun(facts: Partial<NewRun> = {}): Promise<string> {
  const run = await journal.openRun({
    kind: "agent",
    joinKey: null,
    client: { name: "some client", version: "1.0" },
    clientProcess: gone,
    clientHello: null,
    identity: null,
    policyText: "version: 1",
    servers: [],
    undoes: null,
    ...facts,
  });
  return run.id;
}

function callOf(run: string, tool: string, args: Json): NewCall {
  const rule = { match: `crm.${tool}`, line: 1, gate: "always", ignore: [], absentWhen: [], failedWhen: [] };
  const callKey = digestOf([tool, args]);
  return { run, server: "crm", tool, class: "irreversible", rule, callKey, resources: [], args, receivedAt: Date.now() };
}

async function hold(run: string, args: Json = { to: "a@example.com" }): Promise<string> {
  return (await journal.hold(callOf(run, "send_email", args), "gate-always")).id;
}

async function run(...words: string[]) {
  const io = fakeIo(folder, words, { now: Date.now, executable: ["/opt/synartesis"] });
  const code = await runCommandLine(io);
  return { code, out: io.out(), err: io.err() };
}

async function runJson(...words: string[]) {
  const { code, out } = await run(...words, "--json");
  return { code, document: JSON.parse(out) };
}

describe("list", () => {
  test("is newest first, with sums and state", async () => {
    const first = await openRun();
    await hold(first);
    await journal.leaveRun(first);
    const second = await openRun({ client: null });
    const { code, document } = await runJson("list");
    expect(code).toBe(0);
    expect(document.runs).toMatchObject([
      { id: second, state: "open", calls: 0, client: null, pids: [selfIdentity().pid] },
      { id: first, state: "ended", calls: 1, changes: 0, held: 1, client: { name: "some client", version: "1.0" }, pids: [] },
    ]);
    const shown = await run("list");
    expect(shown.out.indexOf(second.slice(0, 8))).toBeLessThan(shown.out.indexOf(first.slice(0, 8)));
    expect(shown.out).toContain(`open (process ${selfIdentity().pid})`);
  });

  test("says how to see older runs, and refuses a limit that is no number", async () => {
    await openRun();
    await openRun();
    expect((await run("list", "--limit", "1")).out).toContain("older runs: /opt/synartesis list --limit 5");
    expect((await run("list", "--limit", "one")).code).toBe(2);
  });
});

describe("show", () => {
  test("prints each call with the exact call that would undo it, numbers and hostile text as they are", async () => {
    const id = await openRun();
    const args = parseJson('{"id":12345678901234567890,"name":"a\\u202eb"}');
    const call = { ...callOf(id, "update_customer", args), class: "reversible" as const };
    const inverse = parseJson('{"server":"crm","tool":"update_customer","args":{"id":12345678901234567890,"name":"old"}}');
    const intent = await journal.intend({
      ...call,
      read: undefined,
      snapshotState: "none",
      snapshot: undefined,
      inverse,
      approval: null,
      undoes: null,
    });
    if (intent.kind !== "intended") throw new Error(intent.kind);
    await journal.settle(intent.action, { status: "applied", reason: null });
    const { out } = await run("show", id.slice(0, 6));
    expect(out).toContain("crm.update_customer  reversible  applied");
    expect(out).toContain('{"id":12345678901234567890,"name":"a\\u202eb"}');
    expect(out).toContain('undo: crm.update_customer {"id":12345678901234567890,"name":"old"}');
    expect((await run("show", "--json")).out).toContain('"id": 12345678901234567890');
  });

  test("of a run that isn't there is exit 2", async () => {
    await openRun();
    expect((await run("show", "zzzz")).code).toBe(2);
  });
});

describe("gates, approve and deny", () => {
  test("a waiting call is shown whole, with commands that run as printed", async () => {
    const id = await hold(await openRun(), { to: "boss@example.com", body: `\u001b[2J${"long ".repeat(200)}end` });
    const { out } = await run("gates");
    expect(out).toContain(`/opt/synartesis approve ${id}`);
    expect(out).toContain("boss@example.com");
    expect(out).toContain("\\u001b[2J");
    expect(out).not.toContain("\u001b");
    expect(out.replace(/\n {4}/g, "")).toContain("long end");
    expect(out).toContain("the policy holds this tool for a person");
  });

  test("P6: an approval is for one call, and says who gave it", async () => {
    const id = await hold(await openRun());
    const asked = Date.now();
    const { code, document } = await runJson("approve", "--by", "ines");
    const answered = Date.now();
    expect([code, document.approved.length, document.approved[0].action, document.approved[0].by]).toEqual([0, 1, id, "ines"]);
    expect((await journal.findAction(id)).status).toBe("approved");
    const decision = (await journal.decisions(id)).find(({ kind }) => kind === "allow");
    expect(decision?.by).toBe("ines");
    expect(decision?.expiresAt).toBeWithin(asked + 3_600_000, answered + 3_600_001); // an hour, without the upper end
    expect((await run("approve", id)).code).toBe(1);
  });

  test("a denial carries its reason and, by default, the login name", async () => {
    const id = await hold(await openRun());
    expect((await run("deny", id.slice(0, 8), "--reason", "wrong customer")).out).toContain('denied crm.send_email {"to":"a@example.com"}');
    const decision = (await journal.decisions(id)).find(({ kind }) => kind === "deny");
    expect(decision).toMatchObject({ by: "maria", reasons: expect.arrayContaining(["wrong customer"]) });
  });

  test("with several waiting an id or --all is needed; with none there is nothing to answer", async () => {
    expect((await run("approve")).code).toBe(2);
    const id = await openRun();
    const held = [await hold(id, { to: "a" }), await hold(id, { to: "b" })];
    const { code, err } = await run("approve");
    expect(code).toBe(2);
    for (const action of held) expect(err).toContain(action);
    expect((await runJson("deny", "--all")).document.denied.length).toBe(2);
    expect((await run("gates")).out).toBe("nothing waits for an answer\n");
  });

  test("P6: the client whose agent made the call can't answer it, whatever it starts", async () => {
    const clientProcess = parentIdentity() ?? selfIdentity();
    const id = await hold(await openRun({ clientProcess }));
    for (const verb of ["approve", "deny"]) {
      const { code, err } = await run(verb, id);
      expect(code).toBe(1);
      expect(err).toContain(`some client 1.0 (process ${clientProcess.pid})`);
    }
    expect((await journal.findAction(id)).status).toBe("held");
  });

  test("P6: an agent can't answer a hold that another session left, which its own call would use", async () => {
    const ended = await openRun();
    const id = await hold(ended);
    await journal.leaveRun(ended);
    const asking = await openRun({ clientProcess: parentIdentity() ?? selfIdentity() });
    expect((await run("approve", id)).err).toContain("it can't answer");
    await journal.leaveRun(asking); // the client goes on, and may start another proxy
    expect((await run("approve", id)).err).toContain("it can't answer");
    expect((await journal.findAction(id)).status).toBe("held");
  });

  test("P6: who ran a proxy by hand before the call waited may answer it", async () => {
    await journal.leaveRun(await openRun({ clientProcess: parentIdentity() ?? selfIdentity() }));
    const call = callOf(await openRun(), "send_email", { to: "a@example.com" });
    const { id } = await journal.hold({ ...call, receivedAt: Date.now() + 1 }, "gate-always");
    expect((await run("approve", id)).code).toBe(0);
  });

  test("P6: where it isn't known which process the client is, a person has to say that they know", async () => {
    const id = await hold(await openRun({ clientProcess: null }));
    for (const verb of ["approve", "deny"]) {
      const { code, err } = await run(verb, id);
      expect(code).toBe(1);
      expect(err).toContain("--unknown-client");
    }
    expect((await run("approve", id, "--unknown-client")).code).toBe(0);
  });
});

describe("close, watch", () => {
  test("a run that a living process holds isn't closed", async () => {
    const { code, err } = await run("close", await openRun());
    expect(code).toBe(1);
    expect(err).toContain(`process ${selfIdentity().pid}`);
  });

  test("a run that has ended is left as it is", async () => {
    const id = await openRun();
    await journal.leaveRun(id);
    expect(await runJson("close", id)).toEqual({ code: 0, document: { run: id, closed: false, unknown: 0 } });
    expect((await run("close")).err).toContain("no run was left open");
  });

  test("a run that a killed proxy left open is closed, and its open calls are unknown", async () => {
    const script = `
      import { openJournal } from ${JSON.stringify(join(import.meta.dir, "../../src/journal/open.ts"))};
      const journal = await openJournal({ file: ${JSON.stringify(file)}, mode: "existing" });
      const run = await journal.openRun({ kind: "agent", joinKey: null, client: null, clientProcess: null, clientHello: null, identity: null, policyText: "", servers: [], undoes: null });
      const call = { run: run.id, server: "crm", tool: "t", class: "reversible", rule: {}, callKey: "k", resources: [], args: {}, receivedAt: 1 };
      await journal.intend({ ...call, snapshotState: "none", approval: null, undoes: null });
      console.log(run.id);
      process.kill(process.pid, "SIGKILL");`;
    const child = Bun.spawnSync([process.execPath, "-e", script], { env: { HOME: folder, PATH: "" } });
    const id = child.stdout.toString().trim();
    expect(id).not.toBe("");
    expect((await run("list")).out).toContain(`/opt/synartesis close ${id}`);
    expect(await runJson("close")).toEqual({ code: 0, document: { run: id, closed: true, unknown: 1 } });
    expect((await run("show", id)).out).toContain("unknown (the proxy ended before the reply came)");
  });

  test("watch prints the runs and what waits, once", async () => {
    const id = await hold(await openRun());
    const { code, out } = await run("watch", "--once");
    expect(code).toBe(0);
    expect(out).toContain("some client 1.0");
    expect(out).toContain(`approve ${id}`);
  });
});

describe("audit verify", () => {
  test("P7: an intact record is exit 0, and one changed byte of it is exit 1 and named", async () => {
    await hold(await openRun());
    await journal.close();
    const intact = await runJson("audit", "verify");
    expect(intact).toMatchObject({ code: 0, document: { journal: file, intact: true, findings: [] } });
    expect(intact.document.events).toBeGreaterThan(0);
    const database = new Database(file);
    database.run("UPDATE actions SET tool = 'get_customer'");
    database.close();
    const damaged = await run("audit", "verify");
    expect(damaged.code).toBe(1);
    expect(damaged.out).toContain("actions");
    expect(damaged.out).toContain(`damaged: ${file}`);
    expect((await runJson("audit", "verify")).document).toMatchObject({ intact: false, events: null });
  });
});

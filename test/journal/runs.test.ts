import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { ServerIdentity } from "../../src/journal/journal.ts";
import { selfIdentity } from "../../src/journal/process-identity.ts";
import { intended, newIntent, newRun } from "./calls.ts";
import { cleanUp, open, start, startProcess, tamper, temporaryFolder } from "./fixture.ts";

afterEach(cleanUp);
/** Makes a run look as if its process had been killed. */
function abandon(file: string, run: string): void {
  tamper(file, "UPDATE holders SET start_ticks = '1' WHERE run = ?", run);
}

test("a run is read back as it was opened, newest first, by kind and number", async () => {
  const { journal, run } = await start();
  const undo = await journal.openRun(newRun({ kind: "undo", undoes: run.id, identity: "ada", clientProcess: selfIdentity() }));
  expect(run).toMatchObject({ kind: "agent", state: "open", client: { name: "client", version: "1" }, endedAt: null });
  expect(undo).toMatchObject({ kind: "undo", undoes: run.id, identity: "ada", clientProcess: selfIdentity() });
  expect(await journal.value(run.policyDigest)).toBe("version: 1\n");
  expect(await journal.runs()).toEqual([undo, run]);
  expect(await journal.runs({ kind: "agent" })).toEqual([run]);
  expect(await journal.runs({ limit: 1 })).toEqual([undo]);
  expect(await journal.findRun(run.id.slice(0, 8))).toEqual(run);
});

test("P3: a plan is carried out by one run only", async () => {
  const { journal, run } = await start();
  const facts = { kind: "undo", undoes: run.id } as const;
  const opened = await Promise.allSettled(["plan1", "plan1", "plan2"].map((plan) => journal.openRun(newRun({ ...facts, plan }))));
  expect(opened.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(opened[1]).toMatchObject({ reason: { code: "refused" } });
  expect((await journal.runs()).map(({ plan }) => plan)).toEqual(["plan2", "plan1", null]);
});

test("proxies with one key join one run while one of them is alive, and its servers add up", async () => {
  const { file, journal } = await start();
  const first = await journal.openRun(newRun({ joinKey: "session" }));
  const server = { name: "mail", source: { kind: "wrapped", mark: "m" }, info: { name: "mail" }, process: selfIdentity(), roots: [] };
  const second = await journal.openRun(newRun({ joinKey: "session", servers: [server] }));
  expect(second.id).toBe(first.id);
  expect(second.servers).toEqual([...first.servers, server]);
  abandon(file, first.id);
  const third = await journal.openRun(newRun({ joinKey: "session" }));
  expect(third.id).not.toBe(first.id);
  expect((await journal.findRun(first.id)).state).toBe("open");
});

test("another policy, another key or none never joins", async () => {
  const { journal } = await start();
  const facts = [
    { joinKey: "a" },
    { joinKey: "a", policyText: "version: 1 # other\n" },
    { joinKey: "b" },
    { joinKey: null },
    { joinKey: null },
  ];
  const ids = [];
  for (const fact of facts) ids.push((await journal.openRun(newRun(fact))).id);
  expect(new Set(ids).size).toBe(facts.length);
});

test("the schemas of a server's tools are kept until others are named, also where another proxy joins", async () => {
  const { journal } = await start();
  const run = await journal.openRun(newRun({ joinKey: "session" }));
  expect(run.servers.map(({ schemas }) => schemas)).toEqual([undefined]);
  const [crm] = run.servers as [ServerIdentity];
  await journal.describeRun(run.id, { servers: [{ ...crm, schemas: { get: "a", set: "b" } }] });
  const joined = await journal.openRun(newRun({ joinKey: "session" }));
  expect(joined.servers).toEqual([{ ...crm, schemas: { get: "a", set: "b" } }]);
  await journal.describeRun(run.id, { servers: [{ ...crm, schemas: { get: "c" } }] });
  expect((await journal.findRun(run.id)).servers[0]?.schemas).toEqual({ get: "c" });
});

test("what becomes known of a server replaces what was known of that server only", async () => {
  const { journal, run } = await start();
  const crm = { name: "crm", source: { kind: "command", command: "crm" }, info: { name: "crm", version: "2" }, process: null, roots: null };
  const mail = { ...crm, name: "mail" };
  await journal.describeRun(run.id, { servers: [mail] });
  await journal.describeRun(run.id, { servers: [crm], clientHello: { protocolVersion: "x" } });
  expect(await journal.findRun(run.id)).toMatchObject({ servers: [crm, mail], clientHello: { protocolVersion: "x" }, client: run.client });
  await expect(journal.describeRun("nosuchrun", {})).rejects.toMatchObject({ code: "not-found" });
});

test("P4: the last process to leave a run ends it, and what it didn't hear of any more is unknown", async () => {
  const { journal, run } = await start();
  const action = await intended(journal, newIntent(run.id));
  await journal.leaveRun(run.id);
  expect((await journal.findRun(run.id)).state).toBe("ended");
  expect((await journal.findRun(run.id)).endedAt).toBeNumber();
  expect(await journal.action(action)).toMatchObject({ status: "unknown", reason: "process-ended" });
  expect(await journal.holders(run.id)).toEqual([]);
});

test("a run stays open while another living process holds it", async () => {
  const file = join(temporaryFolder(), "j", "journal.db");
  const child = startProcess("write-forever", file);
  await child.stdout.getReader().read();
  const journal = await open(file);
  const [run] = await journal.runs();
  if (run === undefined) throw new Error("no run");
  await journal.leaveRun(run.id);
  expect(await journal.closeRun(run.id)).toMatchObject({ kind: "alive", process: { pid: child.pid } });
  child.kill("SIGKILL");
  await child.exited;
  expect(await journal.holders(run.id)).toEqual([]);
  expect((await journal.findRun(run.id)).state).toBe("open");
  expect((await journal.closeRun(run.id)).kind).toBe("closed");
});

test("closing a run that a killed process left open ends it once; what it had sent is unknown", async () => {
  const { file, journal, run } = await start();
  await intended(journal, newIntent(run.id));
  await intended(journal, newIntent(run.id));
  expect(await journal.closeRun(run.id)).toEqual({ kind: "alive", process: selfIdentity() });
  abandon(file, run.id);
  expect(await journal.closeRun(run.id)).toEqual({ kind: "closed", unknown: 2 });
  expect(await journal.closeRun(run.id)).toEqual({ kind: "already" });
  expect((await journal.findRun(run.id)).state).toBe("ended");
});

test("a run that an undo has been through keeps that state when it ends", async () => {
  const { journal, run } = await start();
  await journal.setRunState(run.id, "partial");
  await journal.leaveRun(run.id);
  expect(await journal.findRun(run.id)).toMatchObject({ state: "partial", endedAt: expect.any(Number) });
});

import { afterEach, expect, test } from "bun:test";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../src/core/digest.ts";
import { verifyJournal } from "../../src/journal/verify.ts";
import { intended, newCall, newIntent, newRead } from "./calls.ts";
import { cleanUp, cutAfter, open, start, tamper } from "./fixture.ts";

afterEach(cleanUp);
/** A closed journal in which something of everything has happened. */
async function recorded(): Promise<{ file: string; head: string }> {
  const { file, journal, run } = await start();
  const action = await intended(journal, newIntent(run.id, { args: { text: "x".repeat(3000) } }));
  await journal.settle(action, { status: "applied", reason: null, result: { ok: true } });
  journal.recordFinished(newRead(run.id));
  const held = await journal.hold(newCall(run.id, { callKey: digestOf("held") }), "gate-always");
  const { id } = await journal.approve(held.id, "ada", 60_000);
  await journal.intend(newIntent(run.id, { callKey: digestOf("held"), approval: id }));
  await journal.leaveRun(run.id);
  await journal.close();
  return { file, head: file.replace(/db$/, "head") };
}

async function whatIsFound(file: string): Promise<string[]> {
  const report = await verifyJournal(file);
  return report.kind === "intact"
    ? []
    : report.findings.map(({ event, table, what }) => [event, table, what].filter((part) => part !== undefined).join(" "));
}

test("P7: an untouched journal is intact, also while it is in use, and verifying writes nothing", async () => {
  const { file, head } = await recorded();
  const before = readFileSync(file);
  const report = await verifyJournal(file);
  expect(report.kind).toBe("intact");
  expect(readFileSync(file).equals(before)).toBe(true);
  if (report.kind !== "intact") return;
  expect(report.head).toEqual({ number: report.events, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const journal = await open(file);
  await intended(journal, newIntent((await journal.runs())[0]?.id ?? ""));
  expect(await verifyJournal(file)).toMatchObject({ kind: "intact", events: report.events + 1 });
  expect(readFileSync(head, "latin1")).toStartWith(String(report.events + 1).padStart(16, "0"));
});

const LAST = "(SELECT max(number) FROM events)";
test.each([
  [
    "a changed payload",
    `UPDATE events SET payload = replace(payload, 'reversible', 'readonly') WHERE number = 3`,
    "3 its payload was changed",
  ],
  ["a missing payload", "UPDATE events SET payload = NULL WHERE number = 3", "3 its payload is missing"],
  ["a changed time", "UPDATE events SET time = time + 1 WHERE number = 3", "3 a field was changed"],
  ["a changed type", "UPDATE events SET type = 'action.failed' WHERE number = 3", "3 a field was changed"],
  ["a changed subject", "UPDATE events SET subject = 'x' WHERE number = 3", "3 a field was changed"],
  ["a changed hash", "UPDATE events SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE number = 3", "3 a field was changed"],
  ["a missing event", "DELETE FROM events WHERE number = 4", "event 4 is missing"],
  ["a missing first event", "DELETE FROM events WHERE number = 1", "event 1 is missing"],
  ["a cut-off tail", "DELETE FROM events WHERE number > 3", "are missing at the end"],
  [
    "an added event",
    `INSERT INTO events SELECT number + 1, time, type, subject, payload, payload_digest, hash, hash FROM events WHERE number = ${LAST}`,
    "a field was changed",
  ],
  [
    "a removed event with the rest moved up",
    "DELETE FROM events WHERE number = 4; UPDATE events SET number = -number WHERE number > 4; UPDATE events SET number = -number - 1 WHERE number < 0",
    "4 it doesn't follow the event before it",
  ],
  [
    "reordered events",
    "UPDATE events SET number = -3 WHERE number = 3; UPDATE events SET number = 3 WHERE number = 4; UPDATE events SET number = 4 WHERE number = -3",
    "3 it doesn't follow the event before it",
  ],
  ["a changed column", "UPDATE actions SET status = 'failed' WHERE seq = 1", "actions status isn't what the events say"],
  ["a column emptied", "UPDATE actions SET result = NULL WHERE seq = 1", "actions result isn't what the events say"],
  ["an approver changed", `UPDATE decisions SET made_by = '"eve"' WHERE kind = 'allow'`, "decisions made_by isn't what the events say"],
  ["a spent approval made new", "UPDATE decisions SET spent_by = NULL", "decisions spent_by isn't what the events say"],
  ["a run's end changed", "UPDATE runs SET ended_at = ended_at + 1", "runs ended_at isn't what the events say"],
  ["a removed row", "DELETE FROM decisions WHERE kind = 'allow'", "decisions the row is missing"],
  [
    "an added row",
    "INSERT INTO decisions SELECT 'x', event, action, kind, made_by, reasons, made_at, expires_at, spent_by, told_at FROM decisions LIMIT 1",
    "decisions the row was added",
  ],
  ["a changed value", "UPDATE blobs SET content = CAST('{}' AS BLOB) WHERE encoding = 'json'", "blobs the value doesn't match its digest"],
  ["a broken compressed value", "UPDATE blobs SET content = x'00' WHERE encoding = 'zstd'", "blobs the value can't be decompressed"],
  ["a removed value", "DELETE FROM blobs WHERE encoding = 'zstd'", "actions the value of args is missing"],
  [
    "a planted trigger",
    "CREATE TRIGGER quiet AFTER INSERT ON events BEGIN DELETE FROM decisions; END",
    "the schema has another trigger quiet",
  ],
  ["a dropped index", "DROP INDEX actions_by_run", "the schema lacks index actions_by_run"],
])("P7: %s is found", async (_name, sql, finding) => {
  const { file } = await recorded();
  for (const statement of sql.includes("TRIGGER") ? [sql] : sql.split("; ")) tamper(file, statement);
  expect(await whatIsFound(file)).toContainEqual(expect.stringContaining(finding));
});

test.each([
  ["removed", "DELETE FROM blob_parts WHERE number = 2", "blobs the value doesn't match its digest"],
  ["moved", "UPDATE blob_parts SET number = 9 WHERE number = 1", "blobs the value doesn't match its digest"],
  ["broken", "UPDATE blob_parts SET content = x'00' WHERE number = 1", "blobs the value can't be decompressed"],
  ["of another value", "UPDATE blob_parts SET digest = 'x' WHERE number = 1", "blob_parts a part of no value"],
])("P7: a part of a large value that is %s is found", async (_name, sql, finding) => {
  const { file, journal, run } = await start();
  await intended(journal, newIntent(run.id, { args: { numbers: Array.from({ length: 800_000 }, (_, at) => at) } }));
  await journal.close();
  expect(await whatIsFound(file)).toEqual([]);
  tamper(file, sql);
  expect(await whatIsFound(file)).toContainEqual(expect.stringContaining(finding));
});

test("P7: a tail that was cut off with its rows is found by the head that lies outside, and by the head's loss", async () => {
  const { file, head } = await recorded();
  const short = `${file}.short`;
  copyFileSync(file, short);
  const journal = await open(file);
  await intended(journal, newIntent((await journal.runs())[0]?.id ?? ""));
  await journal.close();
  copyFileSync(short, file); // the state of before, consistent in itself
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("missing at the end")]);
  rmSync(head);
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("journal.head is missing")]);
  const again = await open(file);
  await intended(again, newIntent((await again.runs())[0]?.id ?? ""));
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("journal.head was missing")]);
});

test("P7: another history of the same length is found by the head that lies outside", async () => {
  const { file, head } = await recorded();
  writeFileSync(head, readFileSync(head, "latin1").replaceAll(/[0-9a-f]{64}/g, "a".repeat(64)));
  expect(new Set((await whatIsFound(file)).map((what) => what.replace(/^\d+ /, "")))).toEqual(
    new Set(["it isn't the event that journal.head names"]),
  );
  writeFileSync(head, "nonsense");
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("journal.head can't be read")]);
});

test("P7: a tail that was cut off is told for ever, however much is recorded afterwards", async () => {
  const { file } = await recorded();
  cutAfter(file, 5);
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("6 events 6 to")]);
  for (let round = 0; round < 3; round++) {
    const journal = await open(file);
    const run = (await journal.runs())[0]?.id ?? "";
    for (let call = 0; call < 5; call++) journal.recordFinished(newRead(run));
    await intended(journal, newIntent(run));
    await journal.close();
    expect(await whatIsFound(file)).toEqual([
      expect.stringMatching(/^6 journal\.head named event \d+ [0-9a-f]{64}, which isn't in the chain/),
    ]);
  }
});

test("P7: a tail that is cut off while the journal is in use is told for ever, too", async () => {
  const { file, journal, run } = await start();
  await intended(journal, newIntent(run.id));
  cutAfter(file, 2);
  journal.recordFinished(newRead(run.id));
  await journal.flush();
  await intended(journal, newIntent(run.id));
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("3 journal.head named event 3")]);
});

test("P7: a tail that hadn't waited for the disk can't be cut off without trace", async () => {
  const { file, journal, run } = await start();
  await intended(journal, newIntent(run.id));
  for (let call = 0; call < 20; call++) journal.recordFinished(newRead(run.id));
  await journal.leaveRun(run.id);
  await journal.close();
  cutAfter(file, 3);
  expect(await whatIsFound(file)).toEqual([expect.stringMatching(/^4 events 4 to 25 are missing at the end/)]);
});

test("P7: an end that a power cut took is told, apart from one that was cut off", async () => {
  const { file, journal, run } = await start();
  await intended(journal, newIntent(run.id));
  for (let call = 0; call < 3; call++) journal.recordFinished(newRead(run.id));
  await journal.close();
  const head = file.replace(/db$/, "head");
  writeFileSync(head, readFileSync(head, "latin1").replace(/[0-9a-f]{16}\n$/, `${"0".repeat(16)}\n`)); // written before the machine was started
  cutAfter(file, 3);
  const lost = { kind: "intact", events: 3, losses: [{ event: 4, what: expect.stringContaining("events 4 to 6 are missing at the end") }] };
  expect(await verifyJournal(file)).toMatchObject(lost);
  const again = await open(file);
  await intended(again, newIntent(run.id));
  await again.close();
  const told = {
    kind: "intact",
    events: 5,
    losses: [{ event: 4, what: expect.stringContaining("the end was lost when the machine stopped") }],
  };
  expect(await verifyJournal(file)).toMatchObject(told);
  cutAfter(file, 2);
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("had waited for the disk")]);
});

test("P7: a head that names no event is a finding, and one in the way that older versions wrote it is none", async () => {
  const { file, head } = await recorded();
  const [durable = "", last = ""] = readFileSync(head, "latin1").split("\n");
  writeFileSync(head, `${durable}\n`);
  expect(await whatIsFound(file)).toEqual([]);
  const journal = await open(file);
  await intended(journal, newIntent((await journal.runs())[0]?.id ?? ""));
  await journal.close();
  expect(await whatIsFound(file)).toEqual([]);
  writeFileSync(head, `${`${"0".repeat(16)} ${"0".repeat(64)}`}\n${last}\n`);
  expect(await whatIsFound(file)).toEqual([expect.stringContaining("journal.head names no event")]);
});

test("what isn't there, or is no journal, is told apart from damage", async () => {
  const { file } = await recorded();
  await expect(verifyJournal(`${file}.other`)).rejects.toMatchObject({ code: "journal-missing" });
  const text = join(file, "..", "text.db");
  writeFileSync(text, "no database at all ".repeat(500));
  expect(await verifyJournal(text)).toMatchObject({ kind: "damaged" });
});

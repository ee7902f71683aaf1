// Does a secret reach the journal's file by a way that isn't the argument it was sent in? Every byte is looked through, its values unpacked.
import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { endSessions, type Scene, startSession, until } from "../proxy/fixture.ts";
import { everythingIn } from "../support/journal-bytes.ts";

const folders: string[] = [];
afterEach(async () => {
  await endSessions();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const RULES = `
  - { match: "notes.get", class: readonly, redact: "$result.token" }
  - { match: "notes.send", class: irreversible, gate: never, redact: ["$.auth.key", "$.auth", "$.list[].pw", "$.pin", "$result.token"] }
  - { match: "notes.ask", class: irreversible, redact: ["$.pw"] }
  - { match: "notes.act", by: "$.do", cases: { set: { class: irreversible, redact: ["$.pw"] } } }
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }
    redact: "$.pw"
  - match: "notes.stamp"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$snapshot.key" } }
    redact: "$snapshot.value"
  - match: "notes.create"
    class: compensable
    inverse: { tool: "notes.remove", args: { key: "$result.key" } }
    redact: ["$.pw", "$result.token"]
`;

interface Recorded extends Scene {
  recorded(): Promise<string>;
}

async function start(): Promise<Recorded> {
  const folder = mkdtempSync(join(tmpdir(), "synartesis-hide-"));
  folders.push(folder);
  const journalFile = join(folder, "journal.db");
  const scene = await startSession({ rules: RULES, journalFile });
  return Object.assign(scene, {
    async recorded() {
      await scene.session.settled();
      await scene.journal.flush();
      return everythingIn(journalFile);
    },
  });
}

/** Makes a call that the server is to get, and answers it. */
async function call(scene: Scene, id: number, tool: string, args: object, result: object): Promise<void> {
  const before = scene.server.got.length;
  scene.call(id, tool, args);
  await until(() => scene.server.got.length > before);
  scene.says(JSON.stringify({ jsonrpc: "2.0", id, result }));
  await scene.session.settled();
}

const textBlock = (text: string) => ({ content: [{ type: "text", text }] });

test("P7: whatever shape a secret has, and however a result repeats it, no byte of the journal holds it", async () => {
  const scene = await start();
  const shapes = fc.constantFrom<(secret: string) => unknown>(
    (secret) => secret,
    (secret) => [secret, { a: secret }],
    (secret) => ({ key: secret, more: [secret] }),
    (secret) => JSON.stringify({ secret }),
  );
  const echoes = fc.constantFrom<(value: unknown) => object>(
    (value) => textBlock(JSON.stringify(value)),
    (value) => textBlock(`Saved: ${JSON.stringify(value)}`),
    (value) => ({ ...textBlock("ok"), structuredContent: { deep: [value], text: JSON.stringify(JSON.stringify(value)) } }),
    (value) => ({ ...textBlock(JSON.stringify({ token: value })), structuredContent: { id: 1 } }),
    (value) => ({ ...textBlock(`no: ${JSON.stringify(value)}`), isError: true }),
  );
  const places = fc.constantFrom<(value: unknown) => object>(
    (value) => ({ auth: { key: value } }),
    (value) => ({ auth: { token: value, key: "k" } }),
    (value) => ({ list: [{ pw: value }] }),
    (value) => ({ list: { pw: value } }),
    (value) => ({ pin: value, also: [value], [`x${String(value)}`]: JSON.stringify(value) }),
  );
  const secrets = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom("é", '"', "\n", "/", "\\", "<", "a", "🙂") });
  const drawn = fc.sample(fc.tuple(secrets, shapes, echoes, places), { numRuns: 60, seed: 7 });
  const sent: string[] = [];
  for (const [index, [tail, shape, echo, place]] of drawn.entries()) {
    const secret = `SECRET${index}s${tail}`;
    sent.push(`SECRET${index}s`);
    const value = shape(secret);
    await call(scene, index + 1, "send", place(value), echo(value));
  }
  const recorded = await scene.recorded();
  expect(recorded).toContain("[redacted: ");
  expect(sent.filter((start) => recorded.includes(start))).toEqual([]);
});

test("P7: a number that is repeated as one is hidden", async () => {
  const scene = await start();
  await call(
    scene,
    1,
    "send",
    { pin: 9876543210, n: 98 },
    { ...textBlock("ok"), structuredContent: { pin: 9876543210, deep: [9876543210] } },
  );
  const recorded = await scene.recorded();
  expect(recorded).toContain("[redacted: 10 characters");
  expect(recorded).not.toContain("9876543210");
});

test("P7: a secret in what a call touches, or in what was there before, keeps the call from being sent", async () => {
  const scene = await start();
  scene.server.notes = { a: "the secret is SECRETg1 as said" };
  scene.call(1, "set", { key: "SECRETh8/x", pw: "SECRETh8", value: "y" });
  scene.call(2, "set", { key: "a", pw: "SECRETg1", value: "y" });
  for (const [id, why] of [
    [1, "what it touches is named by a value that the policy keeps out"],
    [2, "name it in the rule's `redact` as `$snapshot.`"],
  ] as const)
    expect(JSON.stringify(await scene.answerTo(id))).toContain(why);
  expect(scene.server.got).toEqual([]);
  expect(await scene.recorded()).not.toMatch(/SECRET(h8|g1)/);
});

test("P7: what is hidden in the state is hidden in the call's own result", async () => {
  const scene = await start();
  scene.server.notes = { a: "HASHo1o1" };
  await call(scene, 1, "stamp", { key: "a" }, textBlock('was: {"old":"HASHo1o1"}'));
  expect(await scene.actions()).toMatchObject([{ tool: "stamp", status: "applied" }]);
  expect(await scene.recorded()).not.toContain("HASHo1o1");
});

test("P7: a way back that a result shows to hold a secret isn't kept, and what the record has already isn't a secret", async () => {
  const scene = await start();
  scene.server.notes = {};
  await call(scene, 1, "create", {}, textBlock('{"key":"TOKENq4","token":"TOKENq4"}'));
  await call(scene, 2, "create", { name: "plain-name" }, textBlock('{"key":"n2","token":{"of":"plain-name"}}'));
  expect(await scene.actions()).toMatchObject([{ status: "permanent", reason: "not-captured" }, { status: "applied" }]);
  const recorded = await scene.recorded();
  expect(recorded).not.toContain("TOKENq4");
  expect(recorded).toContain("plain-name");
});

test("P7: a call that no case knows is hidden by the paths of all cases", async () => {
  const scene = await start();
  scene.call(1, "act", { do: "SET", pw: "SECRETcase" });
  await scene.answerTo(1);
  expect(await scene.recorded()).not.toContain("SECRETcase");
});

test("P6: an approval of a call with a secret is for no other value, of whatever type", async () => {
  const scene = await start();
  const shown = '["a@x","b@x"]';
  scene.call(1, "ask", { pw: shown });
  await scene.answerTo(1);
  const [held] = await scene.journal.waiting();
  await scene.journal.approve(held?.id ?? "", "a person", 60_000);
  scene.call(2, "ask", { pw: ["a@x", "b@x"] });
  scene.call(3, "ask", { pw: 1234 });
  scene.call(4, "ask", { pw: "1234" });
  for (const id of [2, 3, 4]) await scene.answerTo(id);
  expect(scene.server.got).toEqual([]);
  expect(await scene.journal.waiting()).toHaveLength(3);
  await call(scene, 5, "ask", { pw: shown }, textBlock("done"));
  expect(scene.server.got).toHaveLength(1);
});

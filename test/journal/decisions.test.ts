import { afterEach, expect, test } from "bun:test";
import { digestOf } from "../../src/core/digest.ts";
import { HOLD_EXPIRES_IN } from "../../src/journal/decisions.ts";
import { newCall, newIntent, newRun } from "./calls.ts";
import { cleanUp, start } from "./fixture.ts";

afterEach(cleanUp);
const HOUR = 60 * 60 * 1000;

/** A journal with a clock that stands where it is put, and one call that is held. */
async function startHeld() {
  const clock = { now: 1_000_000_000_000 };
  const started = await start({ clock: () => clock.now });
  const held = await started.journal.hold(newCall(started.run.id, { receivedAt: clock.now }), "gate-always");
  return { ...started, clock, held, callKey: held.callKey };
}

test("the same call while it is held is the same hold, in any run", async () => {
  const { journal, run, held, callKey } = await startHeld();
  const other = await journal.openRun(newRun());
  expect((await journal.hold(newCall(other.id), "gate-always")).id).toBe(held.id);
  expect(await journal.standing(callKey)).toMatchObject({ kind: "held", hold: { id: held.id } });
  expect((await journal.hold(newCall(run.id, { callKey: digestOf("another") }), "gate-always")).id).not.toBe(held.id);
  expect((await journal.waiting()).map(({ id }) => id)[0]).toBe(held.id);
  expect(await journal.standing(digestOf("unheard of"))).toEqual({ kind: "none" });
});

test("P6: an approval lets one call through, once, and names it", async () => {
  const { journal, run, held, callKey } = await startHeld();
  const approval = await journal.approve(held.id, "ada", HOUR);
  expect(await journal.standing(callKey)).toMatchObject({
    kind: "approved",
    approval: { id: approval.id, by: "ada" },
    hold: { id: held.id },
  });
  const results = await Promise.all([1, 2, 3].map(() => journal.intend(newIntent(run.id, { approval: approval.id }))));
  expect(results.map(({ kind }) => kind)).toEqual(["intended", "approval-gone", "approval-gone"]);
  expect(await journal.decision(approval.id)).toMatchObject({ spentBy: results[0]?.kind === "intended" ? results[0].action : "?" });
  expect(await journal.standing(callKey)).toEqual({ kind: "none" });
  expect(await journal.actions(run.id)).toHaveLength(2);
});

test("P6: an approval doesn't fit another call", async () => {
  const { journal, run, held } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  const other = newIntent(run.id, { approval, callKey: digestOf("another") });
  expect(await journal.intend(other)).toEqual({ kind: "approval-gone" });
  expect((await journal.intend(newIntent(run.id, { approval }))).kind).toBe("intended");
});

test("a claim that is lost doesn't spend the approval", async () => {
  const { journal, run, held } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  expect(await journal.intend(newIntent(run.id, { approval, undoes: held.id }))).toEqual({ kind: "claim-lost", status: "approved" });
  expect((await journal.intend(newIntent(run.id, { approval }))).kind).toBe("intended");
});

test("P6: an approval counts to the end of its time, and never again after", async () => {
  const { journal, run, clock, held, callKey } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  clock.now += HOUR - 1;
  expect((await journal.standing(callKey)).kind).toBe("approved");
  clock.now += 1;
  expect(await journal.intend(newIntent(run.id, { approval }))).toEqual({ kind: "approval-gone" });
  expect(await journal.standing(callKey)).toEqual({ kind: "none" });
  expect((await journal.action(held.id)).status).toBe("expired");
  clock.now -= HOUR / 2;
  expect(await journal.standing(callKey)).toEqual({ kind: "none" });
});

test("P6: a clock that goes back revives no approval whose end the record has seen", async () => {
  const { journal, run, clock, held, callKey } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  clock.now += 2 * HOUR;
  await journal.setRunState(run.id, "open"); // anything that is written now bears this time
  clock.now -= 1.5 * HOUR;
  expect(await journal.intend(newIntent(run.id, { approval }))).toEqual({ kind: "approval-gone" });
  expect(await journal.standing(callKey)).toEqual({ kind: "none" });
});

test("P6: an approval doesn't count before it was given", async () => {
  const { journal, run, clock, held, callKey } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  clock.now -= 1;
  expect(await journal.intend(newIntent(run.id, { approval }))).toEqual({ kind: "approval-gone" });
  expect(await journal.standing(callKey)).toEqual({ kind: "none" });
});

test("P6: a hold that nobody answers expires, and can't be approved late", async () => {
  const { journal, run, clock, held, callKey } = await startHeld();
  clock.now += HOLD_EXPIRES_IN;
  await expect(journal.approve(held.id, "ada", HOUR)).rejects.toMatchObject({ code: "refused" });
  expect(await journal.waiting()).toEqual([]);
  expect((await journal.action(held.id)).status).toBe("expired");
  expect(await journal.standing(callKey)).toEqual({ kind: "none" });
  expect((await journal.hold(newCall(run.id, { receivedAt: clock.now }), "gate-always")).id).not.toBe(held.id);
});

test("P6: a clock that goes back makes no hold answerable again whose end the record has seen", async () => {
  const { journal, run, clock, held } = await startHeld();
  clock.now += HOLD_EXPIRES_IN + HOUR;
  await journal.setRunState(run.id, "open"); // anything that is written now bears this time
  clock.now -= HOLD_EXPIRES_IN;
  await expect(journal.approve(held.id, "ada", HOUR)).rejects.toMatchObject({ code: "refused" });
  await expect(journal.deny(held.id, "ada", null)).rejects.toMatchObject({ code: "refused" });
  expect(await journal.waiting()).toEqual([]);
  expect((await journal.action(held.id)).status).toBe("expired");
});

test("a denial is told once, with its reason; then the call may be asked for anew", async () => {
  const { journal, run, held, callKey } = await startHeld();
  await journal.deny(held.id, "ada", "not this customer");
  const told = await journal.standing(callKey);
  expect(told).toMatchObject({
    kind: "denied",
    hold: { id: held.id, detail: "not this customer" },
    decision: { by: "ada", reasons: ["not this customer"] },
  });
  expect(await journal.standing(callKey)).toEqual({ kind: "none" });
  expect((await journal.hold(newCall(run.id), "gate-always")).id).not.toBe(held.id);
});

test("what has been answered can't be answered again", async () => {
  const { journal, held } = await startHeld();
  await journal.approve(held.id, "ada", HOUR);
  await expect(journal.approve(held.id, "bob", HOUR)).rejects.toMatchObject({ code: "refused" });
  await expect(journal.approve("nosuchaction", "bob", HOUR)).rejects.toMatchObject({ code: "not-found" });
  expect((await journal.decisions(held.id)).map(({ kind, by }) => [kind, by])).toEqual([
    ["hold", "policy"],
    ["allow", "ada"],
  ]);
});

test("P6: an approval that isn't spent can be taken back, and lets nothing through afterwards", async () => {
  const { journal, run, held, callKey } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  expect((await journal.approved()).map(({ id }) => id)).toEqual([held.id]);
  await journal.deny(held.id, "bob", "a mistake");
  expect(await journal.approved()).toEqual([]);
  expect(await journal.intend(newIntent(run.id, { approval }))).toEqual({ kind: "approval-gone" });
  expect(await journal.standing(callKey)).toMatchObject({ kind: "denied", decision: { by: "bob", reasons: ["a mistake"] } });
  expect((await journal.decisions(held.id)).map(({ kind, by }) => [kind, by])).toEqual([
    ["hold", "policy"],
    ["allow", "ada"],
    ["deny", "bob"],
  ]);
});

test("P6: of an approval's being spent and its being taken back at once exactly one is recorded", async () => {
  const { journal, run } = await startHeld();
  for (let time = 0; time < 8; time++) {
    const hold = await journal.hold(newCall(run.id), "gate-always");
    const approval = (await journal.approve(hold.id, "ada", HOUR)).id;
    const spend = journal.intend(newIntent(run.id, { approval })).then(({ kind }) => kind === "intended");
    const takeBack = journal.deny(hold.id, "bob", null).then(
      () => true,
      () => false,
    );
    const [isSpent, isTakenBack] = await Promise.all([spend, takeBack]);
    expect(isSpent).toBe(!isTakenBack);
    expect((await journal.action(hold.id)).status).toBe(isSpent ? "approved" : "denied");
    expect((await journal.decision(approval))?.spentBy === null).toBe(isTakenBack);
    // A denial is told once, so that the next time begins anew.
    expect((await journal.standing(hold.callKey)).kind).toBe(isSpent ? "none" : "denied");
  }
});

test("P6: an approval that is spent stays spent: it can't be taken back", async () => {
  const { journal, run, held } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  await journal.intend(newIntent(run.id, { approval }));
  await expect(journal.deny(held.id, "bob", null)).rejects.toMatchObject({ code: "refused" });
  expect(await journal.approved()).toEqual([]);
  expect((await journal.action(held.id)).status).toBe("approved");
});

test("an approval past its time can't be taken back: it has expired", async () => {
  const { journal, clock, held } = await startHeld();
  await journal.approve(held.id, "ada", HOUR);
  clock.now += HOUR;
  await expect(journal.deny(held.id, "bob", null)).rejects.toThrow(/it is expired/);
  expect(await journal.approved()).toEqual([]);
  expect((await journal.action(held.id)).status).toBe("expired");
});

test("a spent approval doesn't expire afterwards", async () => {
  const { journal, run, clock, held } = await startHeld();
  const approval = (await journal.approve(held.id, "ada", HOUR)).id;
  await journal.intend(newIntent(run.id, { approval }));
  clock.now += 2 * HOUR;
  expect(await journal.waiting()).toEqual([]);
  expect((await journal.action(held.id)).status).toBe("approved");
});

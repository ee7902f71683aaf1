// What if many agents start at once, on one journal that doesn't exist yet? All start, and nothing of what they do is missing.
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { actions, expectIntact, runs } from "../support/documents.ts";
import { makeNotes } from "../support/notes.ts";

const PROXIES = 16;
const CALLS = 250;
const IN_FLIGHT = 8;

/** Makes CALLS calls, IN_FLIGHT at a time; a fifth of them change something. Gives how many were answered as the server does. */
async function work(agent: Agent): Promise<number> {
  let next = 0;
  let answered = 0;
  const worker = async () => {
    while (next < CALLS) {
      const number = next++;
      const key = "abc"[number % 3] as string;
      const kind = number % 10;
      const result =
        kind === 0
          ? await agent.call("set", { key, value: String(number) })
          : kind === 5
            ? await agent.call("create", { value: String(number) })
            : await agent.call("get", { key });
      if (!result.isError) answered++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return answered;
}

test("P2: sixteen proxies on one new journal, with 250 calls each and 8 in flight: all start, none is refused, every call is recorded", async () => {
  using notes = makeNotes(undefined, ["--memory"]);
  const agents = await Promise.all(Array.from({ length: PROXIES }, () => Agent.start(notes)));
  const answered = await Promise.all(agents.map(work));
  expect(answered).toEqual(agents.map(() => CALLS));
  expect(await Promise.all(agents.map((agent) => agent.end()))).toEqual(agents.map(() => 0));
  const found = await runs(notes);
  expect(found.map(({ state }) => state)).toEqual(agents.map(() => "ended"));
  for (const { id } of found) {
    const recorded = await actions(notes, id);
    expect(recorded.map(({ seq }) => seq)).toEqual(Array.from({ length: CALLS }, (_, index) => index + 1));
    expect(new Set(recorded.map(({ status }) => status))).toEqual(new Set(["applied"]));
    expect(recorded.filter(({ tool }) => tool !== "get")).toHaveLength(CALLS / 5);
  }
  const changes = notes.received().filter(({ name }) => name !== "get");
  expect(changes).toHaveLength((PROXIES * CALLS) / 5);
  await expectIntact(notes);
});

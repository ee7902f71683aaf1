// What became of a call whose result says in words that it failed? Words that it only repeats of the arguments settle nothing.
import { afterEach, expect, test } from "bun:test";
import { endSessions, startSession, until } from "../proxy/fixture.ts";

afterEach(endSessions);

const RULES = `
  - { match: "notes.send", class: irreversible, gate: never, failed_when: ['"Error: *'] }
`;

test.each([
  ["failed", "Error: x exists", "x"],
  ["failed", "Error: Error: x exists", "Error: x"],
  ["unknown", "Error: x created", "Error: x"],
])("P4: it is recorded as %s where the server answers %p of %p", async (status, answer, text) => {
  const { call, reply, server, session, journal } = await startSession({ rules: RULES });
  call(1, "send", { text });
  await until(() => server.got.length === 1);
  reply(1, answer);
  await session.settled();
  await journal.flush();
  const [run] = await journal.runs();
  expect(await journal.actions(run?.id ?? "")).toMatchObject([{ status }]);
});

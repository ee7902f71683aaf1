// Do values come back as they were written? What a double, a setter or a text encoder would change reaches server, journal and inverse unchanged.
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { expectIntact, undo } from "../support/documents.ts";
import { makeRaw, REVERSIBLE } from "../support/raw.ts";

// Members in the order in which the journal keeps them, so that the texts can be compared whole.
const VALUES = {
  "64-bit ids": '{"a":9007199254740993,"b":[18446744073709551615,-9223372036854775808],"c":123456789012345678901234567890}',
  "numbers that print otherwise": "[1.0,-0,0.10,1e2,1E+2,1e400,0.1234567890123456789012]",
  "members that are setters elsewhere":
    '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"hasOwnProperty":null,"toString":"x"}',
  "lone surrogates": '{"a":"\\udfff x \\ud83d","pair":"😀","\\udc00":"\\ud800"}',
  "control characters and line separators": '"\\u0000\\u001b[31m \u2028\u2029\u0085 \\\\ \\" \u00e9 e\u0301"',
  "empty things": '{"":"","a":[],"b":{},"c":null,"d":false}',
};

for (const [what, value] of Object.entries(VALUES)) {
  test(`P3: ${what} survive into the inverse as they were written`, async () => {
    const before = `{"value":${value}}`;
    using raw = makeRaw(before, REVERSIBLE);
    const agent = await Agent.start(raw);
    // What the agent writes passes as it came too, whatever it contains.
    const line = `{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"set","arguments":{"value":[${value}, 1.50 ]}}}`;
    await agent.await(70, () => agent.send(line));
    await agent.await(71, () => agent.send('{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"get","arguments":{}}}'));
    expect(raw.lines('"name":"set"')).toEqual([line]);
    expect(raw.state()).toBe(`{"value":[${value}, 1.50 ]}`);
    expect(agent.lines.at(-1)).toContain(`"structuredContent":${raw.state()}`);
    await agent.end();
    expect((await undo(raw)).state).toBe("undone");
    expect(raw.lines('"name":"set"')).toHaveLength(2);
    expect(raw.state()).toBe(before);
    await expectIntact(raw);
  });
}

test("P3: a person's change that a double can't tell from the agent's is seen, and kept", async () => {
  using raw = makeRaw('{"value":1}', REVERSIBLE);
  const agent = await Agent.start(raw);
  const line = '{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"set","arguments":{"value":9007199254740993}}}';
  await agent.await(70, () => agent.send(line));
  await agent.end();
  raw.setState('{"value":9007199254740992}');
  const done = await raw.run("undo");
  expect(done.code).toBe(1);
  expect(done.out).toContain("9007199254740993");
  expect(done.out).toContain("9007199254740992");
  expect(raw.state()).toBe('{"value":9007199254740992}');
});

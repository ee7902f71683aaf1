// Can a held call reach the server in another shape? Whatever a server might read in the bytes that we let through, it must be what we read.
import { expect, test } from "bun:test";
import { Agent } from "../support/agent.ts";
import { actions, untilCaptured } from "../support/documents.ts";
import { makeRaw } from "../support/raw.ts";

const IRREVERSIBLE = "    class: irreversible\n";
const PARAMS = '{"name":"set","arguments":{"value":"slipped through"}}';
const CALL = `{"jsonrpc":"2.0","id":70,"method":"tools/call","params":${PARAMS}}`;

const SHAPES: Readonly<Record<string, string>> = {
  "in a batch": `[${CALL}]`,
  "in a batch in a batch": `[[${CALL}]]`,
  "in a batch with another": `[{"jsonrpc":"2.0","id":71,"method":"ping"},${CALL}]`,
  "without an id": `{"jsonrpc":"2.0","method":"tools/call","params":${PARAMS}}`,
  "with the id null": CALL.replace("70", "null"),
  "with an id in brackets": CALL.replace("70", "[70]"),
  "without a version": CALL.replace('"jsonrpc":"2.0",', ""),
  "with escaped names": CALL.replace("method", "m\\u0065thod")
    .replace("tools/call", "tools\\/c\\u0061ll")
    .replace('"name"', '"n\\u0061me"'),
  "as the second of two methods": CALL.replace('"method"', '"method":"ping","method"'),
  "as the first of two methods": CALL.replace('"params"', '"method":"ping","params"'),
  "as a method in another case": CALL.replace('"method"', '"method":"ping","Method"'),
  "only as a method in another case": CALL.replace('"method"', '"METHOD"'),
  "as the second of two names": CALL.replace('"name"', '"name":"get","name"'),
  "as the first of two names": CALL.replace('"name":"set"', '"name":"set","name":"get"'),
  "as a name in another case": CALL.replace('"name"', '"name":"get","Name"'),
  "as the second of two params": CALL.replace('"params"', '"params":{"name":"get"},"params"'),
  "as params in another case": CALL.replace('"params"', '"params":{"name":"get"},"PARAMS"'),
  "behind another message": `{"jsonrpc":"2.0","id":71,"method":"ping"}${CALL}`,
  "behind another message and a carriage return": `{"jsonrpc":"2.0","id":71,"method":"ping"}\r${CALL}`,
  "inside of another message, between carriage returns": `{"jsonrpc":"2.0","id":71,"method":"ping","params":\r${CALL}\r}`,
  "inside of a read, between carriage returns": `{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"get","arguments":{"x":\r${CALL}\r}}}`,
  "inside of a notification, between carriage returns": `{"jsonrpc":"2.0","method":"notifications/x","params":\r${CALL}\r}`,
  "inside of a response, between carriage returns": `{"jsonrpc":"2.0","id":0,"result":\r${CALL}\r}`,
  "with a byte order mark": `\ufeff${CALL}`,
  "with spaces and a carriage return around it": `  \r${CALL}\t \r`,
  "with a comma too many": CALL.replace("}}}", "}},}"),
  "with a comment": `/* */${CALL}`,
};

test("P5: a call that a person has to agree to doesn't pass in any other shape", async () => {
  using raw = makeRaw('{"value":"before"}', IRREVERSIBLE);
  await using agent = await Agent.start(raw);
  const passed: string[] = [];
  for (const [how, line] of Object.entries(SHAPES)) {
    const before = raw.lines("slipped through").length;
    agent.send(line);
    // What was sent before this has been dealt with, by the proxy and by the server.
    await agent.call("get");
    // Nor as a part of a line: servers differ in where they see one end.
    if (raw.lines("slipped through").length > before) passed.push(how);
  }
  expect(passed).toEqual([]);
  expect(raw.state()).toBe('{"value":"before"}');
});

test("a message may end in a carriage return, as on some systems every line does", async () => {
  using raw = makeRaw('{"value":"before"}', '    class: compensable\n    inverse: { tool: "raw.set", args: { value: 0 } }\n');
  await using agent = await Agent.start(raw);
  await agent.await(70, () => agent.send(`${CALL}\r`));
  expect(raw.state()).toBe('{"value":"slipped through"}');
  await untilCaptured(raw);
  expect(await actions(raw)).toMatchObject([{ tool: "set", status: "applied" }]);
});

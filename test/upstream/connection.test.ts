// What does a connection make of an answer to a request of ours that nests too deeply to be read?
import { expect, test } from "bun:test";
import { Connection } from "../../src/upstream/connection.ts";
import { MAX_DEPTH, parseMessage } from "../../src/wire/message.ts";

test("P3: an answer to us that nests too deeply is an error, not a null: what wasn't read is no state", async () => {
  const written: string[] = [];
  const connection = new Connection({
    write: ({ bytes }) => written.push(new TextDecoder().decode(bytes)) > 0,
    onMessage: () => undefined,
    onTooLong: () => undefined,
    log: { log: () => undefined },
  });
  const asking = connection.request("tools/call", { name: "get" }, 10_000);
  const id = JSON.stringify(JSON.parse(written[0] ?? "").id);
  const result = `${"[".repeat(MAX_DEPTH + 1)}${"]".repeat(MAX_DEPTH + 1)}`;
  void connection.receive(parseMessage(new TextEncoder().encode(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)));
  expect(await asking).toMatchObject({ kind: "error", error: { message: `the answer nests deeper than ${MAX_DEPTH}` } });
});

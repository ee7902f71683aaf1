// What is a server's answer taken to say? Its form decides, and the words that a policy names; nothing else.
import { expect, test } from "bun:test";
import { type Json, parseJson } from "../../src/core/json.ts";
import { judgeReply } from "../../src/recorder/judge-reply.ts";
import type { Reply } from "../../src/recorder/send.ts";
import { parseMessage, type ResponseMessage } from "../../src/wire/message.ts";

/** A reply with this result (or error), as it comes from the wire. */
function replyWith(part: "result" | "error", text: string): Reply {
  const message = parseMessage(new TextEncoder().encode(`{"jsonrpc":"2.0","id":1,"${part}":${text}}`)) as ResponseMessage; // it is one
  const value: Json = parseJson(text);
  return part === "result" ? { kind: "result", result: value, message } : { kind: "error", error: value, message };
}
const text = (words: string, more = "") => `{"content":[{"type":"text","text":${JSON.stringify(words)}}]${more}}`;

const CASES: [string, Reply, readonly string[], object][] = [
  ["a result", replyWith("result", text("done")), [], { kind: "success", value: "done" }],
  ["a structured result", replyWith("result", text("x", ',"structuredContent":{"id":7}')), [], { kind: "success", value: { id: 7 } }],
  ["isError: false", replyWith("result", text("done", ',"isError":false')), [], { kind: "success" }],
  ['isError: "true", which is no true', replyWith("result", text("done", ',"isError":"true"')), [], { kind: "success" }],
  ["isError", replyWith("result", text("no room", ',"isError":true')), [], { kind: "said-failed", reason: "tool-error", text: "no room" }],
  ["isError with failed_when", replyWith("result", text("Error: x", ',"isError":true')), ["Error: *"], { reason: "tool-error" }],
  [
    "words that failed_when names",
    replyWith("result", text("Error: no")),
    ["Error: *"],
    { kind: "said-failed", reason: "declared-failure" },
  ],
  ["such words in the middle of a text", replyWith("result", text("The log says Error: no")), ["Error: *"], { kind: "success" }],
  [
    "such words in one of two blocks",
    replyWith("result", '{"content":[{"type":"text","text":"Error: no"},{"type":"text","text":""}]}'),
    ["Error: *"],
    { kind: "success" },
  ],
  ["words of failure that no policy names", replyWith("result", text("Error: no")), [], { kind: "success" }],
  [
    "a protocol error",
    replyWith("error", '{"code":-32603,"message":"broken"}'),
    [],
    { kind: "said-failed", reason: "protocol-error", text: "broken" },
  ],
  ["a protocol error without words", replyWith("error", '{"code":1}'), [], { kind: "said-failed", text: '{"code":1}' }],
  ["an error that is null", replyWith("error", "null"), [], { kind: "said-failed", reason: "protocol-error" }],
  ["a created task", replyWith("result", '{"task":{"taskId":"t"}}'), [], { kind: "pending" }],
  ["content that has a task beside it", replyWith("result", text("done", ',"task":{}')), [], { kind: "success" }],
  ["an empty result", replyWith("result", "{}"), [], { kind: "success" }],
  ["a result that is null", replyWith("result", "null"), [], { kind: "success", value: null }],
  ["a lost reply", { kind: "lost", reason: "reply-lost" }, [], { kind: "lost", reason: "reply-lost" }],
  ["a server that ended", { kind: "lost", reason: "server-ended" }, ["*"], { kind: "lost", reason: "server-ended" }],
  ["a call that never left", { kind: "not-sent" }, ["*"], { kind: "not-sent" }],
];

test.each(CASES)("P4: %s", (_, reply, failedWhen, expected) => {
  expect(judgeReply(reply, failedWhen)).toMatchObject(expected);
});

test("of a result's only text the fields are taken that a rule names; of anything else none", () => {
  const fields = { number: "/issues/([0-9]+)$", kind: "(issues|pulls)", none: "nowhere" };
  const shownBy = (result: string) => judgeReply(replyWith("result", result), [], fields);
  expect(shownBy(text("see https://host/issues/42"))).toMatchObject({ value: { number: "42", kind: "issues" } });
  expect(shownBy(text("x", ',"structuredContent":{"number":7}'))).toMatchObject({ kind: "success", value: {} });
  expect(shownBy('{"content":[{"type":"text","text":"/issues/1"},{"type":"text","text":"/issues/2"}]}')).toMatchObject({ value: {} });
});

test("a number in a result keeps its digits", () => {
  const verdict = judgeReply(replyWith("result", text("x", ',"structuredContent":{"id":12345678901234567890}')), []);
  expect(JSON.stringify("value" in verdict ? verdict.value : undefined)).toBe('{"id":12345678901234567890}');
});

// What happens to a message of the server? It goes to the client as it came, in the order in which it came; the reply to a call waits in its place
// until its outcome is recorded. What answers nothing is dropped.

import { inputRequestsOf, taskOf } from "../recorder/unfinished.ts";
import type { Loss, ServerExit } from "../upstream/upstream.ts";
import { splitBatch } from "../wire/build.ts";
import type { BatchMessage, IdKey, ResponseMessage, WireMessage } from "../wire/message.ts";
import type { Identified } from "../wire/too-long.ts";
import { type OpenCall, replyFrom } from "./open-requests.ts";
import { exitWords } from "./server-words.ts";
import { failRequest, logSession, type SessionState } from "./session-state.ts";

/** Takes a message of the server. */
export function fromServer(state: SessionState, message: WireMessage): void {
  switch (message.kind) {
    case "response":
      fromServerResponse(state, message);
      break;
    case "request":
      state.serverRequests.set(message.id, message.method);
      state.outbox.put(message.bytes);
      break;
    case "notification":
      state.tasks.notified(message);
      state.outbox.put(message.bytes);
      break;
    case "batch":
      fromServerBatch(state, message);
      break;
    case "strange":
      logSession(state, "info", "the server printed a line that is no message; passed over");
  }
}

/** The reply to a call was too long to take: the call was carried out, and what the reply says is lost. */
export function tooLongFromServer(state: SessionState, { id, method }: Identified): void {
  logSession(state, "error", "a message of the server was too long to take (--max-message)", id);
  const request = id === undefined || method !== undefined ? undefined : state.requests.get(id);
  const why = `longer than ${state.parts.maxMessage} bytes (--max-message)`;
  if (request?.kind === "call") request.settle?.({ kind: "lost", reason: "reply-lost", why: `it is ${why}` });
  else if (request) failRequest(state, request.message, `the server's reply is ${why}`);
}

/** The reply to one request will not come: it is told so, and the session goes on. */
export function lostFromServer(state: SessionState, id: IdKey, { why, sent, cancelled }: Loss): void {
  logSession(state, cancelled ? "info" : "warn", `a request will not be answered: ${why}`, id);
  const request = state.requests.get(id);
  if (request?.kind === "call") request.settle?.(sent ? { kind: "lost", reason: "reply-lost", why } : { kind: "not-sent", why });
  else if (request && cancelled) {
    state.requests.end(id);
    state.replies.none(id);
  } else if (request) failRequest(state, request.message, why);
}

/** The server's process or session is gone: what was in flight is told so, and the session goes on. */
export function serverEnded(state: SessionState, exit: ServerExit): void {
  const why = exitWords(exit);
  state.ended = why;
  logSession(state, "error", `the server ended: ${why}`);
  for (const [, request] of state.requests.all()) {
    if (request.kind === "plain") failRequest(state, request.message, why);
    else if (request.sent) request.settle?.({ kind: "lost", reason: "server-ended" });
  }
  state.tasks.lost();
}

function fromServerResponse(state: SessionState, message: ResponseMessage): void {
  const request = state.requests.get(message.id);
  if (request === undefined || (request.kind === "call" && (!request.sent || request.place !== undefined))) {
    logSession(state, "warn", "a reply of the server answers no open request; dropped", message.id);
    return;
  }
  if (request.kind === "call") {
    replyToCall(state, request, message);
    return;
  }
  state.requests.end(message.id);
  state.tasks.answered(request.message, message);
  state.replies.answer(message.id, state.known.answered(request.message, message));
}

function replyToCall(state: SessionState, request: OpenCall, message: ResponseMessage): void {
  const reply = replyFrom(message);
  // What comes after it must not overtake it, and nothing may wait for it for ever.
  const place = state.replies.reserve(message.id);
  request.place = place;
  void request.handled?.then(() => place.fill(message.bytes)); // does nothing where the place is filled
  if (reply.kind === "result") {
    state.known.introduced(reply.result);
    // Noted at once: the retry, or the end of the task, may come before the recorder gets to see this.
    if (inputRequestsOf(reply.result) !== undefined) request.round = state.rounds.open(request.call, reply.result, request.handled);
    const task = taskOf(reply.result);
    if (task !== undefined) request.task = state.tasks.follow(task);
  }
  request.settle?.(reply);
}

/** A batch passes as it came unless a member needs us: a reply that is recorded, changed, gathered or dropped. */
function fromServerBatch(state: SessionState, batch: BatchMessage): void {
  const members = splitBatch(batch);
  const plain = members.every((member) => {
    if (member.kind === "notification" || member.kind === "request") return true;
    const request = member.kind === "response" ? state.requests.get(member.id) : undefined;
    return request?.kind === "plain" && request.message.method !== "initialize" && !state.replies.isGathered(request.message.id);
  });
  if (!plain) {
    for (const member of members) fromServer(state, member);
    return;
  }
  for (const member of members) note(state, member);
  state.outbox.put(batch.bytes);
}

function note(state: SessionState, member: WireMessage): void {
  if (member.kind === "request") state.serverRequests.set(member.id, member.method);
  else if (member.kind === "notification") state.tasks.notified(member);
  else if (member.kind === "response") {
    const request = state.requests.get(member.id);
    state.requests.end(member.id);
    if (request?.kind !== "plain") return;
    state.tasks.answered(request.message, member);
    state.known.answered(request.message, member);
  }
}

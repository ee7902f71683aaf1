// How does a call travel in its session? Sent as it came, its reply handed on in its place, or answered in our own words; each at most once.
import type { CheckFact } from "../core/checks.ts";
import type { ToolName } from "../core/policy.ts";
import { forwardClientCall, type Reply } from "../recorder/send.ts";
import { asRefuted, lostText, refusedText, refutedText, rpcError, toolError, withWarning } from "./answers.ts";
import type { CallDoor, CallSession } from "./call-session.ts";
import type { OpenCall } from "./open-requests.ts";
import { OUTCOME_WAIT } from "./outbox.ts";
import type { SessionParts, SessionState } from "./session-state.ts";
import type { ToolCall } from "./tool-call.ts";
import { withoutHidden } from "./unnamed-servers.ts";

/** Makes the session as calls see it. */
export function createCallChannel(state: SessionState): CallSession {
  const { parts, requests, known } = state;
  return {
    ...parts,
    isListed: (tool) => known.isListed(tool),
    hintsOf: (tool) => known.hintsOf(tool),
    opened: async ({ meta }) => {
      const { run, journal, locks } = await parts.runHandle.opened(meta);
      const other = (call: ToolName) => parts.others.find(call, run, meta);
      return { run, recorder: { ...parts, journal, locks, meta, roots: known.roots, other } };
    },
    begin: (run) => parts.runHandle.holds.begin(run),
    door: (call) => createDoor(state, call),
    answer(call, text) {
      if (requests.has(call.message.id)) answer(state, call, text);
    },
    forget: (call) => forget(state, call),
    isOpen: (call) => requests.has(call.message.id),
    approveCommand: (hold) => parts.commandLine(["approve", hold]),
  };
}

/** The way of one call and of its retries: `current` is the message that is to be sent or was sent last. */
function createDoor(state: SessionState, first: ToolCall): CallDoor {
  let current = first;
  let open = openCallOf(state, first);
  return {
    send: () => send(state.parts, current, open),
    deliver: (reply, outcome, refuting) => deliver(state, current, open, reply, { outcome, refuting }),
    giveWay: () => open.place?.giveWay(),
    isCancelled: () => open.cancelled,
    whenCancelled: () => open.cancellation.promise,
    async retried() {
      const retry = await open.round?.retry.promise;
      if (retry === undefined) return false;
      current = retry;
      open = openCallOf(state, retry);
      return true;
    },
    turnDown(why) {
      const { round } = open;
      if (why === null) forget(state, current);
      else answer(state, current, refusedText(state.parts.server, current.tool, why));
      open.round = round && state.rounds.open(round.call, round.result, round.handled);
    },
    taskEnd: () => open.task ?? Promise.resolve(undefined),
  };
}

function openCallOf({ requests }: SessionState, call: ToolCall): OpenCall {
  const request = requests.get(call.message.id);
  if (request?.kind !== "call") throw new TypeError("a call that isn't under way has no door");
  return request;
}

function send({ upstream }: SessionParts, call: ToolCall, open: OpenCall): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  open.sent = true;
  open.settle = resolve;
  open.round = undefined;
  const sent = forwardClientCall(upstream, call.message);
  if (sent === false) resolve({ kind: "not-sent" });
  else if (sent !== true) void sent.then((went) => went || resolve({ kind: "not-sent" }));
  return promise;
}

function deliver(
  { parts, requests, replies, ended }: SessionState,
  call: ToolCall,
  open: OpenCall,
  reply: Reply,
  { outcome, refuting = [] }: { outcome: Promise<void> | undefined; refuting: readonly CheckFact[] | undefined },
): void {
  const { id } = call.message;
  requests.end(id);
  if (reply.kind === "lost" || reply.kind === "not-sent") {
    const why = reply.why ?? ended ?? "it was too long to take";
    const error = rpcError(id, -32603, lostText(parts.server, call.tool, reply.kind === "lost", why));
    // A cancelled request isn't answered (MCP, cancellation).
    if (open.cancelled) replies.none(id);
    else if (outcome === undefined) replies.answer(id, error);
    // It says that the call is recorded as unknown, so it waits for that.
    else void recorded(outcome).then(() => replies.answer(id, error));
    return;
  }
  const { bytes, value } =
    refuting.length === 0
      ? reply.message
      : asRefuted(reply.message, withoutHidden(refutedText(parts.server, call.tool, refuting), parts.policy));
  if (outcome === undefined) open.place?.fill(bytes);
  else open.place?.fill(recorded(outcome).then((why) => (why === undefined ? bytes : withWarning(bytes, value, why))));
}

/** What is recorded for people names every server. */
function answer({ parts, requests, replies }: SessionState, call: ToolCall, text: string): void {
  const request = requests.get(call.message.id);
  requests.end(call.message.id);
  // A cancelled request isn't answered (MCP, cancellation).
  if (request?.kind === "call" && request.cancelled) replies.none(call.message.id);
  else replies.answer(call.message.id, toolError(call.message.id, withoutHidden(text, parts.policy), call.meta !== undefined));
}

function forget({ requests, replies }: SessionState, call: ToolCall): void {
  requests.end(call.message.id);
  replies.none(call.message.id);
}

/** Resolves with a warning for the agent where the outcome isn't in the journal, or isn't yet after a while. */
async function recorded(outcome: Promise<void>): Promise<string | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(resolve, OUTCOME_WAIT, "it is still being written down");
  const failed = outcome.then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const why = await Promise.race([failed, late]);
  clearTimeout(timer);
  return why && `Synartesis: this call was carried out, but its outcome is not recorded (${why}). Don't repeat it; tell the person.`;
}

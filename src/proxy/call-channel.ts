// How does a call travel in its session? Sent as it came, its reply handed on in its place, or answered in our own words; each at most once.
import { forwardClientCall, type Reply } from "../recorder/send.ts";
import { lostText, rpcError, toolError, withWarning } from "./answers.ts";
import type { CallSession } from "./call-session.ts";
import type { OpenRequests } from "./open-requests.ts";
import { OUTCOME_WAIT, type Outbox } from "./outbox.ts";
import type { SessionParts } from "./session.ts";
import type { ToolCall } from "./tool-call.ts";

/** What the channel shares with the session. */
export interface Shared {
  readonly requests: OpenRequests;
  readonly outbox: Outbox;
  /** False only if the server has listed its tools and this isn't one of them. */
  isListed(tool: string): boolean;
  /** Why the server is gone; undefined while it isn't. */
  whyEnded(): string | undefined;
}

/** Makes the session as calls see it. */
export function createCallChannel(parts: SessionParts, shared: Shared): CallSession {
  const { upstream, server, runHandle, locks } = parts;
  const { requests, outbox } = shared;

  const send = (call: ToolCall): Promise<Reply> => {
    const request = requests.get(call.message.id);
    if (request?.kind !== "call") return Promise.resolve({ kind: "lost", reason: "reply-lost" });
    const { promise, resolve } = Promise.withResolvers<Reply>();
    request.sent = true;
    request.settle = resolve;
    const sent = forwardClientCall(upstream, call.message);
    if (sent === false) resolve({ kind: "not-sent" });
    else if (sent !== true) void sent.then((went) => went || resolve({ kind: "not-sent" }));
    return promise;
  };
  const deliver = (call: ToolCall, reply: Reply, outcome?: Promise<void>): void => {
    const request = requests.get(call.message.id);
    requests.end(call.message.id);
    if (request?.kind !== "call") return;
    if (reply.kind === "lost" || reply.kind === "not-sent") {
      const text = lostText(server, call.tool, reply.kind === "lost", reply.why ?? shared.whyEnded() ?? "it was too long to take");
      if (!request.cancelled) outbox.put(rpcError(call.message.id, -32603, text));
      return;
    }
    const { bytes, value } = reply.message;
    if (outcome === undefined) request.place?.(bytes);
    else request.place?.(recorded(outcome).then((why) => (why === undefined ? bytes : withWarning(bytes, value, why))));
  };
  const isOpen = (call: ToolCall) => requests.has(call.message.id);

  return {
    ...parts,
    isListed: shared.isListed,
    opened: async () => {
      const { run, journal } = await runHandle.opened();
      return { run, recorder: { ...parts, journal, locks } };
    },
    async pass(call) {
      const reply = await send(call);
      deliver(call, reply);
      return reply;
    },
    door(call) {
      const request = requests.get(call.message.id);
      if (request?.kind !== "call") throw new TypeError("a call that isn't under way has no door");
      return {
        send: () => send(call),
        deliver: (reply, outcome) => deliver(call, reply, outcome),
        isCancelled: () => request.cancelled,
        cancelled: request.cancellation.promise,
      };
    },
    answer(call, text) {
      const request = requests.get(call.message.id);
      requests.end(call.message.id);
      // A cancelled request isn't answered (MCP, cancellation).
      if (request?.kind === "call" && !request.cancelled) outbox.put(toolError(call.message.id, text));
    },
    forget: (call) => requests.end(call.message.id),
    isOpen,
    approveCommand: (hold) => parts.commandLine(["approve", hold]),
  };
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

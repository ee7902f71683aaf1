// What is written down about a call before anything is decided? Everything that doesn't need the server.
import { callKeyOf } from "../core/admission.ts";
import type { GoverningRule } from "../core/policy.ts";
import { resourcesOf } from "../core/resource.ts";
import { recordRule, storedRule } from "../core/rule-record.ts";
import type { NewCall } from "../journal/journal.ts";
import { resolveCall } from "../recorder/capture.ts";
import type { CallSession } from "./call-session.ts";
import type { ToolCall } from "./tool-call.ts";

/** Describes a call for the journal; `receivedAt` in milliseconds since the epoch. */
export function describeCall(session: CallSession, call: ToolCall, governing: GoverningRule, receivedAt: number): Omit<NewCall, "run"> {
  const bindings = { args: call.args };
  const read = governing !== "unmentioned" && governing.snapshot ? resolveCall(governing.snapshot, bindings) : undefined;
  return {
    server: session.server,
    tool: call.tool,
    class: governing === "unmentioned" ? "irreversible" : governing.class,
    rule: storedRule(recordRule(governing)),
    callKey: callKeyOf(session.server, call.tool, call.args, governing),
    resources:
      governing === "unmentioned" ? [] : resourcesOf(governing, session.server, bindings, read?.kind === "value" ? read.call : undefined),
    args: call.args,
    receivedAt,
  };
}

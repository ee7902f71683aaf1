// What is written down about a call before anything is decided? Everything that doesn't need the server.
import { callKeyOf } from "../core/admission.ts";
import { sha256 } from "../core/digest.ts";
import { printJson } from "../core/json.ts";
import type { GoverningRule } from "../core/policy.ts";
import { resolveRead } from "../core/resolved-read.ts";
import { resourcesOf } from "../core/resource.ts";
import { recordRule, storedRule } from "../core/rule-record.ts";
import type { NewCall } from "../journal/journal.ts";
import type { CallSession } from "./call-session.ts";
import type { ToolCall } from "./tool-call.ts";

/** A call as it is written down; `unclear`: it touches more things than can be told apart, none of which is named then. */
export interface DescribedCall {
  readonly record: Omit<NewCall, "run">;
  readonly unclear: boolean;
}

/** Describes a call for the journal; `receivedAt` in milliseconds since the epoch. */
export function describeCall(session: CallSession, call: ToolCall, governing: GoverningRule, receivedAt: number): DescribedCall {
  const bindings = { args: call.args };
  const read = governing !== "unmentioned" && governing.snapshot ? resolveRead(governing.snapshot, bindings) : undefined;
  const resources =
    governing === "unmentioned" ? [] : resourcesOf(governing, session.server, bindings, read?.kind === "value" ? read.read : undefined);
  const hints = session.hintsOf(call.tool);
  const record = {
    server: session.server,
    tool: call.tool,
    class: governing === "unmentioned" ? "irreversible" : governing.class,
    rule: storedRule({ ...recordRule(governing), ...(hints && { hints }) }),
    callKey: callKeyOf(session.server, call.tool, call.args, governing, call.besides),
    resources: resources ?? [],
    args: call.args,
    ...(Object.keys(call.besides).length === 0 ? {} : { besides: printJson(call.besides) }),
    receivedAt,
  };
  return { record, unclear: resources === undefined };
}

/** Describes a call that nothing could be told of: without its arguments, in which lies what couldn't be read, and perhaps a secret. */
export function unjudgedCall({ server }: CallSession, { tool, message }: ToolCall, receivedAt: number): Omit<NewCall, "run"> {
  const rule = storedRule(recordRule("unmentioned"));
  const callKey = callKeyOf(server, tool, sha256(message.bytes), "unmentioned");
  return { server, tool, class: "irreversible", rule, callKey, resources: [], args: null, receivedAt };
}

// Which runs and calls do the journal's tests record? Sensible ones, but for what a test names.
import { digestOf } from "../../src/core/digest.ts";
import type { FinishedCall, Journal, NewCall, NewIntent, NewRun } from "../../src/journal/journal.ts";

export function newRun(facts: Partial<NewRun> = {}): NewRun {
  return {
    kind: "agent",
    joinKey: null,
    client: { name: "client", version: "1" },
    clientProcess: null,
    clientHello: { protocolVersion: "2025-11-25" },
    identity: null,
    policyText: "version: 1\n",
    servers: [{ name: "crm", source: { kind: "command", command: "crm" }, info: null, process: null, roots: null }],
    undoes: null,
    ...facts,
  };
}

export function newCall(run: string, facts: Partial<NewCall> = {}): NewCall {
  return {
    run,
    server: "crm",
    tool: "update_customer",
    class: "reversible",
    rule: { match: "crm.update_customer" },
    callKey: digestOf("call"),
    resources: ["crm:c1"],
    args: { id: "c1", name: "new" },
    receivedAt: Date.now(),
    ...facts,
  };
}

export function newIntent(run: string, facts: Partial<NewIntent> = {}): NewIntent {
  return {
    ...newCall(run),
    read: { tool: "get_customer", args: { id: "c1" } },
    snapshotState: "present",
    snapshot: { id: "c1", name: "old" },
    inverse: { server: "crm", tool: "update_customer", args: { id: "c1", name: "old" } },
    approval: null,
    undoes: null,
    ...facts,
  };
}

export function newRead(run: string, facts: Partial<FinishedCall> = {}): FinishedCall {
  const call = newCall(run, { tool: "get_customer", class: "readonly" });
  return { ...call, status: "applied", reason: null, detail: null, result: { name: "old" }, settledAt: Date.now(), ...facts };
}

/** Records an intent that has to succeed and gives the action's id. */
export async function intended(journal: Journal, intent: NewIntent): Promise<string> {
  const result = await journal.intend(intent);
  if (result.kind !== "intended") throw new Error(result.kind);
  return result.action;
}

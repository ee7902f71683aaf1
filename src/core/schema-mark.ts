// Does a tool still take what it took when the run met it? By a mark of its input schema. Says nothing about which of two schemas is right.

import { rulesWithin } from "./cases.ts";
import { digestOf } from "./digest.ts";
import type { Json } from "./json.ts";
import { callsOf, type Policy } from "./policy.ts";

/** Gives the mark of an `inputSchema` as a server lists it: equal for equal schemas, whatever the order of their members; 16 hexadecimal digits. */
export function schemaMark(inputSchema: Json): string {
  return digestOf(inputSchema).slice(0, 16);
}

/** Names the tools of a server that a policy itself calls: in its snapshots, observations and inverses. */
export function calledTools(policy: Policy, server: string): ReadonlySet<string> {
  const calls = policy.rules.flatMap(rulesWithin).flatMap(callsOf);
  return new Set(calls.flatMap(([, call]) => (call.server === server ? [call.tool] : [])));
}

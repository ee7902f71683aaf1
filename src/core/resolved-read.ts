// Which calls show a state, once nothing in them is open any more? One, or several by name, whose values make one state.
import { isJsonObject, type Json } from "./json.ts";
import type { StateRead } from "./policy.ts";
import { type Lacking, resolveCall } from "./resolve-calls.ts";
import { type ResolvedCall, writeCall } from "./resolved-call.ts";
import type { Bindings } from "./template.ts";

/** One of several reads. */
export type NamedCall = ResolvedCall & { readonly name: string };

/** How a state is read. */
export type ResolvedRead = ResolvedCall | { readonly reads: readonly NamedCall[] };

/** Lists the calls of a read, one at least. */
export function callsOfRead(read: ResolvedRead): readonly (ResolvedCall & { readonly name?: string })[] {
  return "reads" in read ? read.reads : [read];
}

/** Resolves how a rule reads a state. */
export function resolveRead(template: StateRead, bindings: Bindings): { readonly kind: "value"; readonly read: ResolvedRead } | Lacking {
  if (!("reads" in template)) {
    const resolved = resolveCall(template, bindings);
    return resolved.kind === "value" ? { kind: "value", read: resolved.call } : resolved;
  }
  const reads: NamedCall[] = [];
  for (const { name, ...call } of template.reads) {
    const resolved = resolveCall(call, bindings);
    if (resolved.kind === "missing") return resolved;
    reads.push({ name, ...resolved.call });
  }
  return { kind: "value", read: { reads } };
}

/** Gives a read as the journal keeps it. */
export function writeRead(read: ResolvedRead): Json {
  return "reads" in read ? { reads: read.reads.map((call) => ({ name: call.name, ...(writeCall(call) as object) })) } : writeCall(read);
}

/** Reads what writeRead wrote. */
export function readRead(stored: Json): ResolvedRead {
  // Written as a read, and verified by its digest.
  return (isJsonObject(stored) && stored["reads"] !== undefined ? { reads: stored["reads"] } : stored) as unknown as ResolvedRead;
}

// May this call pass? Decided from pure facts, in one place: allow, hold for a person, or deny. Never reads anything itself.
import type { Digest } from "./digest.ts";
import { digestOf } from "./digest.ts";
import type { Json } from "./json.ts";
import type { GoverningRule } from "./policy.ts";
import type { Reason } from "./vocabulary.ts";

export interface AdmissionFacts {
  readonly governing: GoverningRule;
  /** False if the server has listed its tools and this one is not among them. */
  readonly listed: boolean;
  /** The message says something twice (two equal keys in one object), so what we read may not be what the server reads. */
  readonly ambiguous: boolean;
  /** A person has approved exactly this call. */
  readonly approved: boolean;
  /** Known after the snapshot only: there was nothing to capture. */
  readonly stateAbsent: boolean;
}

export type Admission =
  | { readonly kind: "allow" }
  | { readonly kind: "hold"; readonly reason: Reason }
  | { readonly kind: "deny"; readonly reason: Reason };

/** Decides about a call. An approval answers every hold; nothing answers a denial. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  if (facts.ambiguous) return { kind: "deny", reason: "ambiguous-call" };
  const reason = reasonToHold(facts);
  return reason === undefined || facts.approved ? { kind: "allow" } : { kind: "hold", reason };
}

function reasonToHold({ governing, listed, stateAbsent }: AdmissionFacts): Reason | undefined {
  if (governing === "unmentioned") return listed ? "unmentioned" : "tool-unlisted";
  if (governing.gate === "always") return "gate-always";
  if (governing.gate === "on_write") return "on-write";
  // Nothing was there, so there is nothing to put back: asked about like an irreversible call (10-manifest).
  return stateAbsent && governing.class === "reversible" ? "state-absent" : undefined;
}

/** Computes what an approval is bound to: server, tool, exact arguments and rule, not a session. */
export function callKeyOf(server: string, tool: string, args: Json, governing: GoverningRule): Digest {
  return digestOf([server, tool, args, governing === "unmentioned" ? "unmentioned" : governing.digest]);
}

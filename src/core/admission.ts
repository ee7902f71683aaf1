// May this call pass? Decided from pure facts, in one place: allow, hold for a person, or deny. Never reads anything itself.
import type { Digest } from "./digest.ts";
import { digestOf } from "./digest.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import { type GoverningRule, hasVariants, type Presence, ruleWhen } from "./policy.ts";
import type { Reason } from "./vocabulary.ts";

export interface AdmissionFacts {
  readonly governing: GoverningRule;
  /** False if the server has listed its tools and this one is not among them. */
  readonly listed: boolean;
  /** The message says something twice (two equal keys in one object), so what we read may not be what the server reads. */
  readonly ambiguous: boolean;
  /** A person has approved exactly this call. */
  readonly approved: boolean;
  /** What the snapshot showed; undefined before it was taken. */
  readonly presence: Presence | undefined;
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

const PRESENCES: readonly Presence[] = ["present", "absent"];

/** Gives what the snapshot may show for a rule to govern a call, first governed by `base`, and for the decision by it to be to let it pass. */
export function presencesOf(base: GoverningRule, rule: GoverningRule, decide: (presence: Presence) => Admission): readonly Presence[] {
  const governs = (presence: Presence) => base === "unmentioned" || ruleWhen(base, presence) === rule;
  return PRESENCES.filter((presence) => governs(presence) && decide(presence).kind === "allow");
}

function reasonToHold({ governing, listed, presence }: AdmissionFacts): Reason | undefined {
  if (governing === "unmentioned") return listed ? "unmentioned" : "tool-unlisted";
  if (governing.cases !== undefined) return "no-case";
  if (presence === undefined && hasVariants(governing)) return undefined; // the snapshot says which rule it is
  if (governing.gate === "always") return "gate-always";
  if (governing.gate === "on_write") return "on-write";
  // Nothing was there, so there is nothing to put back: asked about like an irreversible call (10-manifest).
  return presence === "absent" && governing.class === "reversible" && governing.when === undefined ? "state-absent" : undefined;
}

/**
 * The members of `_meta` that a client sets anew for each request, so that an approval can't be bound to them: the protocol's own (MCP,
 * "General fields: _meta"), trace context (SEP-414), and what known clients number their requests by.
 */
const PER_REQUEST =
  /^(progressToken|traceparent|tracestate|baggage|io\.modelcontextprotocol\/.*|claudecode\/toolUseId|vscode\.(conversationId|requestId)|x-codex-turn-metadata)$/;

/** Gives what the params of a call say besides tool and arguments: `_meta`, `task` and whatever else, as far as it belongs to the call. */
export function besidesOf(params: JsonObject): JsonObject {
  const { name: _name, arguments: _arguments, _meta: meta, ...besides } = params;
  if (meta === undefined) return besides;
  if (!isJsonObject(meta)) return { ...besides, _meta: meta };
  const kept = Object.entries(meta).filter(([key]) => !PER_REQUEST.test(key));
  return kept.length === 0 ? besides : { ...besides, _meta: Object.fromEntries(kept) };
}

/** Computes what an approval is bound to: server, tool, exact arguments, what else the call says, and rule; not a session. */
export function callKeyOf(server: string, tool: string, args: Json, governing: GoverningRule, besides: JsonObject = {}): Digest {
  const rule = governing === "unmentioned" ? "unmentioned" : governing.digest;
  return digestOf(Object.keys(besides).length === 0 ? [server, tool, args, rule] : [server, tool, args, rule, besides]);
}

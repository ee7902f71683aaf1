// May this call pass? Decided from pure facts, in one place: allow, hold for a person, or deny. Never reads anything itself.

import { hasVariants, ruleWhen } from "./cases.ts";
import type { Digest } from "./digest.ts";
import { digestOf } from "./digest.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { GoverningRule, Policy, Presence, Rule } from "./policy.ts";
import { type Lookup, readPath } from "./reference.ts";
import type { PathStep } from "./template.ts";
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
  /** Which limit of the rule the call would exceed. */
  readonly beyond?: string | undefined;
  /** What the caller's identity is allowed. */
  readonly scopes: readonly string[];
  readonly policy: Pick<Policy, "autonomy" | "environment">;
}

/** A decision; `why` is what the reason's own words leave open. */
export type Admission = { readonly kind: "allow" } | ({ readonly kind: "hold" } & Grounds) | ({ readonly kind: "deny" } & Grounds);
interface Grounds {
  readonly reason: Reason;
  readonly why?: string;
}

/** Decides about a call. An approval answers every hold; nothing answers a denial. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  const denial = groundsToDeny(facts);
  if (denial !== undefined) return { kind: "deny", ...denial };
  const hold = groundsToHold(facts);
  return hold === undefined || facts.approved ? { kind: "allow" } : { kind: "hold", ...hold };
}

function groundsToDeny(facts: AdmissionFacts): Grounds | undefined {
  const { governing, ambiguous, scopes, policy } = facts;
  if (ambiguous) return { reason: "ambiguous-call" };
  if (isDeniedByClass(facts)) return { reason: "by-policy" };
  if (governing === "unmentioned") return undefined;
  const missing = (governing.scopes ?? []).filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) return { reason: "scope-missing", why: missing.join(", ") };
  const { environments, otherwise } = governing;
  if (environments !== undefined && !environments.some((name) => name === policy.environment))
    return { reason: "environment-other", why: `${environments.join(", ")}; this is ${policy.environment ?? "none"}` };
  return otherwise === "deny" ? groundsBeyond(facts) : undefined;
}

/** `autonomy: deny` is stronger than a rule's own gate (10-manifest, "Autonomy"). */
function isDeniedByClass({ governing, presence, policy: { autonomy = {} } }: AdmissionFacts): boolean {
  if (governing === "unmentioned") return autonomy.unmentioned === "deny";
  if (governing.cases !== undefined) return autonomy.irreversible === "deny" || autonomy.unmentioned === "deny";
  if (governing.class === "readonly" || isOpen(governing, presence)) return false;
  const within = governing.outside?.within ?? "readonly";
  if (within !== "readonly" && autonomy[within] === "deny") return true;
  return autonomy[governing.class] === "deny" || (autonomy.irreversible === "deny" && hasNothingToRestore(governing, presence));
}

function groundsBeyond({ governing, beyond }: AdmissionFacts): Grounds | undefined {
  if (governing !== "unmentioned" && governing.outside !== undefined) return { reason: "arguments-outside", why: governing.outside.why };
  return beyond === undefined ? undefined : { reason: "limit-reached", why: beyond };
}

function groundsToHold(facts: AdmissionFacts): Grounds | undefined {
  const { governing, listed, presence } = facts;
  if (governing === "unmentioned") return { reason: listed ? "unmentioned" : "tool-unlisted" };
  if (governing.cases !== undefined) return { reason: "no-case" };
  const beyond = groundsBeyond(facts);
  if (beyond !== undefined) return beyond;
  if (isOpen(governing, presence)) return undefined;
  if (governing.gate === "always") return { reason: "gate-always" };
  if (governing.gate === "on_write") return { reason: "on-write", ...(governing.unclear !== undefined && { why: governing.unclear }) };
  return hasNothingToRestore(governing, presence) ? { reason: "state-absent" } : undefined;
}

/** The snapshot has yet to say which rule it is. */
function isOpen(rule: Rule, presence: Presence | undefined): boolean {
  return presence === undefined && hasVariants(rule);
}

/** Nothing was there, so there is nothing to put back: asked about like an irreversible call (10-manifest). */
function hasNothingToRestore(rule: Rule, presence: Presence | undefined): boolean {
  return presence === "absent" && rule.class === "reversible" && rule.when === undefined;
}

/** Says that a list in the arguments has more elements than a rule lets through, or that what is in its place can't be counted; undefined where neither is so. */
export function tooManyItems(rule: GoverningRule, args: Json): string | undefined {
  const items = rule === "unmentioned" ? undefined : rule.limits?.items;
  if (items === undefined) return undefined;
  const { path, max } = items;
  const found = readPath(args, path.steps);
  const isThere = found.kind === "found" || path.steps.some((step, depth) => isInTheWay(step, readPath(args, path.steps.slice(0, depth))));
  if (!isThere) return undefined;
  if (found.kind === "absent" || !Array.isArray(found.value)) return `${path.text} is no list, and ${max} elements of one are let through`;
  if (found.value.length <= max) return undefined;
  return `${path.text} has ${found.value.length} elements, and ${max} are let through; make it several smaller calls`;
}

/** Something is there that this step of a path doesn't lead into: a server may still find a list in it, as in JSON within a text. */
function isInTheWay(step: PathStep, found: Lookup): boolean {
  if (found.kind === "absent") return false;
  return step.kind === "index" ? !Array.isArray(found.value) : !isJsonObject(found.value);
}

const PRESENCES: readonly Presence[] = ["present", "absent"];

/** Gives what the snapshot may show for a rule to govern a call, first governed by `base`, and for the decision by it to be to let it pass. */
export function presencesOf(base: GoverningRule, rule: GoverningRule, decide: (presence: Presence) => Admission): readonly Presence[] {
  const governs = (presence: Presence) => base === "unmentioned" || ruleWhen(base, presence) === rule;
  return PRESENCES.filter((presence) => governs(presence) && decide(presence).kind === "allow");
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

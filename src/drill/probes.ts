// What do other reads show, beside the one that the rule makes? Those that a sample names, an observation that could have been made before the call as well, and
// what the server lists when it is asked for nothing in particular.
import type { DrillTool } from "../core/drill-parts.ts";
import { canonicalJson, isJsonObject, type Json } from "../core/json.ts";
import { isMoved, movedPlaces } from "../core/moved-places.ts";
import { readsIn, type Sample } from "../core/policy.ts";
import { resolveCall } from "../core/resolve-calls.ts";
import { type ResolvedCall, writeCall } from "../core/resolved-call.ts";
import { callsOfRead, type ResolvedRead } from "../core/resolved-read.ts";
import { valueOfResult } from "../core/result-value.ts";
import type { Bindings } from "../core/template.ts";
import { changesBetween } from "../core/three-way.ts";
import { callApproved } from "./approved-call.ts";
import type { Difference, Witness } from "./outcome.ts";
import type { DrillSession } from "./session.ts";

/** A read that is made before the call, after it, and after its undo. */
export interface Probe extends ResolvedCall {
  /** `check`: its sample names it, and it has to be the same in full. */
  readonly by: Extract<Witness, "check" | "observe" | "listings">;
}

/** What each probe showed, in the order of the probes. Undefined: it failed, as where there is nothing. */
export type Shown = readonly (Json | undefined)[];

/** What the probes of a trial showed, in time; `first` and `before` both before the call. */
export interface ShownInTime {
  readonly first: Shown;
  readonly before: Shown;
  readonly left: Shown;
  readonly after: Shown;
}

/** Lists the probes of a sample. `lacks`: a check of it can't be made, and why. */
export function probesFor(
  { server, parts }: Pick<DrillTool, "server" | "parts">,
  { check = [] }: Sample,
  { bindings, args, listings }: { readonly bindings: Bindings; readonly args: Json; readonly listings: readonly string[] },
): { readonly probes: readonly Probe[]; readonly lacks: string | undefined } {
  const checks = check.map((template) => resolveCall(template, bindings));
  // What needs nothing of the result could be asked before.
  const observed = parts.flatMap(({ rule }) => (rule.observe === undefined || rule.snapshot !== undefined ? [] : readsIn(rule.observe)));
  const observes = observed.map((template) => resolveCall(template, { args }));
  const missing = checks.find((each) => each.kind === "missing");
  const made = (by: Probe["by"], resolved: typeof checks) =>
    resolved.flatMap((each) => (each.kind === "value" ? [{ ...each.call, by }] : []));
  return {
    probes: [
      ...made("check", checks),
      ...made("observe", observes),
      ...listings.map((tool) => ({ server, tool, args: {}, by: "listings" as const })),
    ],
    lacks: missing?.why,
  };
}

/** Makes the reads. Nothing is approved for them. @throws Error where no answer comes */
export async function lookBy(session: DrillSession, probes: readonly Probe[]): Promise<Shown> {
  const shown: (Json | undefined)[] = [];
  for (const { server, tool, args } of probes) {
    const end = await callApproved(session, { server, tool, args: isJsonObject(args) ? args : {} }, () => false);
    if (end.kind === "lost") throw new NoAnswer(`${server}.${tool}, by which it is looked at: ${end.said}`);
    shown.push(end.kind === "result" ? valueOfResult(end.result) : undefined);
  }
  return shown;
}

/** A read got no answer: the session is of no use any more. */
export class NoAnswer extends Error {}

/** What became of what the probes show. */
export interface ProbeFindings {
  readonly differences: readonly (Difference & { readonly by: Probe["by"] })[];
  /** The probes that the call had changed. */
  readonly changed: readonly Probe[];
}

/** Compares what they showed; `ignored` names are passed over, but not in a check. */
export function probeFindings(probes: readonly Probe[], shown: ShownInTime, ignored: ReadonlySet<string>): ProbeFindings {
  const differences = probes.flatMap(({ server, tool, by }, at) => {
    const [first, before, left, after] = [shown.first[at], shown.before[at], shown.left[at], shown.after[at]];
    const places = by === "check" ? inFull(before, after) : movedPlaces({ first, before, left, after }, ignored);
    return places.map(({ path, ...values }) => ({ ...values, path: [`${server}.${tool}`, ...(path === "" ? [] : [path])].join(": "), by }));
  });
  const changed = probes.filter(({ by }, at) => {
    const [before, left] = [shown.before[at], shown.left[at]];
    return by === "check" ? inFull(before, left).length > 0 : isMoved(before, left, ignored);
  });
  return { differences, changed };
}

const NOTHING_IGNORED = { ignore: [], sets: [], identity: [], relevant: undefined };

function inFull(before: Json | undefined, after: Json | undefined): readonly Difference[] {
  const isSame = before === undefined || after === undefined ? before === after : canonicalJson(before) === canonicalJson(after);
  if (isSame) return [];
  const places = changesBetween(before, after, NOTHING_IGNORED).map(({ path, from, to }) => ({ path, before: from, after: to }));
  return places.length > 0 ? places : [{ path: "", before, after }];
}

/** Tells whether all calls of a read are among the probes. */
export function areProbed(read: ResolvedRead, probes: readonly Probe[]): boolean {
  const probed = new Set(probes.map((probe) => canonicalJson(writeCall(probe))));
  return callsOfRead(read).every((call) => probed.has(canonicalJson(writeCall(call))));
}

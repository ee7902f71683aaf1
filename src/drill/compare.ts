// Is everything as it was before the call? By the read that the rule itself made before it, made once more through the session that goes on, and compared whole,
// but for what the rule ignores: not only what the inverse put back.
import { isJsonObject, type Json } from "../core/json.ts";
import { type Belongings, carriesOwn } from "../core/own-texts.ts";
import { callsOfRead, readRead } from "../core/resolved-read.ts";
import { type RuleRecord, ruleRecordFrom } from "../core/rule-record.ts";
import { isSameState, presentValue, type State } from "../core/state.ts";
import { changesBetween } from "../core/three-way.ts";
import type { SnapshotState } from "../core/vocabulary.ts";
import { controlPlace } from "../journal/control-place.ts";
import type { Action, Journal } from "../journal/journal.ts";
import { createLocks } from "../recorder/locks.ts";
import { readState } from "../recorder/read-state.ts";
import { type LiveProxy, openLiveProxy } from "../upstream/live/live-proxy.ts";
import type { Difference } from "./outcome.ts";
import type { DrillParts } from "./session.ts";

/** What the rule's read shows after the undo, against before the call. */
export type Comparison =
  /** The rule has no read. */
  | { readonly kind: "none" }
  | { readonly kind: "unreadable"; readonly why: string }
  /** `changed`: after the call it had shown something else. `observe`: it shows nothing any more, and had shown what the call made. */
  | { readonly kind: "same"; readonly by: "read" | "observe"; readonly changed: boolean }
  /** An observation had shown something after the call that bears nothing of it: another's, for all that is known. */
  | { readonly kind: "foreign"; readonly left: Json }
  /** What only an observation shows, and what was there before of which nobody looked at, is still there in some form. */
  | { readonly kind: "left"; readonly now: Json }
  | { readonly kind: "differs"; readonly differences: readonly Difference[] };

/** Compares for a call that was undone; by `call` it is known what is its own. */
export async function compareByRead(parts: DrillParts, action: Action, call: Belongings): Promise<Comparison> {
  const { journal } = parts;
  if (action.read === null) return { kind: "none" };
  const rule = ruleRecordFrom(action.rule);
  const before = await stateAt(journal, action.snapshotState, action.snapshot);
  const left = await stateAt(journal, action.postState, action.post);
  const now = await readLive(parts, action, rule);
  if (now.kind === "unreadable") return { kind: "unreadable", why: now.why };
  if (before === undefined) {
    const asked = callsOfRead(readRead(await journal.value(action.read))).map(({ args }) => args);
    return compareObservation(left, now, rule, { ...call, known: [...asked, ...call.known] });
  }
  const differences = differencesOf(before, now, rule);
  if (differences.length > 0) return { kind: "differs", differences };
  return { kind: "same", by: "read", changed: left !== undefined && !isSameState(before, left, rule.ignore) };
}

/** Nobody looked before the call: all that can be seen is that what the call made isn't there any more, if it was the call's. */
function compareObservation(left: State | undefined, now: State, { ignore }: RuleRecord, call: Belongings): Comparison {
  if (now.kind === "present" && !showsNothing(now.value)) {
    const stands = left !== undefined && isSameState(left, now, ignore);
    return stands
      ? { kind: "differs", differences: [{ path: "", before: undefined, after: now.value }] }
      : { kind: "left", now: now.value };
  }
  if (left?.kind !== "present" || isSameState(left, now, ignore)) return { kind: "same", by: "observe", changed: false };
  return carriesOwn(left.value, call) ? { kind: "same", by: "observe", changed: true } : { kind: "foreign", left: left.value };
}

/** A read of a list says by an empty one that what it was asked for isn't there. */
function showsNothing(value: Json): boolean {
  if (Array.isArray(value)) return value.every(showsNothing);
  return value === null || (isJsonObject(value) && Object.values(value).every(showsNothing));
}

async function stateAt(journal: Journal, state: SnapshotState, value: string | null): Promise<State | undefined> {
  if (state === "absent") return { kind: "absent" };
  return state === "present" && value !== null ? { kind: "present", value: await journal.value(value) } : undefined;
}

function differencesOf(before: State, now: State, { ignore, sets = [], identity = [] }: RuleRecord): readonly Difference[] {
  if (before.kind === "absent" && now.kind === "absent") return [];
  if (before.kind !== now.kind) return [{ path: "", before: presentValue(before), after: presentValue(now) }];
  const changes = changesBetween(presentValue(before), presentValue(now), { ignore, sets, identity, relevant: undefined });
  return changes.filter(({ order }) => order !== true).map(({ path, from, to }) => ({ path, before: from, after: to }));
}

async function readLive({ journal, clock, log, timeout: readTimeout }: DrillParts, action: Action, rule: RuleRecord): Promise<State> {
  const failed = (why: string): State => ({ kind: "unreadable", cause: "no-server", why });
  const [holder] = await journal.holders(action.run);
  const proxy: LiveProxy | undefined =
    holder && (await openLiveProxy(controlPlace(journal.path, holder), action.run, { holds: false, log }));
  if (proxy === undefined || action.read === null) return failed("the session is over");
  try {
    const reachable = (name: string) => {
      const upstream = proxy.servers.find((server) => server.name === name);
      return upstream && { upstream, readTimeout, meta: undefined, roots: null };
    };
    const own = reachable(action.server);
    if (own === undefined) return failed(`the session has no server ${action.server} any more`);
    const other = async ({ server }: { server: string }) => {
      const sender = reachable(server);
      return sender ? { kind: "reached" as const, sender } : { kind: "failed" as const, why: `the session has no server ${server}` };
    };
    const recorder = { ...own, journal, locks: createLocks(journal), clock, log, other };
    return await readState(recorder, readRead(await journal.value(action.read)), rule);
  } finally {
    proxy.close();
  }
}

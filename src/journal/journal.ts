// What can be asked of the record, and told to it? The whole interface; sqlite-journal.ts implements it. Asynchronous throughout, so that the
// same interface can stand over a database elsewhere. Values go in and out as Json; rows name them by digest.
import type { Digest } from "../core/digest.ts";
import type { Json } from "../core/json.ts";
import type { ActionClass, ActionStatus, Choice, Reason, RunKind, RunState, SnapshotState, Verification } from "../core/vocabulary.ts";
import type { Tally } from "./glances.ts";
import type { Action, Decision, ProcessIdentity, Run, ServerIdentity } from "./records.ts";

export type { Action, Decision, ProcessIdentity, Run, ServerIdentity } from "./records.ts";

export interface NewRun {
  readonly kind: RunKind;
  /** Proxies with the same key join one run while another proxy of it is alive; null never joins. */
  readonly joinKey: string | null;
  /** Joins only a run in which something happened since then (milliseconds since the epoch): in the modern era quiet ends a run. */
  readonly activeSince?: number;
  readonly client: Run["client"];
  readonly clientProcess: ProcessIdentity | null;
  readonly clientHello: Json;
  readonly identity: string | null;
  /** The exact policy text (a JSON string value, stored once). */
  readonly policyText: string;
  readonly servers: readonly ServerIdentity[];
  readonly undoes: string | null;
  /** As of a run. */
  readonly plan?: string;
}

/** What is known of a call before it is decided. */
export interface NewCall {
  readonly run: string;
  readonly server: string;
  readonly tool: string;
  readonly class: ActionClass;
  readonly rule: Json;
  readonly callKey: Digest;
  readonly resources: readonly string[];
  readonly args: Json;
  /** What else the call says, as JSON: the `detail` of the hold, for the person who answers. */
  readonly besides?: string;
  readonly receivedAt: number;
}

/** The rule, or the case of it, under which calls are counted. */
export interface CountedRule {
  readonly match: string;
  /** Null: it has none. */
  readonly case: string | null;
}

/** How many calls of a run under one rule may be sent. */
export interface AtMost {
  readonly rule: CountedRule;
  readonly perRun?: number;
  /** In any LIMIT_MINUTE. */
  readonly perMinute?: number;
}

/** Over which time `perMinute` counts, in milliseconds. */
export const LIMIT_MINUTE = 60_000;

/** Everything that must be on disk before a changing call is sent (promise 2). */
export interface NewIntent extends NewCall {
  readonly read: Json | undefined;
  readonly snapshotState: SnapshotState;
  readonly snapshot: Json | undefined;
  readonly inverse: Json | undefined;
  /** The checks that were made before it. */
  readonly checks?: Json | undefined;
  /** The approval to spend, in the same transaction. */
  readonly approval: string | null;
  /** Counted in the same transaction; not where a person let it through. */
  readonly atMost?: AtMost | undefined;
  /** For a step of an undo: the action to claim in the same transaction (applied or stuck -> undoing). */
  readonly undoes: string | null;
  /**
   * For one of several calls that put it back: the latest step that was at it, as far as the undo knows (null: none). If there is another by
   * now, or that one is under way, the claim is lost; if not, it goes on where the action is undoing already.
   */
  readonly after?: string | null;
}
export type IntentResult =
  | { readonly kind: "intended"; readonly action: string; readonly seq: number }
  /** The approval is gone: spent by another call, or expired. Nothing was written. */
  | { readonly kind: "approval-gone" }
  /** Other calls have taken the last place under a limit. Nothing was written. */
  | { readonly kind: "limit-reached" }
  /** The action to claim has another status by now. Nothing was written. */
  | { readonly kind: "claim-lost"; readonly status: ActionStatus };

/** How a call that was sent ended. Undefined members stay as they are. */
export interface Outcome {
  readonly status: ActionStatus;
  readonly reason: Reason | null;
  readonly detail?: string | undefined;
  readonly result?: Json | undefined;
  readonly postState?: SnapshotState | undefined;
  readonly post?: Json | undefined;
  readonly inverse?: Json | undefined;
  /** The resolved observation, where only the result said what to read. */
  readonly read?: Json | undefined;
  /** What the result showed it to have touched, added to what was known before. */
  readonly resources?: readonly string[] | undefined;
}

/** What becomes of the action that a step undoes or redoes. */
export interface Original {
  readonly action: string;
  readonly status: ActionStatus;
  readonly reason: Reason | null;
  readonly detail?: string;
  /** What the call showed that was sent again in its place. */
  readonly outcome?: Pick<Outcome, "result" | "inverse" | "read" | "postState" | "post" | "resources">;
}

/** A call that needs no intent: a read, or a call that was refused or denied by policy. */
export interface FinishedCall extends NewCall {
  readonly status: "applied" | "failed" | "denied";
  readonly reason: Reason | null;
  readonly detail: string | null;
  readonly result: Json | undefined;
  readonly settledAt: number;
}

/** What already stands about exactly this call, in any run (20-journal; approvals aren't bound to a session). */
export type Standing =
  | { readonly kind: "none" }
  | { readonly kind: "approved"; readonly approval: Decision; readonly hold: Action }
  | { readonly kind: "held"; readonly hold: Action }
  /** Denied and not yet told; telling it is recorded by this same look-up, so it is told once. */
  | { readonly kind: "denied"; readonly hold: Action; readonly decision: Decision };

/** A place in the lines for some resources; to be given back. */
export interface Lease {
  readonly keys: readonly string[];
  /** Lower ones come first, in every line. */
  readonly turn: number;
  /** Nobody stood before it from the start. */
  readonly isFirst: boolean;
}

/** Thrown as SynartesisError("journal-unusable" | "journal-damaged" | ...) where a write can't be made; nothing was written then. */
export interface Journal {
  /** The database file. */
  readonly path: string;

  /** @throws refused if another run carried out the same plan */
  openRun(run: NewRun): Promise<Run>;
  /** Adds what became known of a run's client or servers. */
  describeRun(run: string, facts: Partial<Pick<Run, "client" | "clientHello" | "servers">>): Promise<void>;
  /** This process lets go of a run; the last one to do so ends it. */
  leaveRun(run: string): Promise<void>;
  /** Ends a run that no living process holds; its actions still intended become unknown ("process-ended"). */
  closeRun(run: string): Promise<{ kind: "closed"; unknown: number } | { kind: "alive"; process: ProcessIdentity } | { kind: "already" }>;
  setRunState(run: string, state: RunState): Promise<void>;

  /** Newest first. */
  runs(options?: { limit?: number; kind?: RunKind }): Promise<readonly Run[]>;
  /** Finds by id or unique prefix. @throws not-found, ambiguous */
  findRun(prefix: string): Promise<Run>;
  /** The processes that hold a run and are alive. */
  holders(run: string): Promise<readonly ProcessIdentity[]>;
  /** In order of seq. */
  actions(run: string): Promise<readonly Action[]>;
  /** Counts a run's calls by class, status and verification. */
  tally(run: string): Promise<readonly Tally[]>;
  /** Those from one seq to another, both included, in order. */
  actionsBetween(run: string, from: number, to: number): Promise<readonly Action[]>;
  /** The seqs of those whose server, tool, class or status contains a text, whatever its case; in order. */
  numbersMatching(run: string, text: string): Promise<readonly number[]>;
  /** A number that is another one once another process has written. @throws journal-unusable where the file isn't the one that was opened any more */
  changeMark(): Promise<number>;
  /** Finds by id or unique prefix among all actions. @throws not-found, ambiguous */
  findAction(prefix: string): Promise<Action>;
  action(id: string): Promise<Action>;
  decisions(action: string): Promise<readonly Decision[]>;
  decision(id: string): Promise<Decision | undefined>;
  /** The actions of undo runs that undid (or tried to undo) this one, oldest first. */
  undosOf(action: string): Promise<readonly Action[]>;
  /** The changing calls, of any run, that were sent after this one and touched one of the resources; in order. @throws not-found */
  laterOn(resources: readonly string[], afterAction: string): Promise<readonly Action[]>;
  /** The changing calls of agents' runs received at or after `time` (milliseconds since the epoch), whatever became of them; in order. */
  actionsSince(time: number): Promise<readonly Action[]>;
  /** Counts the calls of a run under a rule that were sent, or are about to be, after a time (milliseconds since the epoch). */
  countSent(run: string, rule: CountedRule, after: number): Promise<number>;
  /** What waits for a person, oldest first. Expires what is past its time. */
  waiting(): Promise<readonly Action[]>;
  /** The held calls that a person approved and that weren't made since, oldest first. Expires what is past its time. */
  approved(): Promise<readonly Action[]>;
  /** @throws journal-damaged if the value is missing or doesn't match its digest */
  value(digest: Digest): Promise<Json>;

  standing(callKey: Digest): Promise<Standing>;
  /** Records a held call, or returns the hold that already asks for exactly this call. */
  hold(call: NewCall, reason: Reason): Promise<Action>;
  /** A person's answers. `expiresIn` in milliseconds. @throws refused if the action isn't held any more */
  approve(action: string, by: string, expiresIn: number): Promise<Decision>;
  /** Takes an approval back, too, unless it is spent: of both at the same moment one is recorded. @throws refused */
  deny(action: string, by: string, why: string | null): Promise<Decision>;

  /** Records a person's choice at undo, as a decision on the action. @throws not-found; refused if the call was never sent */
  recordChoice(action: string, choice: Choice, by: string): Promise<Decision>;
  /** The latest choice about each action of a run about which there is one, by the action's id. */
  choices(run: string): Promise<ReadonlyMap<string, ReadonlySet<Choice>>>;
  /** Settles an unknown action as a person says it ended, and records that as a decision; `originals` as in settle. @throws not-found; refused if it isn't unknown */
  resolve(action: string, became: "applied" | "failed", by: string, ...originals: readonly Original[]): Promise<Decision>;

  /** One durable commit; concurrent intents share it. */
  intend(intent: NewIntent): Promise<IntentResult>;
  /** Settles an intended, unknown or undoing action. Not waited for by the disk. Where it settles a step of an undo, `originals` move the action it undoes, and the one that is redone by that, in the same transaction. Resolves false if another status stood there. */
  settle(action: string, outcome: Outcome, ...originals: readonly Original[]): Promise<boolean>;
  /**
   * Replaces what was captured for an intended call that waited between two rounds: one durable commit, before the next round is sent.
   * @throws bug if the action isn't intended any more
   */
  captureAgain(action: string, before: Pick<NewIntent, "snapshotState" | "snapshot" | "inverse">): Promise<void>;
  /** Adds the post-state, read after the agent had its answer. */
  addPostState(action: string, state: SnapshotState, post: Json | undefined): Promise<void>;
  /** Adds what came of the checks after the call, with those before it. */
  addVerification(action: string, verification: Verification, checks: Json): Promise<void>;
  /** Moves an action to another status by undo, conditional on the present one; `also` with it, in the same transaction. Resolves false if another status stood there. */
  move(
    action: string,
    from: ActionStatus,
    to: ActionStatus,
    reason: Reason | null,
    detail?: string,
    ...also: readonly Original[]
  ): Promise<boolean>;
  /** Stands in line for all the keys in one step, behind whoever asked before, in any process. Not waited for by the disk. */
  lease(keys: readonly string[]): Promise<Lease>;
  /** Tells whether it is this lease's turn: nobody who is alive asked before for any of its keys. */
  isFirst(lease: Lease): Promise<boolean>;
  /** Leaves the lines. Shares a commit with what is written in the same moment; a second time does nothing. */
  release(lease: Lease): Promise<void>;
  /** Records reads and refusals in batches; may be lost by a crash. */
  recordFinished(call: FinishedCall): void;
  /** Waits until everything recorded so far is written. */
  flush(): Promise<void>;
  /** Gives back what is leased, writes what is pending and lets go of the database. */
  close(): Promise<void>;

  /** Keyed with this journal's own secret: equal texts have equal marks, and a mark doesn't give the text away. */
  mark(text: string): Promise<string>;
}

// What does a policy consist of, once it is loaded? Pure data; see manifest/ for the file, and match-rule.ts for which rule governs a tool.
import type { Digest } from "./digest.ts";
import type { Patterns } from "./extract.ts";
import type { JsonObject } from "./json.ts";
import type { ReadTerms } from "./read-terms.ts";
import type { ListTemplate, Reference, Template } from "./template.ts";
import type { ActionClass, Gate, SnapshotState, SqlDialect } from "./vocabulary.ts";

/** A place in a manifest: 1-based line and column. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A tool on a server, as written `server.tool`. A tool's name may itself contain dots. */
export interface ToolName {
  readonly server: string;
  readonly tool: string;
}

/** One call that a rule makes: a snapshot, an observation, or one of an inverse. */
export interface CallTemplate extends ToolName {
  readonly args: Template;
  /** Of an inverse: the call is made once for each element of this list, which is `$item` in its arguments. */
  readonly forEach?: ListTemplate;
  /** Where the tool's name stands in the manifest. */
  readonly position: Position;
}

/** A call that shows a state. Without words for absence, any tool-level error before the call is absence. */
export interface SnapshotTemplate extends CallTemplate, ReadTerms {}

/** How a state is read: by one call, or by several whose values make one state, each behind its name. */
export type StateRead = SnapshotTemplate | { readonly reads: readonly NamedRead[] };

/** One of several reads. */
export type NamedRead = SnapshotTemplate & { readonly name: string };

/** Lists the calls by which a state is read, one at least. */
export function readsIn(read: StateRead): readonly (SnapshotTemplate & { readonly name?: string })[] {
  return "reads" in read ? read.reads : [read];
}

/** A look at whether something is so, apart from what the call itself says. */
export interface Check {
  readonly name: string;
  readonly read: SnapshotTemplate;
  /** What the read has to show, other members apart; undefined: that nothing is there. */
  readonly expect: Template | undefined;
}

/** What undoing a call comes with, for the person who decides. */
export interface UndoTerms {
  /** For how long after the call it can be undone, in milliseconds. */
  readonly within?: number;
  readonly sideEffects?: string;
  readonly cost?: string;
  /** What a person may do where nothing puts it back; suggested, never performed. */
  readonly remedy?: string;
}

/** How much a rule lets through. */
export interface Limits {
  /** Calls in one run. */
  readonly perRun?: number;
  /** Calls of one run in any 60 seconds. */
  readonly perMinute?: number;
  /** Elements of a list in the arguments. */
  readonly items?: { readonly path: Reference; readonly max: number };
}

/** What happens to calls of a class that no `gate` of a rule speaks of. */
export type Autonomy = Readonly<Partial<Record<Exclude<ActionClass, "readonly"> | "unmentioned", "allow" | "ask" | "deny">>>;

/** Where the SQL stands that `gate: on_write` reads, and how it is written. */
export interface SqlArgument {
  /** One argument. */
  readonly statement: Reference;
  readonly dialect: SqlDialect;
}

/** A call that tries a rule out. */
export interface Sample {
  readonly args: Template;
  /** Calls that prepare it, in order; `$result` in each, and in `args`, is what the one before it gave. */
  readonly before: readonly CallTemplate[];
  /** Reads whose answers have to be the same before the call and after its undo; `$result` is what the latest call of `before` gave. */
  readonly check?: readonly CallTemplate[];
  /** The server refuses the call, or changes nothing by it: what governs it can't be reached. */
  readonly refused?: true;
  readonly note?: string;
  readonly position: Position;
}

/** What a snapshot showed: something was there, or nothing. */
export type Presence = Exclude<SnapshotState, "none">;

/** One entry of `tools:`; or one of its cases, or what it is for a call that finds something or nothing: each of them whole. */
export interface Rule {
  /** As written, `server.tool` with `*`. */
  readonly match: string;
  /** Which case of the entry it is: the value of the argument that `by` names. */
  readonly case?: string;
  /** What the snapshot has to show for it to govern. */
  readonly when?: Presence;
  /** What chooses a case; the entry itself governs the calls that have none, and they are held. */
  readonly cases?: { readonly by: Reference; readonly rules: ReadonlyMap<string, Rule> };
  /** Governs instead where the snapshot shows nothing. */
  readonly whenAbsent?: Rule;
  /** Governs instead where the snapshot shows something. */
  readonly whenPresent?: Rule;
  readonly class: ActionClass;
  readonly gate: Gate;
  /** The read that captures a thing's state before a change, and again after it. */
  readonly snapshot?: StateRead;
  readonly observe?: StateRead;
  /** A second, independent read: once the call is put back it has to show what it showed before. */
  readonly confirm?: StateRead;
  /** The calls that put it back, in the order in which they are sent; never empty. */
  readonly inverse?: readonly CallTemplate[];
  /** What a call touches, as texts; undefined: the snapshot's tool and arguments. */
  readonly resource?: readonly Template[];
  /** Paths in the state that never count as drift; relative to the snapshot's value. */
  readonly ignore: readonly Reference[];
  /** Lists in the state whose order means nothing. */
  readonly sets?: readonly Reference[];
  /** By which member the records of a list in the state are told apart, as `items[].sku`. */
  readonly identity?: readonly Reference[];
  /** The inverse is right whatever happened in between, so nothing counts as drift. */
  readonly commutes?: true;
  readonly undo?: UndoTerms;
  /** What has to be so before a call is sent. */
  readonly require?: readonly Check[];
  /** What shows whether a call that said success really did it. */
  readonly verify?: readonly Check[];
  /** What `$result` is: fields out of the result's only text, in place of its value. */
  readonly resultFields?: Patterns;
  /** Whole-text patterns (`*` stands for anything) by which a plain result says that the call failed; a rule's own and its server's. */
  readonly failedWhen: readonly string[];
  /** What of a call is kept out of the record, by paths as written: `$.password`, `$result.token`, `$snapshot.secret`. */
  readonly redact?: readonly string[];
  /** The arguments that it is for: a JSON Schema. */
  readonly accepts?: JsonObject;
  readonly limits?: Limits;
  /** What becomes of a call beyond `accepts` or `limits`; undefined: it is held. */
  readonly otherwise?: "deny";
  /** What the caller's identity must be allowed, all of it. */
  readonly scopes?: readonly string[];
  /** The environments that it is for. */
  readonly environments?: readonly string[];
  /** What `gate: on_write` reads; undefined: every text in the arguments. */
  readonly sql?: SqlArgument;
  /** The calls by which a drill proves it. */
  readonly drill?: readonly Sample[];
  /** Set for one call whose gate is on_write: why it isn't certainly a read. */
  readonly unclear?: string;
  /** Set for one call with arguments that the rule isn't for: in which way they are outside of `accepts`, and its class for those within. */
  readonly outside?: { readonly why: string; readonly within: ActionClass };
  readonly position: Position;
  /** Digest of the rule as written; an approval is bound to it. */
  readonly digest: Digest;
}

/** Lists the reads of a rule's checks, each with the key behind which it stands. */
export function checkReadsOf({ require = [], verify = [] }: Rule): readonly (readonly ["require" | "verify", CallTemplate])[] {
  return [...require.map(({ read }) => ["require", read] as const), ...verify.map(({ read }) => ["verify", read] as const)];
}

/** Lists the calls by which a rule knows a state and puts it back, each with the key behind which it stands. */
export function callsOf(rule: Rule): readonly (readonly ["snapshot" | "inverse" | "observe" | "confirm", CallTemplate])[] {
  const reads = (["snapshot", "observe", "confirm"] as const).flatMap((key) => {
    const read = rule[key];
    return read === undefined ? [] : readsIn(read).map((call) => [key, call] as const);
  });
  return [...reads, ...(rule.inverse ?? []).map((call) => ["inverse", call] as const)];
}

/** Gives everything that a call reads: its arguments, for each element where it is repeated. */
export function templateOf({ forEach, args }: Pick<CallTemplate, "forEach" | "args">): Template {
  return forEach === undefined ? args : { kind: "each", list: forEach, item: args };
}

/** How a server is reached. Texts are as written (`${VAR}` unexpanded); expansion happens when it is started. */
export type ServerSource =
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Absolute. */
      readonly cwd: string;
    }
  | { readonly kind: "url"; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  /** Wrapped in place: the command stands in the client's own file and reaches us after `--`. */
  | { readonly kind: "via"; readonly client: string; readonly file: string; readonly name: string };

export interface ServerPolicy {
  readonly name: string;
  readonly source: ServerSource;
  /** Used by rules only: the agent never sees it. */
  readonly hidden?: true;
  /** Its data may be lost: a drill may try the rules out on it. */
  readonly scratch?: true;
  readonly position: Position;
}

/** A token by which a client may come by HTTP; the token itself is written nowhere. */
export interface TokenPolicy {
  /** Who acts with it, as the record has it. */
  readonly name: string;
  /** The SHA-256 of the token, in lower-case hexadecimal. */
  readonly sha256: Digest;
  readonly scopes: readonly string[];
}

/** Everything a manifest says. */
export interface Policy {
  readonly servers: readonly ServerPolicy[];
  readonly rules: readonly Rule[];
  /** Absent where the manifest doesn't say. */
  readonly autonomy?: Autonomy;
  /** What the manifest is for: staging, say. */
  readonly environment?: string;
  /** Who may come by HTTP; absent where the manifest doesn't say. */
  readonly tokens?: readonly TokenPolicy[];
}

/** The rule of a tool that no rule matches: irreversible, held (promise 5). */
export type GoverningRule = Rule | "unmentioned";

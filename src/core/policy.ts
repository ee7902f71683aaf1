// What does a policy consist of, once it is loaded, and which rule governs a tool? Pure data and matching; see manifest/ for the file.
import type { Digest } from "./digest.ts";
import type { Reference, Template } from "./template.ts";
import type { ActionClass, Gate } from "./vocabulary.ts";

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

/** One call that a rule makes: a snapshot, an observation or an inverse. */
export interface CallTemplate extends ToolName {
  readonly args: Template;
  /** Where the tool's name stands in the manifest. */
  readonly position: Position;
}

/** The read that captures a thing's state before a change (and again after it). */
export interface SnapshotTemplate extends CallTemplate {
  /** Lower-cased substrings of the error by which this server says that the thing does not exist; empty: any tool-level error is absence. */
  readonly absentWhen: readonly string[];
}

/** One entry of `tools:`. */
export interface Rule {
  /** As written, `server.tool` with `*`. */
  readonly match: string;
  readonly class: ActionClass;
  readonly gate: Gate;
  readonly snapshot?: SnapshotTemplate;
  readonly observe?: SnapshotTemplate;
  readonly inverse?: CallTemplate;
  /** What a call touches, as texts; undefined: the snapshot's tool and arguments. */
  readonly resource?: readonly Template[];
  /** Paths in the state that never count as drift; relative to the snapshot's value. */
  readonly ignore: readonly Reference[];
  /** Whole-text patterns (`*` stands for anything) by which a plain result says that the call failed; a rule's own and its server's. */
  readonly failedWhen: readonly string[];
  readonly position: Position;
  /** Digest of the rule as written; an approval is bound to it. */
  readonly digest: Digest;
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
  readonly position: Position;
}

/** Everything a manifest says. */
export interface Policy {
  readonly servers: readonly ServerPolicy[];
  readonly rules: readonly Rule[];
}

/** The rule of a tool that no rule matches: irreversible, held (promise 5). */
export type GoverningRule = Rule | "unmentioned";

// What do the two directions of a session share? The requests under way both ways, what waits for its end, and the way to the client.
import type { Log } from "../core/log.ts";
import type { Policy } from "../core/policy.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { IdKey, RequestMessage } from "../wire/message.ts";
import { unansweredError } from "./answers.ts";
import type { KnownServer } from "./known-server.ts";
import type { OpenRequests } from "./open-requests.ts";
import type { OtherServers } from "./other-servers.ts";
import type { Outbox } from "./outbox.ts";
import type { Replies } from "./replies.ts";
import type { Rounds } from "./rounds.ts";
import type { RunHandle } from "./run-handle.ts";
import type { Tasks } from "./tasks.ts";

/** What a session is made of. */
export interface SessionParts {
  readonly server: string;
  readonly policy: Policy;
  /** What the client's identity is allowed. */
  readonly scopes: readonly string[];
  readonly upstream: Upstream;
  readonly log: Log;
  readonly clock: () => number;
  /** Milliseconds. */
  readonly readTimeout: number;
  /** Bytes. */
  readonly maxMessage: number;
  readonly runHandle: RunHandle;
  /** The servers that rules use beside this one. */
  readonly others: OtherServers;
  /** Whether our instructions are added to the server's own; not where somebody else says them for several servers at once. */
  readonly instructs: boolean;
  /** Writes one message to the client. */
  readonly write: (bytes: Uint8Array) => void;
  /** Null: it isn't known which process the client is. */
  readonly clientProcess: object | null;
  /** Words of a command of ours -> the command as a person can run it here. */
  readonly commandLine: (words: readonly string[]) => string;
}

/** The state of a session. */
export interface SessionState {
  readonly parts: SessionParts;
  /** The client's requests under way. */
  readonly requests: OpenRequests;
  /** The server's requests under way: id -> method. */
  readonly serverRequests: Map<IdKey, string>;
  readonly outbox: Outbox;
  readonly replies: Replies;
  readonly rounds: Rounds;
  readonly tasks: Tasks;
  readonly known: KnownServer;
  /** Why the server is gone; undefined while it isn't. */
  ended: string | undefined;
}

/** Answers a request that the server can't answer. */
export function failRequest({ parts, requests, replies }: SessionState, { id }: RequestMessage, why: string): void {
  requests.end(id);
  replies.answer(id, unansweredError(id, parts.server, why));
}

/** Logs something about the session's server. */
export function logSession({ parts }: SessionState, level: "info" | "warn" | "error", text: string, id?: IdKey): void {
  parts.log.log(level, text, { server: parts.server, id });
}

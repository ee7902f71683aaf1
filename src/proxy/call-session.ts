// What does a tool call need from the session it came in? This much, and no more of the session.

import type { ToolHints } from "../core/hints.ts";
import type { Log } from "../core/log.ts";
import type { Policy } from "../core/policy.ts";
import type { Run } from "../journal/journal.ts";
import type { ChangeRequest } from "../recorder/record-change.ts";
import type { Recorder } from "../recorder/recorder.ts";
import type { ToolCall } from "./tool-call.ts";

/** What the recorder does with a call's messages. */
export type CallDoor = Omit<ChangeRequest, "call" | "governing" | "approval" | "atMost" | "holdsWhen">;

export interface CallSession {
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly policy: Policy;
  /** What the client's identity is allowed. */
  readonly scopes: readonly string[];
  /** The server's name in the manifest. */
  readonly server: string;
  /** The open run and what records its calls. @throws SynartesisError journal-* */
  opened(call: ToolCall): Promise<{ readonly run: Run; readonly recorder: Recorder }>;
  /** Begins a changing call of a run; gives what ends it, or undefined while an undo of the run is under way. */
  begin(run: string): (() => void) | undefined;
  /** False only if the server has listed its tools and this isn't one of them. */
  isListed(tool: string): boolean;
  /** What the server says of this tool; undefined where it says nothing, or hasn't listed it yet. */
  hintsOf(tool: string): ToolHints | undefined;
  /** How the recorder sends the call as it came and hands the reply on. */
  door(call: ToolCall): CallDoor;
  /** Answers the call with a tool error of ours. */
  answer(call: ToolCall, text: string): void;
  /** Drops a call that the client cancelled before it was sent: no answer follows (MCP, cancellation). */
  forget(call: ToolCall): void;
  /** True until the call has been answered or dropped. */
  isOpen(call: ToolCall): boolean;
  /** The command by which a person approves, as it runs on this machine. */
  approveCommand(hold: string): string;
  /** Null: it isn't known which process the client is, so whoever approves has to say that they are no agent. */
  readonly clientProcess: object | null;
}

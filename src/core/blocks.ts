// What doesn't an undo reach once a step has halted? Everything older; or, where it keeps going, what is connected to the halted step, directly or
// through others. Pure.
import type { Connections } from "./connections.ts";
import type { ActionHead, ActionRef, StepReason } from "./plan-step.ts";

/** What stands in the way so far. */
export interface Blocks {
  /** The halted step because of which an action isn't reached. */
  of(action: ActionHead): ActionRef | undefined;
  /** A step halted. A server that can't be had (`server-unavailable`) stops only what is connected to its steps. */
  add(action: ActionHead, reason: StepReason): void;
  /** What isn't reached stands in the way of what is older and connected to it. */
  carryOn(action: ActionHead): void;
}

/** Makes an empty set. Without connections, only a common resource connects. */
export function createBlocks({ keepGoing, connections }: { readonly keepGoing?: boolean; readonly connections?: Connections }): Blocks {
  const byResource = new Map<string, ActionRef>();
  const byAction = new Map<string, ActionRef>();
  let all: ActionRef | undefined;
  const of = ({ id, resources }: ActionHead) =>
    all ?? byAction.get(id) ?? resources.map((key) => byResource.get(key)).find((blocker) => blocker !== undefined);
  const connect = (action: ActionHead, blocker: ActionRef) => {
    for (const resource of action.resources) if (!byResource.has(resource)) byResource.set(resource, blocker);
    for (const { older } of connections?.usesOf(action.id) ?? []) if (!byAction.has(older)) byAction.set(older, blocker);
  };
  return {
    of,
    add(action, reason) {
      const blocker = { run: action.run, seq: action.seq, id: action.id };
      if (!keepGoing && reason !== "server-unavailable") all ??= blocker;
      connect(action, blocker);
    },
    carryOn(action) {
      const blocker = of(action);
      if (blocker !== undefined) connect(action, blocker);
    },
  };
}

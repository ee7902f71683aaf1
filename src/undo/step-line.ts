// How do the steps of an undo follow each other without waiting more than they must? One is sent at a time, newest first. While it is under way
// the next one gets what it touches to itself; once it is answered, the next one looks. What one step leaves to be written is written with what
// the next one has to write before it is sent. Nothing is claimed ahead, and no look counts that is old.
import { within } from "../upstream/within.ts";
import type { UndoAction } from "./gather.ts";
import { carryOutStep, type ReadyStep, readyStep, type StepParts, type StepReport } from "./undo-step.ts";

export interface StepLine {
  /** Carries out a step, while `next`, which is expected after it, gets ready. What it ended with may not be written before the next one. */
  perform(action: UndoAction, next: UndoAction | undefined): Promise<StepReport>;
  /** Gives back what was taken for a step that isn't carried out, and waits until all is written. */
  close(): Promise<void>;
}

interface Ahead {
  readonly action: UndoAction;
  readonly ready: Promise<ReadyStep>;
}

/** For how long an end waits to be written together with what comes next, in milliseconds. */
const TOGETHER = 5;

/** Makes the line. */
export function createStepLine(parts: StepParts): StepLine {
  let ahead: Ahead | undefined;
  let written: Promise<void> = Promise.resolve();
  const giveUp = () => {
    ahead?.ready.then(({ release }) => release()).catch(() => undefined); // whatever kept it from getting ready concerns nobody any more
    ahead = undefined;
  };
  const begin = (action: UndoAction, mayLook: Promise<unknown>): Ahead => {
    const ready = readyStep(parts, action, mayLook);
    ready.catch(() => undefined); // told once it is its turn
    return { action, ready };
  };
  const take = (action: UndoAction): Promise<ReadyStep> => {
    if (ahead?.action !== action) giveUp();
    const { ready } = ahead ?? begin(action, Promise.resolve());
    ahead = undefined;
    return ready;
  };
  return {
    async perform(action, next) {
      const ready = await take(action);
      const { promise: mayLook, resolve: letLook } = Promise.withResolvers<void>();
      const following = next && begin(next, mayLook);
      ahead = following;
      const isApart = next !== undefined && areApart(action, next);
      const before = written;
      try {
        return await carryOutStep(parts, ready, {
          before: () => before,
          answered: () => (isApart ? letLook() : undefined),
          async ended(write) {
            if (isApart && following !== undefined)
              await within(
                TOGETHER,
                following.ready.catch(() => undefined),
              );
            written = write();
            written.catch(() => undefined); // told before the next step is sent, or at the end
          },
        });
      } finally {
        // On the same thing, the record has to say first what became of this step.
        if (isApart) letLook();
        else void written.then(letLook, letLook);
      }
    },
    async close() {
      giveUp();
      await written;
    },
  };
}

/** Only where two steps surely touch different things may one look before the other is seen to have worked. */
function areApart(one: UndoAction, other: UndoAction): boolean {
  if (one.resources.length === 0 || other.resources.length === 0 || one.stored.read === other.stored.read) return false;
  return !one.resources.some((key) => other.resources.includes(key));
}

// In which steps is an entry changed? One after the other, each on what the one before has left; those that don't touch each other at once,
// since a large file takes its time to be read again.
import type { Change, KeyPath, Part, Refused } from "./document.ts";
import { type EditableDocument, type Planned, refusedAt, type Step } from "./editable-document.ts";
import { type Fault, isFault, type Splice } from "./tree.ts";

/** What the changes have left, and what became of each member. */
export interface Taken<S> {
  readonly kind: "taken";
  readonly document: EditableDocument<S>;
  readonly parts: readonly Part[];
}

/** Makes the changes of an entry. */
export function takeChanges<S>(document: EditableDocument<S>, entry: KeyPath, changes: readonly Change[]): Taken<S> | Refused {
  const parts: Part[] = [];
  let at = document;
  // Planned on `at`, and not put in yet.
  let open: Planned[] = [];
  for (const change of changes) {
    // Which steps a change takes depends on what is there by then.
    if (open.some(({ part }) => isWithin(part.path, change.path) || isWithin(change.path, part.path))) {
      const next = putIn(at, open);
      if (isFault(next)) return refusedAt(at.text, next);
      [at, open] = [next, []];
    }
    for (const step of at.stepsOf(entry, change)) {
      let planned = at.plan(entry, step);
      if (planned !== undefined && !isFault(planned) && open.some((each) => touches(each, planned as Planned))) {
        const next = putIn(at, open);
        if (isFault(next)) return refusedAt(at.text, next);
        [at, open] = [next, []];
        planned = at.plan(entry, step);
      }
      if (planned === undefined) continue;
      if (isFault(planned)) return refusedAt(at.text, planned);
      parts.push(planned.part);
      open.push(planned);
    }
  }
  const done = putIn(at, open);
  return isFault(done) ? refusedAt(at.text, done) : { kind: "taken", document: done, parts };
}

/** Takes one step. */
export function takeStep<S>(document: EditableDocument<S>, entry: KeyPath, step: Step): EditableDocument<S> | Fault {
  const planned = document.plan(entry, step);
  if (planned === undefined || isFault(planned)) return planned ?? document;
  return putIn(document, [planned]);
}

function putIn<S>(document: EditableDocument<S>, planned: readonly Planned[]): EditableDocument<S> | Fault {
  if (planned.length === 0) return document;
  return document.with(
    planned.flatMap(({ splices }) => splices),
    planned.map(({ path, part }) => [path, part.after?.value]),
  );
}

/** One is within the other, or writes where the other does; or both add to or take from one mapping, where each has to see what the other leaves. */
function touches(one: Planned, other: Planned): boolean {
  if (isWithin(one.path, other.path) || isWithin(other.path, one.path)) return true;
  if (one.splices.some((mine) => other.splices.some((theirs) => meet(mine, theirs)))) return true;
  const isMove = ({ part }: Planned) => part.before === null || part.after === null;
  return isMove(one) && isMove(other) && one.path.length === other.path.length && isWithin(one.path, other.path.slice(0, -1));
}

/** A piece that ends where another one begins doesn't meet it: they come in that order. */
function meet(mine: Splice, theirs: Splice): boolean {
  return mine.start === theirs.start || (mine.start < theirs.end && theirs.start < mine.end);
}

function isWithin(path: KeyPath, outer: KeyPath): boolean {
  return outer.every((name, index) => path[index] === name);
}

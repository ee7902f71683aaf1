// How is an edit of an entry taken back? Its text as a whole where nobody else changed it, else member by member; what somebody else made of
// a member of ours stays as they made it.
import { isJsonObject, type Json } from "../../core/json.ts";
import type { KeyPath, Part, Patch, Restored } from "./document.ts";
import type { EditableDocument, Step } from "./editable-document.ts";
import { takeStep } from "./take-changes.ts";
import { type Fault, isFault, sameValue, withMember } from "./tree.ts";

/** Takes the patch back; its entry is there, and can be edited. */
export function restoreParts<S>(document: EditableDocument<S>, patch: Patch): Restored | Fault {
  const whole = restoreWhole(document, patch);
  if (whole !== undefined) return { kind: "restored", document: whole, exact: true, kept: [] };
  const kept: KeyPath[] = [];
  let at = document;
  for (const part of patch.parts.toReversed()) {
    const { steps, keeps } = stepsBack(part, valueAt(at, [...patch.entry, ...part.path]));
    if (keeps) kept.push(part.path);
    for (const step of steps) {
      const next = takeEither(at, patch.entry, step);
      if (isFault(next)) return next;
      at = next;
    }
  }
  return { kind: "restored", document: at, exact: false, kept };
}

/** The entry has the text that we gave it, and so gets the one that it had. */
function restoreWhole<S>(document: EditableDocument<S>, { entry, whole, parts }: Patch): EditableDocument<S> | undefined {
  const member = document.editable(entry);
  if (isFault(member) || member.span === undefined || whole === null) return undefined;
  const { before, after, lead } = whole;
  const start = member.span.start - lead;
  const end = start + after.length;
  if (document.text.slice(start, end) !== after) return undefined;
  const value = parts.reduceRight((then, part) => withMember(then, part.path, part.before?.value), member.node.value);
  const restored = document.with([{ start, end, text: before }], [[entry, value]]);
  return isFault(restored) ? undefined : restored;
}

interface Back {
  readonly steps: readonly Step[];
  /** Somebody changed it since. */
  readonly keeps: boolean;
}

function stepsBack({ path, before, after, follows }: Part, now: Json | undefined): Back {
  const isOurs = after === null ? now === undefined : now !== undefined && sameValue(now, after.value);
  if (isOurs) {
    const to = before === null ? null : { value: before.value, ...(before.text === null ? {} : { text: before.text }) };
    return { steps: [{ path, to, after: follows }], keeps: false };
  }
  if (before !== null && now !== undefined && sameValue(now, before.value)) return { steps: [], keeps: false };
  if (before === null && now === undefined) return { steps: [], keeps: false };
  const put = after?.value;
  if (before !== null || !isJsonObject(put) || !isJsonObject(now)) return { steps: [], keeps: true };
  // A mapping of ours to which somebody added: what we put into it goes.
  const ours = Object.entries(put).filter(([name, value]) => {
    const current = Object.hasOwn(now, name) ? now[name] : undefined;
    return current !== undefined && sameValue(current, value);
  });
  return { steps: ours.map(([name]) => ({ path: [...path, name], to: null })), keeps: true };
}

/** By the text that was there, or where that doesn't fit (any more), by the value. */
function takeEither<S>(document: EditableDocument<S>, entry: KeyPath, step: Step): EditableDocument<S> | Fault {
  const next = takeStep(document, entry, step);
  if (!isFault(next) || step.to?.text === undefined) return next;
  return takeStep(document, entry, { ...step, to: { value: step.to.value } });
}

function valueAt<S>(document: EditableDocument<S>, path: KeyPath): Json | undefined {
  const member = document.editable(path);
  return isFault(member) ? undefined : member.node.value;
}

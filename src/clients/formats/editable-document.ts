// How is one place of a text changed and nothing else? Step by step: the grammar's pieces are put in, the result is read again, and counts only
// if a reader gets exactly what was meant, and of everything else what it got before.
import { isJsonObject, type Json } from "../../core/json.ts";
import { ProblemList } from "../../manifest/problem.ts";
import type { Change, ClientDocument, Edited, Entries, Format, KeyPath, Member, Part, Patch, Refused, Restored } from "./document.ts";
import { restoreParts } from "./restore-parts.ts";
import { takeChanges } from "./take-changes.ts";
import {
  type Fault,
  fault,
  faultWithin,
  type Grammar,
  isFault,
  memberAt,
  memberNamed,
  type NewMember,
  type Splice,
  sameValue,
  spliced,
  type TreeMember,
  type TreeNode,
  withMember,
} from "./tree.ts";

/** What stays the same through all edits of a file. */
export interface Setting<S> {
  readonly format: Format;
  readonly grammar: Grammar<S>;
  /** A byte order mark begins it. */
  readonly hasMark: boolean;
}

/** One step: a member gets a value or a text, or is taken away (null). `after` counts where it isn't there yet; null: as the first. */
export interface Step {
  readonly path: KeyPath;
  readonly to: { readonly value: Json; readonly text?: string } | null;
  readonly after?: string | null;
}

/** A step that was looked at: the pieces that take it, and what becomes of its member. */
export interface Planned {
  readonly splices: readonly Splice[];
  readonly path: KeyPath;
  readonly part: Part;
}

/** A text that was read, and its grammar. */
export class EditableDocument<S> implements ClientDocument {
  readonly text: string;
  readonly root: TreeNode<S> | undefined;
  private readonly setting: Setting<S>;
  private places: ProblemList | undefined;

  private constructor(setting: Setting<S>, text: string, root: TreeNode<S> | undefined) {
    this.setting = setting;
    this.text = text;
    this.root = root;
  }

  /** Reads a text that has no byte order mark (any more). */
  static open<S>(setting: Setting<S>, text: string): { kind: "opened"; document: EditableDocument<S> } | Refused {
    const read = EditableDocument.read(setting, text);
    return isFault(read) ? refusedAt(text, read) : { kind: "opened", document: read };
  }

  private static read<S>(setting: Setting<S>, text: string): EditableDocument<S> | Fault {
    try {
      const parsed = setting.grammar.parse(text);
      return isFault(parsed) ? parsed : new EditableDocument(setting, text, parsed.root);
    } catch (error) {
      // What a stack can't hold no client's own reader is likely to hold either.
      if (error instanceof RangeError) return fault(0, "it nests too deeply");
      throw error;
    }
  }

  get format(): Format {
    return this.setting.format;
  }

  get bytes(): Uint8Array {
    return new TextEncoder().encode((this.setting.hasMark ? "\uFEFF" : "") + this.text);
  }

  entries(path: KeyPath): Entries {
    const found = path.length === 0 ? this.root : memberAt(this.root, path);
    if (found === undefined) return { kind: "entries", entries: [] };
    if (isFault(found)) return refusedAt(this.text, found);
    const map = "member" in found ? found.member.node : found;
    if (map.fault !== undefined) return refusedAt(this.text, map.fault);
    if (map.members === undefined) return refusedAt(this.text, fault(map.offset, `\`${path.join(".")}\` is no mapping`));
    const names = new Set(map.members.map(({ name }) => name));
    return { kind: "entries", entries: [...names].map((name) => this.entryOf(map, name)) };
  }

  private entryOf(map: TreeNode<S>, name: string): (Entries & { kind: "entries" })["entries"][number] {
    const member = memberNamed(map, name) ?? fault(map.offset, `\`${name}\` is not there`);
    const trouble = isFault(member) ? member : faultWithin(member.node);
    if (isFault(member) || trouble !== undefined) return { ...refusedAt(this.text, trouble ?? fault(map.offset, "")), name };
    const members = member.node.members ?? [];
    return { kind: "entry", ...this.shown(member), members: members.map((each) => this.shown(each)) };
  }

  private shown(member: TreeMember<S>): Member {
    this.places ??= new ProblemList(this.text);
    const { line } = this.places.positionAt(member.offset);
    return { name: member.name, value: member.node.value, text: this.textOf(member) ?? undefined, line };
  }

  private textOf({ span }: TreeMember<S>): string | null {
    return span === undefined ? null : this.text.slice(span.start, span.end);
  }

  edit(entry: KeyPath, changes: readonly Change[]): Edited {
    const before = this.editable(entry);
    if (isFault(before)) return refusedAt(this.text, before);
    const taken = takeChanges<S>(this, entry, changes);
    if (taken.kind === "refused") return taken;
    const { document, parts } = taken;
    const patch: Patch = { entry, whole: this.changed(before, document, entry), parts };
    return { kind: "edited", document, patch };
  }

  /** The text of an entry before and after, and as much around it as was changed too (a line added behind a comment, say). */
  private changed({ span }: TreeMember<S>, next: EditableDocument<S>, entry: KeyPath): Patch["whole"] {
    const after = next.editable(entry);
    if (span === undefined || isFault(after) || after.span === undefined) return null;
    let start = 0;
    while (start < Math.min(span.start, after.span.start) && this.text[start] === next.text[start]) start++;
    let same = 0;
    const most = Math.min(this.text.length - span.end, next.text.length - after.span.end);
    while (same < most && this.text.at(-1 - same) === next.text.at(-1 - same)) same++;
    const [end, nextEnd] = [this.text.length - same, next.text.length - same];
    return { before: this.text.slice(start, end), after: next.text.slice(start, nextEnd), lead: after.span.start - start };
  }

  restore(patch: Patch): Restored {
    const entry = this.editable(patch.entry);
    if (isFault(entry)) return memberAt(this.root, patch.entry) === undefined ? { kind: "gone" } : refusedAt(this.text, entry);
    const restored = restoreParts(this, patch);
    return isFault(restored) ? refusedAt(this.text, restored) : restored;
  }

  /** Finds an entry in which nothing stands in the way of an edit. */
  editable(path: KeyPath): TreeMember<S> | Fault {
    const found = memberAt(this.root, path);
    if (found === undefined) return fault(0, `\`${path.join(".")}\` is not there`);
    if (isFault(found)) return found;
    return faultWithin(found.member.node) ?? found.member;
  }

  /** A mapping that replaces a mapping is changed member by member, so that what stays keeps its comments. */
  stepsOf(entry: KeyPath, change: Change): readonly Step[] {
    if (change.kind === "remove") return [{ path: change.path, to: null }];
    const { path, value, after } = change;
    const found = memberAt(this.root, [...entry, ...path]);
    const old = found === undefined || isFault(found) ? undefined : found.member.node.members;
    if (old === undefined || !isJsonObject(value)) return [{ path, to: { value }, ...(after === undefined ? {} : { after }) }];
    const gone = old.filter(({ name }) => !Object.hasOwn(value, name)).map(({ name }): Step => ({ path: [...path, name], to: null }));
    const steps = Object.entries(value).flatMap(([name, inner]) =>
      this.stepsOf(entry, { kind: "set", path: [...path, name], value: inner }),
    );
    return [...gone, ...steps];
  }

  /** Plans one step; undefined where there is nothing to do. */
  plan(entry: KeyPath, step: Step): Planned | Fault | undefined {
    const [path, name] = [[...entry, ...step.path], step.path.at(-1)];
    const above = memberAt(this.root, path.slice(0, -1));
    if (name === undefined || above === undefined) return fault(0, `\`${path.slice(0, -1).join(".")}\` is not there`);
    if (isFault(above)) return above;
    const map = above.member.node;
    if (map.members === undefined) return fault(map.offset, `\`${above.member.name}\` is no mapping`);
    const member = memberNamed(map, name);
    if (member !== undefined && isFault(member)) return member;
    const { to } = step;
    if (to === null && member === undefined) return undefined;
    if (to !== null && to.text === undefined && member !== undefined && sameValue(member.node.value, to.value)) return undefined;
    const splices = this.splicesFor(map, member, name, step);
    if (isFault(splices)) return splices;
    const before = member === undefined ? null : { value: member.node.value, text: this.textOf(member) };
    const index = member === undefined ? map.members.length : map.members.indexOf(member);
    const after = to === null ? null : { value: to.value };
    return { splices, path, part: { path: step.path, before, after, follows: map.members[index - 1]?.name ?? null } };
  }

  private splicesFor(map: TreeNode<S>, member: TreeMember<S> | undefined, name: string, { to, after }: Step): readonly Splice[] | Fault {
    const { grammar } = this.setting;
    if (member === undefined) {
      if (to === null) return [];
      const added: NewMember = to.text === undefined ? { name, value: to.value } : { name, text: to.text };
      const last = map.members?.at(-1) ?? null;
      const behind = after === null ? null : (map.members?.find((each) => each.name === after) ?? last);
      return grammar.insert(this.text, map, added, behind);
    }
    if (to === null) return grammar.remove(this.text, map, member);
    if (to.text === undefined) return grammar.set(this.text, map, member, to.value);
    if (member.span === undefined) return fault(member.offset, `the parts of \`${name}\` stand apart from each other`);
    return [{ ...member.span, text: to.text }];
  }

  /** Puts pieces in, and reads the result: it has to be what was there, with these values at these paths (undefined: with nothing there). */
  with(splices: readonly Splice[], values: readonly (readonly [path: KeyPath, value: Json | undefined])[]): EditableDocument<S> | Fault {
    const next = EditableDocument.read(this.setting, spliced(this.text, splices));
    const expected = values.reduce<Json>((root, [path, value]) => withMember(root, path, value), this.root?.value ?? {});
    if (!isFault(next) && next.root !== undefined && sameValue(next.root.value, expected)) return next;
    const [path = []] = values[0] ?? [];
    const message = `\`${path.join(".")}\`, or what stands beside it, is written in a way that can't be changed with certainty`;
    return fault(splices[0]?.start ?? 0, message, "write it in plain lines");
  }
}

/** Says why, and where in the text. */
export function refusedAt(text: string, { offset, message, hint }: Fault): Refused {
  return { kind: "refused", problem: new ProblemList(text).problemAt(offset, message, hint) };
}

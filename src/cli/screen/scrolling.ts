// Which part of something long is seen, and where do the arrows lead? Pure; knows nothing of what is listed.
import type { Key } from "./press.ts";
import type { View } from "./state.ts";

/** What is listed, as a frame showed it. */
export interface Listed {
  /** How many lines there are, how many of them fit, and the first that was seen. */
  readonly length: number;
  readonly page: number;
  readonly top: number;
  /** The place of what is chosen; -1 where nothing is. */
  readonly index: number;
  /** What stands at a place: the id of a run, the number of a call. */
  keyAt(index: number): string | number | undefined;
}

type List = Extract<View, { kind: "runs" | "run" }>;

/** Gives the first line to be seen so that the chosen one is among them, as near to `top` as can be. */
export function topFor(top: number, index: number, page: number, length: number): number {
  const last = Math.max(0, length - page);
  return Math.max(0, Math.min(last, Math.max(Math.min(top, Math.max(0, index)), index - page + 1)));
}

/** Moves the choice in a list; at its end the latest is followed. */
export function moved(view: List, key: Key, shown: Listed): List {
  const to = target(key, shown.index, shown.page, shown.length);
  if (to === undefined) return view;
  const index = Math.max(0, Math.min(to, shown.length - 1));
  const at = shown.keyAt(index);
  const top = topFor(shown.top, index, shown.page, shown.length);
  if (view.kind === "runs") return typeof at === "string" ? { ...view, selected: at, top } : view;
  const isLast = index === shown.length - 1;
  return typeof at === "number" ? { ...view, seq: isLast ? undefined : at, top } : view;
}

/** Scrolls a text. */
export function scrolled<V extends View>(view: V, key: Key, { top, page, length }: Listed): V {
  const to = target(key, top, page, length);
  return to === undefined ? view : { ...view, top: Math.max(0, Math.min(to, length - page)) };
}

function target({ name, text }: Key, at: number, page: number, length: number): number | undefined {
  if (name === "down" || text === "j") return at + 1;
  if (name === "up" || text === "k") return at - 1;
  if (name === "pagedown" || text === " ") return at + Math.max(1, page - 1);
  if (name === "pageup") return at - Math.max(1, page - 1);
  if (name === "home" || text === "g") return 0;
  if (name === "end" || text === "G") return length;
  return undefined;
}

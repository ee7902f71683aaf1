// What does a key do? The state that it leads to, and what it asks the outside to do. Pure. Never answers for anything but what stood on the screen, long
// enough to be read, when the key was pressed.
import { OFFERS } from "./offers.ts";
import { moved, scrolled } from "./scrolling.ts";
import { back, type Offer, onto, type Prompt, replace, type ScreenState, type Shown, topView, type View } from "./state.ts";

/** So long something has to stand where it is, and no key may have come, before an answer about it counts; in milliseconds. */
export const SETTLED = 500;

/** One key, or what came in one piece: that is never more than text. */
export interface Key {
  readonly name:
    | "text"
    | "several"
    | "enter"
    | "escape"
    | "backspace"
    | "up"
    | "down"
    | "pageup"
    | "pagedown"
    | "home"
    | "end"
    | "ctrl-c"
    | "ctrl-z"
    | "other";
  readonly text: string;
}

/** What a key asks the outside to do. */
export type Effect =
  | { readonly kind: "approve"; readonly action: string }
  | { readonly kind: "deny"; readonly action: string; readonly why: string | null }
  /** `offer`: as the last one of this run, and so besides. */
  | { readonly kind: "undo"; readonly run: string; readonly offer?: Offer }
  | { readonly kind: "agree"; readonly yes: boolean }
  | { readonly kind: "give-up" }
  | { readonly kind: "suspend" }
  | { readonly kind: "quit"; readonly code: number };

export interface Pressed {
  readonly state: ScreenState;
  readonly effect?: Effect;
}

/** Gives what a key comes to; `shown` is the frame that the person had before them. */
export function press(state: ScreenState, key: Key, shown: Shown, now: number): Pressed {
  const next = { ...state, pressedAt: now, message: undefined };
  if (key.name === "ctrl-c") return { state: next, effect: { kind: "quit", code: 130 } };
  if (key.name === "ctrl-z") return { state: next, effect: { kind: "suspend" } };
  if (state.prompt !== undefined) return typeInto(next, state.prompt, key);
  // Pasted, or typed ahead: nobody looked at what the second letter would do.
  if (key.name === "several") return { state: next };
  const view = topView(state);
  const isCalm = now - state.pressedAt >= SETTLED;
  const isReady = (id: string) => isCalm && now - (state.seen.get(id)?.since ?? now) >= SETTLED;
  return (
    pressWork(next, view, key, shown, isReady) ?? pressAnswer(next, view, key, shown, isReady) ?? pressAnywhere(next, view, key, shown)
  );
}

type IsReady = (id: string) => boolean;
/** More than a person types, and less than what may be pasted; in UTF-16 units. */
const LONGEST_TYPED = 1000;
const WAIT_A_MOMENT = "not yet: look for half a second, then press again";

function pressWork(state: ScreenState, view: View, { name, text }: Key, { work }: Shown, isReady: IsReady): Pressed | undefined {
  if (view.kind !== "undo" || work?.run !== view.run) return undefined;
  const isBack = name === "escape" || text === "q";
  switch (work.phase) {
    case "looking":
      return isBack ? { state: back(state), effect: { kind: "give-up" } } : undefined;
    case "asking":
      if (text === "y") return isReady(work.question) ? agree(state, view) : say(state, WAIT_A_MOMENT);
      if (isBack || text === "n") return { state: back(state), effect: { kind: "agree", yes: false } };
      return again(state, view, work.offers, text);
    case "sending":
      return isBack ? say(state, "it is under way; Ctrl-C ends it, and what isn't done yet stays") : undefined;
    case "ended":
      return again(state, view, work.offers, text);
  }
}

/** Whatever is chosen leads to another plan and another question. */
function again(state: ScreenState, view: Extract<View, { kind: "undo" }>, offers: readonly Offer[], text: string): Pressed | undefined {
  const offer = offers.find((each) => OFFERS[each].key === text);
  return offer && { state: replace(state, { ...view, top: 0 }), effect: { kind: "undo", run: view.run, offer } };
}

/** From then on the end of what it prints is what is new. */
function agree(state: ScreenState, view: View): Pressed {
  return { state: replace(state, { ...view, top: Number.MAX_SAFE_INTEGER }), effect: { kind: "agree", yes: true } };
}

function pressAnswer(state: ScreenState, view: View, { name, text }: Key, { waiting }: Shown, isReady: IsReady): Pressed | undefined {
  if (view.kind !== "waiting" || name !== "text" || (text !== "a" && text !== "d")) return undefined;
  const call = waiting.find(({ id }) => id === view.selected);
  if (call === undefined) return say(state, "nothing waits for an answer");
  if (!isReady(call.id)) return say(state, WAIT_A_MOMENT);
  if (text === "d") return { state: { ...state, prompt: { kind: "reason", action: call.id, text: "" } } };
  if (!state.readToEnd.has(call.id)) return say(state, "read it to its end first (pgdn)");
  return { state: { ...state, message: "answering" }, effect: { kind: "approve", action: call.id } };
}

function pressAnywhere(state: ScreenState, view: View, key: Key, shown: Shown): Pressed {
  if (key.name === "escape" || key.text === "q") return goBack(state, key);
  if (key.name === "enter") return { state: open(state, view, shown) };
  switch (key.text) {
    case "?":
      return { state: view.kind === "help" ? back(state) : onto(state, { kind: "help", top: 0 }) };
    case "w":
      return { state: view.kind === "waiting" ? state : onto(state, { kind: "waiting", selected: undefined, top: 0 }) };
    case "/":
      return view.kind === "runs" || view.kind === "run"
        ? { state: { ...state, prompt: { kind: "filter", text: view.filter } } }
        : { state };
    case "u":
      return startUndo(state, view, shown);
    default:
      return { state: replace(state, isList(view) ? moved(view, key, shown) : chooseOrScroll(view, key, shown)) };
  }
}

function isList(view: View): view is Extract<View, { kind: "runs" | "run" }> {
  return view.kind === "runs" || view.kind === "run";
}

/** Among what waits, the arrows choose a call, and the pages are those of its text. */
function chooseOrScroll(view: Exclude<View, { kind: "runs" | "run" }>, key: Key, shown: Shown): View {
  const step = key.name === "down" || key.text === "j" ? 1 : key.name === "up" || key.text === "k" ? -1 : 0;
  if (view.kind !== "waiting" || step === 0) return scrolled(view, key, shown);
  const at = shown.waiting.findIndex(({ id }) => id === view.selected);
  const chosen = shown.waiting[Math.max(0, Math.min(at + step, shown.waiting.length - 1))];
  return chosen === undefined || chosen.id === view.selected ? view : { ...view, selected: chosen.id, top: 0 };
}

function goBack(state: ScreenState, { text }: Key): Pressed {
  if (state.views.length > 1) return { state: back(state) };
  return text === "q" ? { state, effect: { kind: "quit", code: 0 } } : say(state, "q leaves");
}

function open(state: ScreenState, view: View, shown: Shown): ScreenState {
  if (view.kind === "runs") {
    const run = shown.runs.find(({ id }) => id === view.selected);
    return run === undefined ? state : onto(state, { kind: "run", run: run.id, seq: undefined, top: 0, filter: "" });
  }
  if (view.kind === "run") {
    const seq = view.seq ?? shown.keyAt(shown.length - 1);
    return typeof seq === "number" ? onto(state, { kind: "action", run: view.run, seq, top: 0 }) : state;
  }
  const call = view.kind === "waiting" ? shown.waiting.find(({ id }) => id === view.selected) : undefined;
  return call === undefined ? state : onto(state, { kind: "action", run: call.run, seq: call.seq, top: 0 });
}

/** There is one undo at a time, and one view of it: what is under way is looked at again, and never ended by another one. */
function startUndo(state: ScreenState, view: View, { work }: Shown): Pressed {
  const run = view.kind === "runs" ? view.selected : view.kind === "run" || view.kind === "action" ? view.run : undefined;
  if (run === undefined) return { state };
  const isUnderWay = work?.phase === "sending";
  if (isUnderWay && work.run !== run) return say(state, `the undo of ${work.run.slice(0, 8)} is under way: let it end first`);
  const [first, ...more] = state.views;
  const others: ScreenState["views"] = [first, ...more.filter(({ kind }) => kind !== "undo")];
  const next = onto({ ...state, views: others }, { kind: "undo", run, top: isUnderWay ? Number.MAX_SAFE_INTEGER : 0 });
  return isUnderWay ? { state: next } : { state: next, effect: { kind: "undo", run } };
}

function typeInto(state: ScreenState, prompt: Prompt, key: Key): Pressed {
  if (key.name === "escape") return { state: { ...state, prompt: undefined } };
  if (key.name === "enter") return typed({ ...state, prompt: undefined }, prompt);
  const text = key.name === "backspace" ? [...prompt.text].slice(0, -1).join("") : (prompt.text + onOneLine(key)).slice(0, LONGEST_TYPED);
  return { state: { ...state, prompt: { ...prompt, text } } };
}

/** A pasted line break isn't the Enter that denies a call. */
function onOneLine({ name, text }: Key): string {
  return name === "text" || name === "several" ? text.replace(/\p{Cc}+/gu, " ") : "";
}

function typed(state: ScreenState, prompt: Prompt): Pressed {
  if (prompt.kind === "reason") {
    const why = prompt.text.trim();
    return { state: { ...state, message: "answering" }, effect: { kind: "deny", action: prompt.action, why: why === "" ? null : why } };
  }
  const view = topView(state);
  return { state: isList(view) ? replace(state, { ...view, filter: prompt.text.trim(), top: 0 }) : state };
}

function say(state: ScreenState, message: string): Pressed {
  return { state: { ...state, message } };
}

// Where does the screen stand? What fills it, what is being typed, and what has been seen since when, as far as an answer depends on that. Pure.
import type { Listed } from "./scrolling.ts";

/** What fills the screen; those below it are gone back to. `top`: the first line that is shown. */
export type View =
  | { readonly kind: "runs"; readonly selected: string | undefined; readonly top: number; readonly filter: string }
  /** `seq` undefined: the latest, whichever that is. */
  | { readonly kind: "run"; readonly run: string; readonly seq: number | undefined; readonly top: number; readonly filter: string }
  | { readonly kind: "action"; readonly run: string; readonly seq: number; readonly top: number }
  | { readonly kind: "waiting"; readonly selected: string | undefined; readonly top: number }
  | { readonly kind: "undo"; readonly run: string; readonly top: number }
  | { readonly kind: "help"; readonly top: number };

/** A line that is being typed. */
export type Prompt =
  | { readonly kind: "filter"; readonly text: string }
  /** Why the call of this id is denied. */
  | { readonly kind: "reason"; readonly action: string; readonly text: string };

/** Where something stood, and since when (milliseconds). */
export interface Seen {
  readonly place: string;
  readonly since: number;
}

export interface ScreenState {
  /** The last one is what is seen; there is always one. */
  readonly views: readonly [View, ...View[]];
  readonly prompt: Prompt | undefined;
  /** One line about what the last key came to. */
  readonly message: string | undefined;
  /** What an answer could be about, as the last frame showed it. */
  readonly seen: ReadonlyMap<string, Seen>;
  /** The waiting calls of which the end has been on the screen. */
  readonly readToEnd: ReadonlySet<string>;
  /** When the last key came. */
  readonly pressedAt: number;
}

/** How far an undo is. */
export type WorkPhase = "looking" | "asking" | "sending" | "ended";

/** How an undo that was refused or halted could be asked for again. */
export type Offer = "live" | "skip" | "overwrite" | "keep-going";

/** What a frame showed. */
export interface Shown extends Listed {
  /** The runs that are listed. */
  readonly runs: readonly { readonly id: string }[];
  readonly waiting: readonly { readonly id: string; readonly run: string; readonly seq: number }[];
  /** The run that is being undone, or was last, and how far that is; `question` is another one each time. */
  readonly work:
    | { readonly run: string; readonly phase: WorkPhase; readonly question: string; readonly offers: readonly Offer[] }
    | undefined;
  /** What could be answered, and where it stands. */
  readonly places: ReadonlyMap<string, string>;
  /** The waiting call of which the end is seen. */
  readonly end: string | undefined;
}

/** Gives the state in which a screen begins. */
export function firstState(views: ScreenState["views"]): ScreenState {
  return { views, prompt: undefined, message: undefined, seen: new Map(), readToEnd: new Set(), pressedAt: 0 };
}

/** Gives the view that is seen. */
export function topView({ views }: ScreenState): View {
  return views.at(-1) ?? views[0];
}

/** Forgets since when anything has been seen: the screen wasn't there for a while. */
export function unseen(state: ScreenState, now: number): ScreenState {
  return { ...state, seen: new Map(), pressedAt: now };
}

/** Notes what a frame showed: what is new, or stands elsewhere, has been seen since now. */
export function drawn(state: ScreenState, { places, end, waiting }: Shown, now: number): ScreenState {
  const seen = new Map<string, Seen>();
  for (const [id, place] of places) {
    const before = state.seen.get(id);
    seen.set(id, before?.place === place ? before : { place, since: now });
  }
  const still = waiting.filter(({ id }) => id === end || state.readToEnd.has(id)).map(({ id }) => id);
  return { ...state, seen, readToEnd: new Set(still) };
}

/** Chooses another run or call where the chosen one isn't there any more, or none was chosen yet. `index`: where the chosen one was. */
export function chooseAmong(state: ScreenState, ids: readonly string[], index: number): ScreenState {
  const view = topView(state);
  if (view.kind !== "runs" && view.kind !== "waiting") return state;
  if (view.selected !== undefined && ids.includes(view.selected)) return state;
  const selected = ids[Math.max(0, Math.min(index, ids.length - 1))];
  return selected === view.selected ? state : replace(state, { ...view, selected, top: view.kind === "waiting" ? 0 : view.top });
}

/** Puts a view above the one that is seen. */
export function onto(state: ScreenState, view: View): ScreenState {
  return { ...state, views: [...state.views, view] };
}

/** Goes back to the view below; the first one stays. */
export function back(state: ScreenState): ScreenState {
  const [first, ...more] = state.views;
  return { ...state, views: [first, ...more.slice(0, -1)] };
}

/** Puts another view in place of the one that is seen. */
export function replace(state: ScreenState, view: View): ScreenState {
  const [, ...more] = state.views;
  return { ...state, views: more.length === 0 ? [view] : [state.views[0], ...more.slice(0, -1), view] };
}

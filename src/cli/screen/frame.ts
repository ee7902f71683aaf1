// What stands on the screen? Exactly as many lines as fit, none wider than it is, and what of them an answer could be about. Pure: lines of text, which
// somebody else brings to the terminal.
import { cells, fitted, shorten, wrapWords } from "../render/layout.ts";
import type { View as RenderView } from "../render/runs.ts";
import type { Style } from "../render/style.ts";
import { visible } from "../render/visible.ts";
import type { ScreenData, ViewData } from "./data.ts";
import { helpLines, keysText } from "./keys.ts";
import { OFFERS } from "./offers.ts";
import { type Offer, type ScreenState, type Shown, topView, type WorkPhase } from "./state.ts";
import { actionLines, inShortLines, runCallLines, runsLines, titleText, waitingLines, waitingList } from "./views.ts";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** An undo that is looked at, asked about, carried out or ended, as the person sees it. */
export interface Work {
  readonly run: string;
  readonly phase: WorkPhase;
  /** What it printed. */
  readonly text: string;
  /** How far it is, or what it asks. */
  readonly line: string;
  readonly question: string;
  /** How it could be asked for again. */
  readonly offers: readonly Offer[];
}

/** What a frame is made of besides the state and what was read. */
export interface Surroundings {
  readonly size: Size;
  readonly view: RenderView;
  readonly style: Style;
  readonly work: Work | undefined;
}

export interface Frame {
  readonly lines: readonly string[];
  readonly shown: Shown;
}

/** The title, the message or prompt, and the keys. */
const AROUND = 3;

/** Gives how many lines of a list fit below its heads. */
export function pageOf({ rows }: Size): number {
  return Math.max(1, rows - AROUND - 1);
}

/** The middle of a frame: what is seen of how many lines, and what stands above and doesn't move. */
interface Body {
  readonly fixed: readonly string[];
  readonly lines: readonly string[];
  readonly listed: Pick<Shown, "length" | "page" | "top" | "index" | "keyAt">;
}

/** Makes the frame. */
export function frameOf(state: ScreenState, data: ScreenData, around: Surroundings): Frame {
  const { size, style } = around;
  const last = lastLines(state, around);
  const room = Math.max(1, size.rows - AROUND + 1 - last.length);
  const body = bodyOf(state, data, around, room);
  const middle = [...body.fixed, ...body.lines].slice(0, room);
  const blank = Array.from({ length: Math.max(0, room - middle.length) }, () => "");
  const lines = [
    titleText(state, data, body.listed, around),
    ...middle,
    ...blank,
    ...last,
    style.dim(keysText(state, around, { ...body.listed, waiting: data.waiting })),
  ];
  return { lines: lines.slice(0, size.rows), shown: shownOf(state, data, around, body) };
}

function shownOf(state: ScreenState, data: ScreenData, { work }: Surroundings, { listed, lines }: Body): Shown {
  const view = topView(state);
  const places = new Map<string, string>();
  const isWaiting = view.kind === "waiting" && data.view.kind === "waiting" && data.view.call !== undefined;
  const call = isWaiting && data.view.kind === "waiting" ? data.view.call?.facts.action.id : undefined;
  if (call !== undefined && data.view.kind === "waiting") places.set(call, String(data.view.index));
  if (view.kind === "undo" && work?.run === view.run && work.phase === "asking") places.set(work.question, "asked");
  return {
    ...listed,
    runs: data.view.kind === "runs" ? data.view.runs : [],
    waiting: data.waiting,
    work,
    places,
    end: call !== undefined && listed.top + lines.length >= listed.length ? call : undefined,
  };
}

function bodyOf(state: ScreenState, data: ScreenData, around: Surroundings, room: number): Body {
  const view = topView(state);
  const { size, work } = around;
  const { view: read } = data;
  if (view.kind === "runs" && read.kind === "runs") {
    const [heads = "", ...lines] = runsLines(read, around);
    const keyAt = (at: number) => read.runs[at]?.id;
    return { fixed: [heads], lines, listed: { length: read.runs.length, page: pageOf(size), top: read.top, index: read.index, keyAt } };
  }
  if (view.kind === "run" && read.kind === "run") {
    const [heads = "", ...lines] = runCallLines(read, around);
    const keyAt = (at: number) => (read.numbers === undefined ? at + 1 : read.numbers[at]);
    return { fixed: [heads], lines, listed: { length: read.length, page: pageOf(size), top: read.top, index: read.index, keyAt } };
  }
  if (view.kind === "waiting" && read.kind === "waiting") return waitingBody(data, read, view.top, around, room);
  if (view.kind === "action" && read.kind === "action") return textBody(actionLines(read, around), view.top, room);
  if (view.kind === "help") return textBody(helpLines(around), view.top, room);
  if (view.kind === "undo" && work?.run === view.run) return textBody(fitted(work.text, size.columns), view.top, room);
  return textBody([], 0, room);
}

/** Where the whole call doesn't fit, its arguments stand above it in short, so that scrolling pushes no recipient off the screen. */
function waitingBody(
  data: ScreenData,
  read: Extract<ViewData, { kind: "waiting" }>,
  top: number,
  around: Surroundings,
  room: number,
): Body {
  const list = waitingList(data, read.index, around);
  const lines = waitingLines(read.call, around);
  const isWhole = list.length + lines.length <= room;
  return textBody(lines, top, room, isWhole ? list : [...list, ...inShortLines(read.call, around)]);
}

function textBody(lines: readonly string[], wanted: number, room: number, fixed: readonly string[] = []): Body {
  const page = Math.max(1, room - fixed.length);
  const top = Math.max(0, Math.min(wanted, lines.length - page));
  return { fixed, lines: lines.slice(top, top + page), listed: { length: lines.length, page, top, index: -1, keyAt: () => undefined } };
}

/** One line, or as many as it takes to say what a key came to: that may be a refusal with its reason. */
function lastLines({ prompt, message, views }: ScreenState, { size, style, work }: Surroundings): readonly string[] {
  if (prompt !== undefined) {
    const name = prompt.kind === "filter" ? "show only: " : "denied, because (may be empty): ";
    const text = tail(visible(prompt.text), size.columns - name.length - 1);
    return [`${style.bold(shorten(name, size.columns))}${text}_`];
  }
  const line = views.at(-1)?.kind === "undo" && work !== undefined ? workLine(work) : "";
  const lines = wrapWords([message ?? "", line].filter((part) => part !== "").join("  "), size.columns).split("\n");
  const most = Math.max(1, Math.floor(size.rows / 2));
  const kept = lines.length > most ? [...lines.slice(0, most - 1), lines.slice(most - 1).join(" ")] : lines;
  const paint = message === undefined ? style.bold : style.yellow;
  return kept.map((each) => paint(shorten(each, size.columns)));
}

function workLine({ line, phase, offers }: Work): string {
  if (phase !== "ended") return line;
  return offers.map((offer) => `${OFFERS[offer].key}: ${OFFERS[offer].does}.`).join("  ");
}

/** The end of what is typed is what one looks at. */
function tail(text: string, width: number): string {
  const shown = [...text].slice(-Math.max(1, width));
  while (shown.length > 0 && cells(shown.join("")) > width) shown.shift();
  return shown.join("");
}

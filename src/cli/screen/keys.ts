// Which keys are there, and how is that said? Only those that do something now, the most needed first; and all of them, on request. Pure.
import { shorten, wrapWords } from "../render/layout.ts";
import type { Surroundings } from "./frame.ts";
import { OFFERS } from "./offers.ts";
import { type ScreenState, type Shown, topView, type View } from "./state.ts";

/** What it depends on which keys do something. */
type Keyed = Pick<Shown, "length" | "page"> & { readonly waiting: readonly unknown[] };

/** Gives the line at the bottom. However narrow it is, the last key is on it: it leads to all the others. */
export function keysText(state: ScreenState, { work, size: { columns } }: Pick<Surroundings, "work" | "size">, shown: Keyed): string {
  if (state.prompt !== undefined)
    return shorten(state.prompt.kind === "reason" ? "enter deny  esc don't" : "enter show  esc don't", columns);
  const keys = keysOf(topView(state), work, shown);
  const back = state.views.length > 1 ? "esc back" : "q quit";
  const all = keys.map((key) => (key === BACK ? back : key));
  const [last = ""] = all.slice(-1);
  let line = "";
  for (const key of all.slice(0, -1)) {
    if (line.length + key.length + last.length + 2 * GAP.length > columns) break;
    line += key + GAP;
  }
  return shorten(line + last, columns);
}

const GAP = "  ";
const BACK = "back";

function keysOf(view: View, work: Surroundings["work"], { length, page, waiting }: Keyed): readonly string[] {
  const more = length > page ? ["pgdn more"] : [];
  const help = "? help";
  const offers = (work?.offers ?? []).map((offer) => `${OFFERS[offer].key} ${OFFERS[offer].short}`);
  switch (view.kind) {
    case "runs":
    case "run":
      return [
        ...(length > 0 ? ["enter open"] : []),
        ...(length > 0 || view.kind === "run" ? ["u undo"] : []),
        "w waiting",
        "/ filter",
        BACK,
        help,
      ];
    case "action":
      return ["u undo run", BACK, ...more, help];
    case "waiting":
      if (waiting.length === 0) return [BACK, help];
      return ["a approve", "d deny", ...more, ...(waiting.length > 1 ? ["j/k other"] : []), BACK, "enter open", help];
    case "undo":
      if (work?.phase === "asking") return ["y yes", "n no", ...offers, ...more, help];
      return work?.phase === "sending" ? ["^C end", ...more, help] : [...offers, BACK, ...more, help];
    case "help":
      return [...more, BACK];
  }
}

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["enter", "open what is chosen"],
  ["esc, q", "go back; at the first view q leaves"],
  ["j k, ↓ ↑", "choose; in a text: scroll"],
  ["pgdn pgup", "a page (space too); g G: the ends"],
  ["w", "what waits for you"],
  ["a", "let the call that is shown through, once"],
  ["d", "deny it; a reason can be given"],
  ["u", "undo the run: the plan first, then it asks"],
  ["l", "of a run whose agent is connected: undo it through the agent's own session"],
  ["s o c", "where an undo halts: skip, overwrite, go on with the rest"],
  ["/", "show only what has this text in it"],
  ["?", "this"],
  ["ctrl-c", "leave at once"],
];
const KEYS_WIDTH = 11;

const ANSWERS =
  "An answer counts only for the call that is on the screen, after it has stood there for half a second and, to let it through, has been read to its end. What is pasted or typed ahead answers nothing.";

/** Gives the keys and what they do. */
export function helpLines({ size: { columns } }: Pick<Surroundings, "size">): readonly string[] {
  const indent = " ".repeat(KEYS_WIDTH);
  const rows = KEYS.map(([keys, does]) => keys.padEnd(KEYS_WIDTH) + wrapWords(does, columns, indent).trimStart());
  return [...rows, "", wrapWords(ANSWERS, columns)].join("\n").split("\n");
}

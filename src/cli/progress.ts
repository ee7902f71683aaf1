// How far is it? One line on a terminal's stderr that is written over as the work goes on. Never speaks to a program, and never stands in the way of
// other output.
import type { Context } from "./command.ts";
import { cells, shorten } from "./render/layout.ts";

/** What is quick shows nothing, and a line is written at most so often; in milliseconds. */
const FIRST_AFTER = 500;
const EVERY = 100;

export interface Progress {
  /** So many are done. */
  at(done: number): void;
  /** Takes the line away for other output. */
  clear(): void;
  /** Takes the line away for good; a second time does nothing. */
  stop(): void;
}

/** Begins to say `what: 423 of 5,000` on stderr, if it is a terminal; stopped with the command, if not before. */
export function startProgress({ io: { stderr }, defer }: Context, what: string, total: number): Progress {
  if (!stderr.isTerminal) return { at: () => undefined, clear: () => undefined, stop: () => undefined };
  let done = 0;
  let shown = 0;
  let drawn = 0;
  const clear = () => {
    if (shown > 0) stderr.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  const draw = () => {
    clear();
    const of = total.toLocaleString("en");
    const line = shorten(`${what}: ${done.toLocaleString("en")} of ${of} (Ctrl-C ends this)`, stderr.columns - 1);
    stderr.write(line);
    shown = cells(line);
    drawn = performance.now();
  };
  // The first time also where nothing goes on: a server may be slow.
  const timer = setTimeout(draw, FIRST_AFTER);
  const stop = () => {
    clearTimeout(timer);
    clear();
    drawn = Number.POSITIVE_INFINITY;
  };
  defer(stop);
  return {
    clear,
    stop,
    at(number) {
      done = number;
      if (drawn > 0 && performance.now() - drawn >= EVERY) draw();
    },
  };
}

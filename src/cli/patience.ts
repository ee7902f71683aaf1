// Is this still at work? Says so to a person at a terminal, once, when something takes long. Never speaks to a program.
import type { Context } from "./command.ts";

/** After so long a person begins to wonder, in milliseconds. */
const LONG = 3_000;

/** Says on stderr, if it is a terminal and this isn't stopped within 3 s, what is waited for. */
export function sayThatWeWait({ io, note, defer }: Context, what: string): { stop(): void } {
  if (!io.stderr.isTerminal) return { stop: () => undefined };
  const timer = setTimeout(() => note(`synartesis: ${what}, and still waiting for it (Ctrl-C ends this)`), LONG);
  const stop = () => clearTimeout(timer);
  defer(stop);
  return { stop };
}

// What is the state of a thing now? One read through its server, or several that make one state, judged as present, absent or unreadable.
// Never guesses, and never shows a part of what there is.
import { objectFrom } from "../core/json.ts";
import { knowsAbsence, type ReadWords, wordsFor } from "../core/read-terms.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import { callsOfRead, type ResolvedRead } from "../core/resolved-read.ts";
import type { State } from "../core/state.ts";
import { hideState } from "./hide.ts";
import { judgeAnswer, unreadable } from "./judge-answer.ts";
import { readPages } from "./read-pages.ts";
import { type Recorder, reach } from "./recorder.ts";
import { sendRead } from "./send.ts";

/** Reads the state that `read` shows. An error is absence only where the rule names it in words. */
export async function readState(recorder: Recorder, read: ResolvedRead, words: ReadWords): Promise<State> {
  return hideState(recorder.journal, stateOf(await readAll(recorder, read, words)), words.redact);
}

/**
 * Reads the state before a call. Where the rule names no words for absence, every error that the tool reports counts, unless another read of
 * the rule shows something: nothing can be put back either way, and a reversible call is then held.
 */
export async function readStateBefore(recorder: Recorder, read: ResolvedRead, words: ReadWords): Promise<State> {
  const parts = await readAll(recorder, read, words);
  const mayBeAbsent = parts.every(
    ({ state, words: own }) =>
      state.kind === "absent" || (state.kind === "unreadable" && state.cause === "tool-error" && !knowsAbsence(own)),
  );
  return mayBeAbsent ? { kind: "absent" } : hideState(recorder.journal, stateOf(parts), words.redact);
}

/** What one of the reads showed. */
interface Part {
  readonly name: string | undefined;
  readonly words: ReadWords;
  readonly state: State;
}

function readAll(recorder: Recorder, read: ResolvedRead, words: ReadWords): Promise<readonly Part[]> {
  return Promise.all(
    callsOfRead(read).map(async ({ name, ...call }) => {
      const own = wordsFor(words, name);
      return { name, words: own, state: await readOne(recorder, call, own) };
    }),
  );
}

/** Several parts make one state: what is absent is left out of it, and where all are, it is absent. */
function stateOf(parts: readonly Part[]): State {
  const [only] = parts;
  if (only !== undefined && only.name === undefined) return only.state;
  const unread = parts.find(({ state }) => state.kind === "unreadable");
  if (unread?.state.kind === "unreadable") return { ...unread.state, why: `${unread.name}: ${unread.state.why}` };
  const members = parts.flatMap(({ name = "", state }) => (state.kind === "present" ? [[name, state.value] as const] : []));
  return members.length === 0 ? { kind: "absent" } : { kind: "present", value: objectFrom(members) };
}

async function readOne(recorder: Recorder, call: ResolvedCall, words: ReadWords): Promise<State> {
  const reached = await reach(recorder, call);
  if (reached.kind === "failed") return unreadable("failed", `${call.server}.${call.tool} can't be asked: ${reached.why}`);
  const ask = async (page: ResolvedCall) => judgeAnswer(page, await sendRead(reached.sender, page), words);
  return words.pages === undefined ? ask(call) : readPages(call, words.pages, ask);
}

/** Pauses between reads of a state that is expected to change, in milliseconds: some servers answer from an index that lags. */
const PAUSES: readonly number[] = [40, 80, 160];

/** Reads a state, and again after each pause (milliseconds) as long as `isStale` says that it can't be believed yet. */
export async function readUntilFresh(
  recorder: Recorder,
  read: ResolvedRead,
  words: ReadWords,
  isStale: (state: State) => boolean,
  pauses: Iterable<number> = PAUSES,
): Promise<State> {
  let state = await readState(recorder, read, words);
  for (const pause of pauses) {
    if (!isStale(state)) break;
    await new Promise((resolve) => setTimeout(resolve, pause));
    state = await readState(recorder, read, words);
  }
  return state;
}

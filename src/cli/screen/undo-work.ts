// How does an undo run inside of the screen? As the command does, by the same function, with the screen for its terminal: what it prints is the text, what
// it asks is a question there. Never answers that question by itself.

import { SynartesisError } from "../../errors.ts";
import type { Run } from "../../journal/journal.ts";
import type { Context } from "../command.ts";
import type { Io, Output } from "../io.ts";
import type { OpenedJournal } from "../open-journal.ts";
import { errorText } from "../render/error.ts";
import type { HaltChoices } from "../render/plan-sum.ts";
import { visibleLines } from "../render/visible.ts";
import { type ReversingOptions, requestOf } from "../undo/undo-options.ts";
import type { Work } from "./frame.ts";
import type { Offer } from "./state.ts";

/** An undo that was begun. */
export interface UndoWork {
  /** How it looks now. */
  look(): Work;
  /** Gives what it was begun with, and so besides. */
  chosenWith(offer: Offer): UndoChoices;
  /** Answers its question. */
  agree(yes: boolean): void;
  /** Ends it, with the servers that it started; what has been sent is recorded. */
  end(): Promise<void>;
}

const NOTHING_CHOSEN: ReversingOptions = {
  ...{ "dry-run": false, out: undefined, plan: undefined, from: undefined, to: undefined, only: [], server: undefined },
  ...{ resource: undefined, since: undefined, "with-dependents": false, alone: false, "keep-going": false, skip: [], overwrite: [] },
  ...{ "try-expired": false, live: false, yes: false, by: undefined, json: false, journal: undefined, manifest: undefined },
};

/** What a person has chosen besides the run; actions by their ids. */
export interface UndoChoices {
  readonly live: boolean;
  readonly keepGoing: boolean;
  readonly skip: readonly string[];
  readonly overwrite: readonly string[];
}

/** Nothing but the run. */
export const PLAIN: UndoChoices = { live: false, keepGoing: false, skip: [], overwrite: [] };

/** Begins to undo a run, or to redo one that is an undo. `columns`: as wide as the screen is then; `onChange`: it looks otherwise now. */
export function startUndo(
  context: Context,
  opened: OpenedJournal,
  run: Run,
  told: {
    readonly by: string | undefined;
    readonly choices: UndoChoices;
    readonly columns: () => number;
    readonly onChange: () => void;
  },
): UndoWork {
  const deferred: (() => Promise<unknown> | unknown)[] = [];
  const giveUp = new AbortController();
  let work: Work = { run: run.id, phase: "looking", text: "", line: "looking at what is there now", question: "", offers: [] };
  let halt: HaltChoices | undefined;
  let answer: (yes: boolean) => void = () => undefined;
  const change = (news: Partial<Work>) => {
    work = { ...work, ...news };
    told.onChange();
  };
  const print = (text: string) => change({ text: work.text === "" ? text : `${work.text}\n${text}` });
  const ask = (question: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    answer = (yes) => resolve(yes ? "y" : "n");
    // The sum of the plan may be below what is seen of it.
    const sum = work.text.split("\n").findLast((line) => line.startsWith("Plan: "));
    const line = [question.replace("[y/N]", "(y/n)"), sum].filter((part) => part !== undefined).join("  ");
    change({ phase: "asking", line, question: `${run.id} ${work.text.length}` });
    return promise.then((word) => {
      change({ phase: "sending", line: "", offers: [] });
      return word;
    });
  };
  const inner: Context = {
    io: ioOf(context.io, told.columns, ask, (line) => change({ line })),
    signal: giveUp.signal,
    defer: (each) => deferred.push(each),
    print,
    printJson: () => undefined,
    note: print,
  };
  const onHalt = (choices: HaltChoices) => {
    halt = choices;
    change({ offers: offersAt(choices) });
  };
  const ended = perform(inner, opened, run, { ...told, onHalt }).then(
    () => change({ phase: "ended", line: "" }),
    async (error: unknown) => {
      const isRefused = error instanceof SynartesisError && error.code === "refused" && !giveUp.signal.aborted;
      const offers = isRefused ? await offersInstead(opened, run, told.choices) : [];
      print(errorText(error, false).trimEnd());
      change({ phase: "ended", line: "", offers });
    },
  );
  void ended.then(() => cleanUp(deferred));
  return {
    look: () => work,
    chosenWith: (offer) => chosenWith(told.choices, offer, halt),
    agree: (yes) => answer(yes),
    async end() {
      giveUp.abort();
      await cleanUp(deferred);
    },
  };
}

function offersAt({ skip, overwrite, keepGoing }: HaltChoices): readonly Offer[] {
  return [
    ...(skip.length === 0 ? [] : (["skip"] as const)),
    ...(overwrite.length === 0 ? [] : (["overwrite"] as const)),
    ...(keepGoing ? (["keep-going"] as const) : []),
  ];
}

/** Where it came to nothing because its agent is connected, it can go through that agent's session. Where that can't be read, nothing is offered. */
async function offersInstead({ journal }: OpenedJournal, run: Run, { live }: UndoChoices): Promise<readonly Offer[]> {
  const { connectedAgents } = await import("../../undo/live-runs.ts");
  const isConnected =
    !live &&
    (await connectedAgents(journal, run)
      .then(({ held }) => held.length > 0)
      .catch(() => false));
  return isConnected ? ["live"] : [];
}

function chosenWith(choices: UndoChoices, offer: Offer, halt: HaltChoices | undefined): UndoChoices {
  const idsOf = (steps: HaltChoices["skip"] = []) => steps.map(({ action }) => action.id);
  switch (offer) {
    case "live":
      return { ...choices, live: true };
    case "keep-going":
      return { ...choices, keepGoing: true };
    case "skip":
      return { ...choices, skip: [...choices.skip, ...idsOf(halt?.skip)] };
    case "overwrite":
      return { ...choices, overwrite: [...choices.overwrite, ...idsOf(halt?.overwrite)] };
  }
}

async function perform(
  context: Context,
  opened: OpenedJournal,
  run: Run,
  told: { readonly by: string | undefined; readonly choices: UndoChoices; readonly onHalt: (choices: HaltChoices) => void },
): Promise<void> {
  const { performUndo } = await import("../undo/perform-undo.ts");
  const { live, keepGoing, skip, overwrite } = told.choices;
  const options = { ...NOTHING_CHOSEN, by: told.by, live, "keep-going": keepGoing, skip: [...skip], overwrite: [...overwrite] };
  // An undo of a redo is an undo again.
  const target = run.kind === "undo" ? ({ kind: "undo", prefix: run.id } as const) : ({ kind: "run", prefix: run.id } as const);
  const request = requestOf(options, target, undefined, context.io.now());
  await performUndo(context, { opened, request, options, wrappedCommand: undefined, saved: undefined, onHalt: told.onHalt });
}

async function cleanUp(deferred: (() => Promise<unknown> | unknown)[]): Promise<void> {
  for (const work of deferred.splice(0).reverse()) await work();
}

/** The world as the undo sees it: our screen is its terminal. */
function ioOf(io: Io, columns: () => number, ask: (question: string) => Promise<string>, onLine: (line: string) => void): Io {
  const output = (write: (text: string) => void): Output => ({
    write: (data) => write(typeof data === "string" ? data : new TextDecoder().decode(data)),
    isTerminal: true,
    get columns() {
      return columns();
    },
    closed: false,
    onClosed: () => undefined,
  });
  return {
    ...io,
    stdout: output(() => undefined),
    // Only progress is written there, over and over on one line.
    stderr: output((text) => onLine(visibleLines(text.split("\r").at(-1) ?? "").trim())),
    stdin: { ...io.stdin, isTerminal: true },
    readLine: ask,
  };
}

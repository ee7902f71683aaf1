// How does an undo run inside of the screen? As the command does, by the same function, with the screen for its terminal: what it prints is the text, what
// it asks is a question there. Never answers that question by itself.
import type { Run } from "../../journal/journal.ts";
import type { Context } from "../command.ts";
import type { Io, Output } from "../io.ts";
import type { OpenedJournal } from "../open-journal.ts";
import { errorText } from "../render/error.ts";
import { visibleLines } from "../render/visible.ts";
import { type ReversingOptions, requestOf } from "../undo/undo-options.ts";
import type { Work } from "./frame.ts";

/** An undo that was begun. */
export interface UndoWork {
  /** How it looks now. */
  look(): Work;
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

/** Begins to undo a run, or to redo one that is an undo. `columns`: as wide as the screen is then; `onChange`: it looks otherwise now. */
export function startUndo(
  context: Context,
  opened: OpenedJournal,
  run: Pick<Run, "id" | "kind">,
  told: { readonly by: string | undefined; readonly columns: () => number; readonly onChange: () => void },
): UndoWork {
  const deferred: (() => Promise<unknown> | unknown)[] = [];
  const giveUp = new AbortController();
  let work: Work = { run: run.id, phase: "looking", text: "", line: "looking at what is there now", question: "" };
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
      change({ phase: "sending", line: "" });
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
  const ended = perform(inner, opened, run, told.by).then(
    () => change({ phase: "ended", line: "" }),
    (error: unknown) => {
      print(errorText(error, false).trimEnd());
      change({ phase: "ended", line: "" });
    },
  );
  void ended.then(() => cleanUp(deferred));
  return {
    look: () => work,
    agree: (yes) => answer(yes),
    async end() {
      giveUp.abort();
      await cleanUp(deferred);
    },
  };
}

async function perform(context: Context, opened: OpenedJournal, run: Pick<Run, "id" | "kind">, by: string | undefined): Promise<void> {
  const { performUndo } = await import("../undo/perform-undo.ts");
  const options = { ...NOTHING_CHOSEN, by };
  // An undo of a redo is an undo again.
  const target = run.kind === "undo" ? ({ kind: "undo", prefix: run.id } as const) : ({ kind: "run", prefix: run.id } as const);
  const request = requestOf(options, target, undefined, context.io.now());
  await performUndo(context, { opened, request, options, wrappedCommand: undefined, saved: undefined });
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

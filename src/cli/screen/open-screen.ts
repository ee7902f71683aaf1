// What does the screen do from its first frame to its last? Reads what is seen, draws it, hears keys, and does what they ask for: the outer loop around a
// pure model. Never reads or draws more often than a person can see.
import type { Context } from "../command.ts";
import type { OpenedJournal } from "../open-journal.ts";
import { styleOf } from "../view.ts";
import { type AnswerGiver, answerGiver } from "./answers.ts";
import { readData, type ScreenData } from "./data.ts";
import { type Frame, frameOf, pageOf, type Size } from "./frame.ts";
import { openTerminal, type Terminal } from "./ink-terminal.ts";
import { createNotifier } from "./notify.ts";
import { type Effect, type Key, press } from "./press.ts";
import { drawn, firstState, type Offer, type ScreenState, topView, unseen } from "./state.ts";
import { PLAIN, startUndo, type UndoWork } from "./undo-work.ts";

/** How often it is asked whether somebody has written, and how long what depends on the time or on living processes may be stale; in milliseconds. */
const LOOK_EVERY = 100;
const STALE_AFTER = 5_000;
/** So much later, in milliseconds, a shell has stopped us that could. */
const NOT_STOPPED_AFTER = 100;
/** Reading and drawing take at most this part of the time. */
const SHARE = 0.2;

/** What a person said when they opened it. */
export interface ScreenOptions {
  readonly by: string | undefined;
  readonly unknownClient: boolean;
  readonly notify: boolean;
  /** Begins with the runs, not with what waits or the latest run. */
  readonly onRuns: boolean;
}

/** Opens the screen; resolves with the exit code once it is left. */
export async function openScreen(context: Context, opened: OpenedJournal, options: ScreenOptions): Promise<number> {
  const first = firstState(await firstViews(opened, options.onRuns));
  const screen = new Screen(context, opened, options, first);
  // Before the journal is closed, and whatever ended the command.
  context.defer(() => screen.close());
  return screen.left;
}

async function firstViews({ journal }: OpenedJournal, onRuns: boolean): Promise<ScreenState["views"]> {
  const runs = { kind: "runs", selected: undefined, top: 0, filter: "" } as const;
  if (onRuns) return [runs];
  if ((await journal.waiting()).length > 0) return [runs, { kind: "waiting", selected: undefined, top: 0 }];
  const [latest] = await journal.runs({ limit: 1 });
  return latest === undefined ? [runs] : [runs, { kind: "run", run: latest.id, seq: undefined, top: 0, filter: "" }];
}

class Screen {
  readonly left: Promise<number>;
  readonly #leave: (code: number) => void;
  readonly #fail: (error: unknown) => void;
  readonly #context: Context;
  readonly #opened: OpenedJournal;
  readonly #options: ScreenOptions;
  #terminal: Terminal | undefined;
  readonly #answers: AnswerGiver;
  readonly #notify: ReturnType<typeof createNotifier>;
  readonly #stops: (() => void)[] = [];
  #state: ScreenState;
  #size: Size = { columns: 80, rows: 24 };
  #data: ScreenData | undefined;
  #frame: Frame | undefined;
  #work: UndoWork | undefined;
  /** The calls that a person has been told of. */
  #told: ReadonlySet<string> | undefined;
  #mark: number | undefined;
  #readAt = 0;
  #restUntil = 0;
  /** What is seen isn't what was read. */
  #isOld = true;
  #isReading = false;
  #isClosed = false;

  constructor(context: Context, opened: OpenedJournal, options: ScreenOptions, state: ScreenState) {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.left = promise;
    this.#leave = resolve;
    this.#fail = reject;
    this.#context = context;
    this.#opened = opened;
    this.#options = options;
    this.#state = state;
    this.#answers = answerGiver(context, opened.journal, options);
    this.#notify = createNotifier(context.io);
    this.#open();
    const timer = setInterval(() => void this.#look().catch(this.#fail), LOOK_EVERY);
    this.#stops.push(
      () => clearInterval(timer),
      context.io.onSignal("SIGHUP", () => this.#leave(129)),
      // Its shell has had the terminal meanwhile, and set it up for itself.
      context.io.onSignal("SIGCONT", () => void this.#reopen().catch(this.#fail)),
    );
  }

  #open(): void {
    this.#terminal = openTerminal({ onKey: (key) => this.#press(key), onSize: (size) => this.#resize(size) });
  }

  async #reopen(): Promise<void> {
    const terminal = this.#terminal;
    this.#terminal = undefined;
    await terminal?.close();
    if (this.#isClosed || this.#terminal !== undefined) return;
    this.#open();
    this.#state = unseen(this.#state, performance.now());
    this.#draw();
  }

  async #suspend(): Promise<void> {
    const terminal = this.#terminal;
    this.#terminal = undefined;
    await terminal?.close();
    this.#context.io.suspend();
    setTimeout(() => {
      if (this.#terminal === undefined) void this.#reopen().catch(this.#fail);
    }, NOT_STOPPED_AFTER);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    await this.#terminal?.close();
    const work = this.#work;
    const isUnderWay = work?.look().phase === "sending";
    await work?.end();
    // As `undo` would have left it on the terminal.
    if (work !== undefined && isUnderWay) this.#context.note(work.look().text);
  }

  /** Asks, which costs next to nothing, whether there is anything to be read; and reads it, unless the last time was just now. */
  async #look(): Promise<void> {
    if (this.#isReading || this.#isClosed) return;
    this.#isReading = true;
    try {
      const mark = await this.#opened.journal.changeMark();
      const now = performance.now();
      this.#isOld ||= mark !== this.#mark || now - this.#readAt >= STALE_AFTER;
      this.#mark = mark;
      if (!this.#isOld || now < this.#restUntil) return;
      await this.#read();
      this.#readAt = performance.now();
      this.#restUntil = this.#readAt + (this.#readAt - now) / SHARE;
    } finally {
      this.#isReading = false;
    }
  }

  async #read(): Promise<void> {
    this.#isOld = false;
    const asked = this.#state;
    const { data, state } = await readData(this.#opened.journal, asked, pageOf(this.#size), this.#data);
    if (this.#isClosed) return;
    this.#data = data;
    this.#tell(data);
    // A key came meanwhile: what it leads to is read at once.
    if (this.#state === asked) this.#state = state;
    else this.#isOld = true;
    this.#draw();
  }

  #tell({ waiting }: ScreenData): void {
    const told = this.#told;
    this.#told = new Set(waiting.map(({ id }) => id));
    if (told !== undefined && this.#options.notify) this.#notify(waiting.filter(({ id }) => !told.has(id)));
  }

  #draw(): void {
    const { io } = this.#context;
    if (this.#data === undefined || this.#isClosed) return;
    const now = io.now();
    const view = { now, columns: this.#size.columns, command: this.#opened.command };
    this.#frame = frameOf(this.#state, this.#data, { size: this.#size, view, style: styleOf(this.#context), work: this.#work?.look() });
    this.#terminal?.draw(this.#frame.lines);
    this.#state = drawn(this.#state, this.#frame.shown, performance.now());
  }

  #resize(size: Size): void {
    this.#size = size;
    this.#soon();
  }

  #press(key: Key): void {
    if (this.#frame === undefined) {
      if (key.name === "ctrl-c") this.#leave(130);
      return;
    }
    const { state, effect } = press(this.#state, key, this.#frame.shown, performance.now());
    this.#state = state;
    if (effect !== undefined) void this.#perform(effect).catch(this.#fail);
    if (this.#data?.view.kind === topView(state).kind) this.#draw();
    this.#soon();
  }

  /** A person doesn't wait for the next look. */
  #soon(): void {
    this.#isOld = true;
    this.#restUntil = 0;
    void this.#look().catch(this.#fail);
  }

  async #perform(effect: Effect): Promise<void> {
    switch (effect.kind) {
      case "quit":
        return this.#leave(effect.code);
      case "agree":
        return this.#work?.agree(effect.yes);
      case "suspend":
        return this.#suspend();
      case "give-up":
        return this.#work?.end();
      case "undo":
        return this.#undo(effect.run, effect.offer);
      default:
        return this.#answer(effect);
    }
  }

  async #answer(answer: Parameters<AnswerGiver>[0]): Promise<void> {
    const message = await this.#answers(answer);
    // Keys may have come meanwhile, and frames: what they led to stays.
    this.#state = { ...this.#state, message };
    this.#soon();
  }

  async #undo(id: string, offer?: Offer): Promise<void> {
    const before = this.#work;
    const choices = before === undefined || offer === undefined ? PLAIN : before.chosenWith(offer);
    this.#work = undefined;
    await before?.end();
    const run = await this.#opened.journal.findRun(id);
    // Meanwhile it may have been left, or begun a second time.
    const isWanted = this.#state.views.some((view) => view.kind === "undo" && view.run === id);
    if (this.#isClosed || !isWanted || this.#work !== undefined) return;
    this.#work = startUndo(this.#context, this.#opened, run, {
      by: this.#options.by,
      choices,
      columns: () => this.#size.columns,
      onChange: () => this.#draw(),
    });
  }
}

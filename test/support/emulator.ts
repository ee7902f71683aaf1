// What does a person see at a terminal, after cursor movements and all? A real pty whose output goes through a terminal emulator, so that a test reads lines.
import { Terminal as Emulator, type IBufferLine } from "@xterm/headless";
import { until } from "./patience.ts";
import type { Sandbox } from "./sandbox.ts";

/** Cells of one line that are painted alike; `colour` is one of the terminal's first eight. */
export interface Span {
  readonly text: string;
  readonly column: number;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly colour: number | undefined;
}

/** A terminal that is emulated: what a person would have before them. */
export interface EmulatedTerminal extends AsyncDisposable {
  readonly child: Bun.Subprocess;
  /** The lines that are seen now, without blanks at their ends. */
  lines(): readonly string[];
  /** The same, below those that went off its top. */
  text(): string;
  /** The lines that are seen now, with how they are painted. */
  spans(): readonly (readonly Span[])[];
  /** What was asked of the terminal besides: the bell, the alternate screen, the cursor. */
  readonly bells: () => number;
  readonly isAlternate: () => boolean;
  readonly isCursorShown: () => boolean;
  /** All bytes that came, as text. */
  readonly bytes: () => string;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
}

/** Runs a shell's line on an emulated terminal in a sandbox; `$0` is the executable. */
export function emulateTerminal(
  { folder, env: own }: Pick<Sandbox, "folder" | "env">,
  line: string,
  executable: string,
  { columns = 80, rows = 24, env = {} }: { columns?: number; rows?: number; env?: Record<string, string> } = {},
): EmulatedTerminal {
  const emulator = new Emulator({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const decoder = new TextDecoder();
  let bells = 0;
  let bytes = "";
  emulator.onBell(() => {
    bells += 1;
  });
  const child = Bun.spawn(["sh", "-c", line, executable], {
    cwd: folder,
    env: { ...own, TERM: "xterm-256color", ...env },
    terminal: {
      cols: columns,
      rows,
      data(_terminal, data) {
        bytes += decoder.decode(data, { stream: true });
        emulator.write(data);
      },
    },
  });
  emulator.onData((answer) => void child.terminal?.write(answer));
  const linesFrom = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => emulator.buffer.active.getLine(from + at)?.translateToString(true) ?? "");
  return {
    child,
    lines: () => linesFrom(emulator.buffer.active.viewportY, emulator.rows),
    text: () => linesFrom(0, emulator.buffer.active.length).join("\n").trimEnd(),
    spans() {
      const { active } = emulator.buffer;
      return Array.from({ length: emulator.rows }, (_, at) => spansOf(active.getLine(active.viewportY + at)));
    },
    bells: () => bells,
    isAlternate: () => emulator.buffer.active.type === "alternate",
    isCursorShown: () => bytes.lastIndexOf("\u001b[?25h") >= bytes.lastIndexOf("\u001b[?25l"),
    bytes: () => bytes,
    type: (keys) => void child.terminal?.write(keys),
    resize(toColumns, toRows) {
      emulator.resize(toColumns, toRows);
      child.terminal?.resize(toColumns, toRows);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
      emulator.dispose();
    },
  };
}

/** Waits until a text is among the lines that are seen. */
export function shows(screen: EmulatedTerminal, text: string): Promise<void> {
  return until(`the screen shows "${text}"`, () => screen.lines().join("\n").includes(text));
}

function spansOf(line: IBufferLine | undefined): readonly Span[] {
  const spans: Span[] = [];
  for (let column = 0; column < (line?.length ?? 0); column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const colour = cell.isFgPalette() ? cell.getFgColor() : undefined;
    const span = { text: cell.getChars() || " ", column, isBold: cell.isBold() !== 0, isDim: cell.isDim() !== 0, colour };
    const last = spans.at(-1);
    if (last !== undefined && last.isBold === span.isBold && last.isDim === span.isDim && last.colour === colour)
      spans[spans.length - 1] = { ...last, text: last.text + span.text };
    else spans.push(span);
  }
  return spans.map((span) => ({ ...span, text: span.text.trimEnd() })).filter(({ text }) => text !== "");
}

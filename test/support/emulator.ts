// What does a person see at a terminal, after cursor movements and all? A real pty whose output goes through a terminal emulator, so that a test reads rows.
import { Terminal as Emulator } from "@xterm/headless";
import type { Sandbox } from "./sandbox.ts";

export interface EmulatedTerminal {
  readonly child: Bun.Subprocess;
  /** The rows that are on the screen now, and those that went off its top, without blanks at their ends. */
  text(): string;
  /** Everything that was written to it. */
  raw(): string;
  type(keys: string): void;
}

/** Runs a shell's line on a pty in a sandbox; `$0` is the executable. */
export function emulateTerminal(
  { folder, env }: Pick<Sandbox, "folder" | "env">,
  line: string,
  executable: string,
  { columns = 100, rows = 40, more = {} }: { columns?: number; rows?: number; more?: Readonly<Record<string, string>> } = {},
): EmulatedTerminal {
  const emulator = new Emulator({ cols: columns, rows, scrollback: 10_000, allowProposedApi: true });
  const decoder = new TextDecoder();
  let raw = "";
  const child = Bun.spawn(["sh", "-c", line, executable], {
    cwd: folder,
    env: { ...env, TERM: "xterm-256color", ...more },
    terminal: {
      cols: columns,
      rows,
      data(_terminal, bytes) {
        raw += decoder.decode(bytes, { stream: true });
        emulator.write(bytes);
      },
    },
  });
  const text = () => {
    const { active } = emulator.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  };
  return { child, text, raw: () => raw, type: (keys) => void child.terminal?.write(keys) };
}

// How does a test sit at a terminal that can do nothing but print? A real pty with the executable on it; what it printed is read as text, and keys are typed.
import type { Sandbox } from "./sandbox.ts";

export interface Terminal {
  readonly child: Bun.Subprocess;
  /** All that was shown so far. */
  screen(): string;
  type(keys: string): void;
}

/** Runs a shell's line on a pty of its own in a sandbox; `$0` is the executable. */
export function atTerminal(sandbox: Sandbox, line: string, executable: string, columns = 100): Terminal {
  const decoder = new TextDecoder();
  let shown = "";
  const child = Bun.spawn(["sh", "-c", line, executable], {
    cwd: sandbox.folder,
    env: { ...sandbox.env, TERM: "dumb" },
    terminal: {
      cols: columns,
      rows: 40,
      data(_terminal, bytes) {
        shown += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return { child, screen: () => shown.replaceAll("\r\n", "\n"), type: (keys) => void child.terminal?.write(keys) };
}

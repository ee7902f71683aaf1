// What did a person see and type, from the first word to the last? A terminal under tmux, where there is one, else an emulated one, whose screens are kept.
import { join } from "node:path";
import { until } from "./documents.ts";
import { emulateTerminal } from "./emulator.ts";
import type { Sandbox } from "./sandbox.ts";

/** The part of a terminal that a recording needs. */
interface Screen {
  /** The rows that are seen now, and those above them. */
  text(): string;
  type(keys: string): void;
  close(): void;
}

export interface RecordedTerminal extends Disposable {
  /** Waits until the rows say this, and gives them. */
  seen(what: string, isThere: (text: string) => boolean): Promise<string>;
  /** Types, having kept the screen that is answered; `kind` says what the keys are counted as. */
  type(keys: string, kind: string): void;
  /** How many keys were typed, by kind. */
  readonly typed: ReadonlyMap<string, number>;
  /** The screens as they were answered, with the keys, and the last one. */
  recording(): string;
}

const COLUMNS = 100;
const ROWS = 40;

/** Opens a shell on a terminal, in a sandbox, with this environment. */
export function openRecorded(sandbox: Pick<Sandbox, "folder">, env: Readonly<Record<string, string>>): RecordedTerminal {
  const screen = Bun.which("tmux") === null ? emulatedScreen(sandbox, env) : tmuxScreen(sandbox, env);
  const typed = new Map<string, number>();
  const frames: string[] = [];
  return {
    typed,
    async seen(what, isThere) {
      await until(`it shows ${what}`, () => isThere(screen.text()));
      return screen.text();
    },
    type(keys, kind) {
      frames.push(`${lastRows(screen.text())}\n=== typed: ${JSON.stringify(keys)}`);
      typed.set(kind, (typed.get(kind) ?? 0) + keys.length);
      screen.type(keys);
    },
    recording: () => [...frames, lastRows(screen.text())].join("\n\n"),
    [Symbol.dispose]: () => screen.close(),
  };
}

function lastRows(text: string): string {
  return text.split("\n").slice(-ROWS).join("\n");
}

function emulatedScreen({ folder }: Pick<Sandbox, "folder">, env: Readonly<Record<string, string>>): Screen {
  const terminal = emulateTerminal({ folder, env: { ...env } }, "exec sh", "sh", { columns: COLUMNS, rows: ROWS });
  return { ...terminal, close: () => terminal.child.kill("SIGHUP") };
}

function tmuxScreen({ folder }: Pick<Sandbox, "folder">, env: Readonly<Record<string, string>>): Screen {
  const tmux = (...words: string[]): string => {
    const ended = Bun.spawnSync(["tmux", "-S", join(folder, "tmux.socket"), "-f", "/dev/null", ...words], {
      cwd: folder,
      env: { ...env, TERM: "xterm-256color" },
    });
    if (!ended.success) throw new Error(`tmux ${words.join(" ")} failed: ${ended.stderr}`);
    return ended.stdout.toString();
  };
  tmux("new-session", "-d", "-x", String(COLUMNS), "-y", String(ROWS), "sh");
  return {
    text: () => tmux("capture-pane", "-p", "-J", "-S", "-").trimEnd(),
    type: (keys) => void tmux("send-keys", "-H", ...[...new TextEncoder().encode(keys)].map((byte) => byte.toString(16).padStart(2, "0"))),
    close: () => void tmux("kill-server"),
  };
}

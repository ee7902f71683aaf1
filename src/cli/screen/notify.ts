// How does a person hear that a call is held while they look elsewhere? By the terminal's bell, and by the desktop where there is a program for that. What
// an agent wrote is never run, nor read as markup: it is an argument, and only ever a title.
import type { Io } from "../io.ts";
import { countText } from "../render/counts.ts";
import { shorten } from "../render/layout.ts";
import { visible } from "../render/visible.ts";

/** What is said of a call. */
interface Held {
  readonly server: string;
  readonly tool: string;
}

const LONGEST_TITLE = 100;
const APPLE_SCRIPT = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];

/** Gives what tells of calls that are newly held, once for all of them. */
export function createNotifier({ env, stdout }: Pick<Io, "env" | "stdout">): (held: readonly Held[]) => void {
  const program = ["notify-send", "osascript"].map((name) => Bun.which(name, { PATH: env["PATH"] ?? "" })).find((path) => path !== null);
  return (held) => {
    const [first] = held;
    if (first === undefined) return;
    stdout.write("\u0007");
    if (typeof program !== "string") return;
    const what = held.length === 1 ? `${first.server}.${first.tool} waits` : `${countText(held.length, "call")} wait`;
    show(notification(program, shorten(visible(`Synartesis: ${what}`), LONGEST_TITLE), "Approve or deny it: synartesis watch"), env);
  };
}

/** Gives the words that show it. Servers of notifications may take the body for markup, but no title. */
export function notification(program: string, title: string, body: string): readonly string[] {
  if (program.endsWith("osascript")) return [program, ...APPLE_SCRIPT.flatMap((line) => ["-e", line]), title, body];
  return [program, "--app-name=Synartesis", "--", title, body];
}

function show(words: readonly string[], env: Io["env"]): void {
  try {
    Bun.spawn([...words], { env, stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  } catch {
    // The bell has rung, and the screen shows it.
  }
}

// What gives the terminal back if we are killed? A shell that waits for the end of a pipe which only we hold. It leaves a terminal alone that somebody
// else has set up meanwhile.
import { startGuardian } from "../../upstream/guardian.ts";

/** Ends what the screen may have switched on: synchronized output, bracketed paste, the alternate screen, the hidden cursor, colours. */
export const RESET = "\\033[?2026l\\033[?2004l\\033[?1049l\\033[?25h\\033[0m";

/** $1: the modes as they were, $2: as the screen has set them. Nothing it does to the terminal may stop it as a background job. */
const SCRIPT = `
trap '' HUP INT QUIT TERM TSTP TTIN TTOU
read -r word && exit 0
printf '${RESET}'
exec <&1
[ -z "$1" ] || [ "$(stty -g)" != "$2" ] || stty "$1"`;

/** Gives the modes of the terminal that is our input, for stty; "" where they can't be had. */
export function terminalModes(): string {
  try {
    return Bun.spawnSync(["stty", "-g"], { stdin: "inherit", stderr: "ignore" }).stdout.toString().trim();
  } catch {
    return "";
  }
}

/** Watches over the terminal; `before`: its modes as they were, to be called with the screen's own set. Gives what ends that. */
export function guardTerminal(before: string): () => void {
  return startGuardian(SCRIPT, [before, terminalModes()], "inherit");
}

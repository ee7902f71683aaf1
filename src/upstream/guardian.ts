// What ends a server if we are killed ourselves, and it doesn't end with its input? A shell that waits for the end of a pipe which only we hold. It
// touches nothing but the server's own process group, which is known by its leader's start time as well, and what bears the server's mark.
import { MARK } from "./process-tree.ts";

/**
 * Waits for a word (all is well) or the end of its input (we are gone); then gives the group $1, and what bears the mark $2, five seconds, asks them,
 * and ends them. Marks are seen where there is a /proc.
 */
const SCRIPT = `
identity() {
  if [ -r "/proc/$1/stat" ] && read -r line < "/proc/$1/stat"; then set -- \${line##*) }; echo "\${20}"
  else ps -o lstart= -p "$1"; fi 2>/dev/null
}
leader=$1 mark=$2 group=ours
reach() {
  found=1
  if [ "$group" = ours ] && kill -s "$1" -- "-$leader"; then found=0; fi
  for file in $(grep -lsF "${MARK}=$mark" /proc/[0-9]*/environ); do
    file=\${file%/environ}
    if kill -s "$1" "\${file#/proc/}"; then found=0; fi
  done
  return $found
} 2>/dev/null
was=$(identity "$leader")
read -r word && exit 0
for signal in 0 TERM KILL; do
  is=$(identity "$leader")
  [ -z "$is" ] || [ "$is" = "$was" ] || group=reused
  reach "$signal" || exit 0
  turn=0
  while [ "$turn" -lt 50 ]; do
    reach 0 || exit 0
    sleep 0.1
    turn=$((turn + 1))
  done
done`;

/** Watches over the group that a process leads, and what bears its mark. Gives what sends the guardian away; until then it acts when we are gone. */
export function guard(leader: number, mark: string): () => void {
  // Without a shell the server still sees its input end.
  return startGuardian(SCRIPT, [String(leader), mark], "ignore");
}

/**
 * Starts a shell's script that outlives us if we are killed: its input ends then, and has a line if all is well. Gives what sends it away. `stdout`:
 * whether it holds our output, too.
 */
export function startGuardian(script: string, words: readonly string[], stdout: "ignore" | "inherit"): () => void {
  try {
    const child = Bun.spawn(["/bin/sh", "-c", script, "synartesis-guardian", ...words], {
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
      stdin: "pipe",
      stdout,
      stderr: "ignore",
      detached: true, // whoever kills our process group mustn't take it along
    });
    child.unref();
    return () => void dismiss(child.stdin);
  } catch {
    return () => undefined;
  }
}

/** One that was killed is gone already, which is what we want of it. */
async function dismiss(stdin: Bun.FileSink): Promise<void> {
  try {
    await stdin.write("done\n");
    await stdin.end();
  } catch {
    // nobody is there to be told
  }
}

// The manifest of the raw server, and a sandbox set up with it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUN, makeSandbox, type Sandbox } from "./sandbox.ts";

/** A sandbox whose manifest guards the raw server. */
export interface RawSandbox extends Sandbox {
  /** What the server holds, as it was written. */
  state(): string;
  setState(text: string): void;
  /** Each line that reached the server and has this text. */
  lines(text: string): readonly string[];
}

/** Makes a sandbox; `rule` is what stands below `match: "raw.set"`. */
export function makeRaw(state: string, rule: string): RawSandbox {
  const sandbox = makeSandbox();
  const [stateFile, logFile] = [join(sandbox.folder, "state"), join(sandbox.folder, "log")];
  const setState = (text: string) => writeFileSync(stateFile, text);
  setState(state);
  const args = [join(import.meta.dir, "raw-server.ts"), "--state", stateFile, "--log", logFile];
  sandbox.write(
    "synartesis.yaml",
    `version: 1\nservers:\n  raw:\n    command: ${JSON.stringify(BUN)}\n    args: ${JSON.stringify(args)}
tools:\n  - { match: "raw.get", class: readonly }\n  - match: "raw.set"\n${rule}`,
  );
  return {
    ...sandbox,
    setState,
    state: () => readFileSync(stateFile, "utf8"),
    lines: (text) => (existsSync(logFile) ? readFileSync(logFile, "utf8").split("\n") : []).filter((line) => line.includes(text)),
  };
}

/** A rule by which `set` can be undone. */
export const REVERSIBLE = `    class: reversible
    snapshot: { tool: "raw.get", args: {} }
    inverse: { tool: "raw.set", args: { value: "$snapshot.value" } }
`;

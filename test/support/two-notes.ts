// Two notes servers in one manifest, `left` and `right`, each with a state of its own; and whatever other servers a test adds.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NOTES_RULES, type NotesState } from "./notes.ts";
import { BUN, makeSandbox, type Sandbox } from "./sandbox.ts";

export interface TwoNotes extends Sandbox {
  state(server: string): NotesState;
  /** Makes the next call of a tool misbehave (see notes-server.ts). */
  trouble(server: string, tool: string, word: string): void;
  /** Lets a call answer that was told to `wait-after`. */
  letAnswer(server: string, tool: string): void;
}

/** Makes a sandbox whose two servers have the notes a, b, c. `more` are further lines of `servers:`, `options` more options of the two. */
export function makeTwoNotes(more: readonly string[] = [], options: readonly string[] = []): TwoNotes {
  const sandbox = makeSandbox();
  const stateFile = (server: string) => join(sandbox.folder, `${server}.json`);
  const servers = ["left", "right"].map((server) => {
    writeFileSync(stateFile(server), JSON.stringify({ next: 1, notes: { a: "first", b: "second", c: "third" }, sent: [] }));
    const args = [join(import.meta.dir, "notes-server.ts"), "--state", stateFile(server), "--name", `${server}-notes`, ...options];
    return `  ${server}: { command: ${JSON.stringify(BUN)}, args: ${JSON.stringify(args)} }\n`;
  });
  const rules = ["left", "right"].map((server) => NOTES_RULES.replaceAll("notes.", `${server}.`));
  const others = more.map((line) => `  ${line}\n`);
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n${[...servers, ...others].join("")}tools:${rules.join("")}`);
  return {
    ...sandbox,
    state: (server) => JSON.parse(readFileSync(stateFile(server), "utf8")) as NotesState,
    trouble: (server, tool, word) => writeFileSync(`${stateFile(server)}.${tool}`, word),
    letAnswer: (server, tool) => writeFileSync(`${stateFile(server)}.${tool}.go`, ""),
  };
}

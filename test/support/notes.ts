// The manifest of the notes server, and a sandbox set up with it.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUN, makeSandbox, type Sandbox } from "./sandbox.ts";

/** The rule for clearing all notes, which three calls put back one by one. */
export const CLEAR_RULE = `  - match: "notes.clear"
    class: reversible
    snapshot: { tool: "notes.list", absent_when: ["nothing"] }
    inverse:
      - { tool: "notes.set", args: { key: a, value: "$snapshot.notes.a" } }
      - { tool: "notes.set", args: { key: b, value: "$snapshot.notes.b" } }
      - { tool: "notes.set", args: { key: c, value: "$snapshot.notes.c" } }
    resource: "notes"
`;

export interface NotesState {
  readonly next: number;
  readonly notes: Record<string, string>;
  readonly sent: string[];
}

/** A sandbox whose manifest guards the notes server. */
export interface NotesSandbox extends Sandbox {
  state(): NotesState;
  setState(state: NotesState): void;
  /** Makes the next call of a tool misbehave (see notes-server.ts). */
  trouble(tool: string, word: string): void;
  /** Says what the results of a tool tell of their effect. */
  sayEffect(tool: string, effect: object): void;
  /** Lets a call answer that was told to `wait-after`. */
  letAnswer(tool: string): void;
  /** The words that start the server. */
  readonly command: readonly string[];
  /** Writes the manifest anew, with other rules. */
  setRules(rules: string): void;
  /** Every tools/call that reached the server, in order, from whatever process. */
  received(): { name: string; args: Record<string, string> }[];
  /** Every other line that reached the server, in order. */
  heard(): string[];
}

/** The rules of the notes server. */
export const NOTES_RULES = `
  - { match: "notes.get", class: readonly }
  - { match: "notes.list", class: readonly }
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }
    resource: "note:$.key"
  - match: "notes.create"
    class: compensable
    inverse: { tool: "notes.remove", args: { key: "$result.key" } }
    observe: { tool: "notes.get", args: { key: "$result.key" }, absent_when: ["no such note"] }
    resource: "note:$result.key"
  - match: "notes.send"
    class: irreversible
`;

/** One more rule: removing a note can be put back. */
export const REMOVE_RULE = `
  - match: "notes.remove"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }
    resource: "note:$.key"
`;

/** A person's edit of the notes' file; undefined removes a note. */
export function edit(notes: NotesSandbox, changes: Record<string, string | undefined>): void {
  const state = notes.state();
  const merged = Object.entries({ ...state.notes, ...changes }).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  notes.setState({ ...state, notes: Object.fromEntries(merged) });
}

/** Makes a sandbox with three notes: a, b, c. `options` are more options of the server. */
export function makeNotes(rules = NOTES_RULES, options: readonly string[] = []): NotesSandbox {
  const sandbox = makeSandbox();
  const stateFile = join(sandbox.folder, "notes.json");
  const logFile = join(sandbox.folder, "notes.log");
  const args = [join(import.meta.dir, "notes-server.ts"), "--state", stateFile, "--log", logFile, ...options];
  const setRules = (written: string) =>
    sandbox.write(
      "synartesis.yaml",
      `version: 1\nservers:\n  notes:\n    command: ${JSON.stringify(BUN)}\n    args: ${JSON.stringify(args)}\ntools:${written}`,
    );
  setRules(rules);
  const setState = (state: NotesState) => writeFileSync(stateFile, JSON.stringify(state));
  setState({ next: 1, notes: { a: "first", b: "second", c: "third" }, sent: [] });
  return {
    ...sandbox,
    command: [BUN, ...args],
    setRules,
    setState,
    state: () => JSON.parse(readFileSync(stateFile, "utf8")) as NotesState,
    trouble: (tool, word) => writeFileSync(`${stateFile}.${tool}`, word),
    sayEffect: (tool, effect) => writeFileSync(`${stateFile}.${tool}.effect`, JSON.stringify(effect)),
    letAnswer: (tool) => writeFileSync(`${stateFile}.${tool}.go`, ""),
    received: () =>
      existsSync(logFile)
        ? readFileSync(logFile, "utf8")
            .split("\n")
            .slice(0, -1) // after the last line end: nothing, or a line that is just being written
            .map((line) => JSON.parse(line) as { name: string; args: Record<string, string> })
        : [],
    heard: () => (existsSync(`${logFile}.heard`) ? readFileSync(`${logFile}.heard`, "utf8").trimEnd().split("\n") : []),
  };
}

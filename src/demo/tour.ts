// How does `synartesis demo` play? It runs the real executable in a temporary folder, scene by scene, and leaves that folder clean.
// Never touches a journal, a manifest or a home outside that folder.
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SynartesisError } from "../errors.ts";
import { type CrmState, type Operation, updateCustomer } from "./crm/customers.ts";
import { openStateFile, type StateFile } from "./crm/state-file.ts";
import { demoManifest } from "./demo-manifest.ts";
import { SCENES, type Scene, type Step } from "./scenes.ts";
import { customerTable, outboxTable } from "./tables.ts";

/** Where the tour is shown. */
export interface TourIo {
  write(text: string): void;
  /** Whether a person reads along: then the tour waits for a key between scenes. */
  readonly isTerminal: boolean;
  /** Waits for the next key; undefined once there are no more. */
  nextKey(): Promise<string | undefined>;
}

export interface TourOptions {
  readonly io: TourIo;
  /** How to run synartesis: the executable and what goes before its own arguments. */
  readonly self: readonly string[];
  /** The environment for the processes that the tour starts; its home is replaced. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes a command as a person would type it on this machine. */
  typed(words: readonly string[]): string;
  /** Aborted when the person wants to stop (Ctrl-C). */
  readonly signal: AbortSignal;
}

/** `finished`: to the end; `quit`: the person pressed q; `interrupted`: by the signal, or Ctrl-C as a key. */
export type TourEnd = "finished" | "quit" | "interrupted";

interface Stage extends TourOptions {
  readonly folder: string;
  readonly state: StateFile;
}

const STATE_FILE = "crm.json";
const CTRL_C = "\u0003";

/**
 * Plays the tour.
 * @throws SynartesisError bug, if a command of the tour doesn't end as it should
 */
export async function runTour(options: TourOptions): Promise<TourEnd> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "synartesis-demo-")));
  try {
    const state = await openStateFile(join(folder, STATE_FILE), { seed: true });
    await writeFile(join(folder, "synartesis.yaml"), demoManifest([...options.self, "demo", "--crm", "--state", STATE_FILE]));
    return await play({ ...options, folder, state });
  } finally {
    // A proxy that is just ending may still write there.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    options.io.write(`\nThe folder ${folder} is gone again.\n`);
  }
}

async function play(stage: Stage): Promise<TourEnd> {
  stage.io.write(welcome(stage.folder));
  for (const [index, scene] of SCENES.entries()) {
    const turn = await pause(stage);
    if (turn !== "on") return turn;
    await playScene(stage, scene, index + 1);
    if (stage.signal.aborted) return "interrupted";
  }
  stage.io.write(farewell(stage));
  return "finished";
}

function welcome(folder: string): string {
  return [
    "Synartesis is an undo layer for AI agents. This tour shows it at work on a",
    "small CRM that is built in. Everything is real: a server, an agent that is a",
    "client of it, the proxy between them, and the commands that you would type.",
    "",
    `It all happens in ${folder}`,
    "which is removed at the end. Nothing else on this machine is touched.",
    "",
  ].join("\n");
}

function farewell({ typed }: Stage): string {
  return [
    "",
    "That's all. To put Synartesis in front of the servers that your MCP clients",
    "have, and of any other:",
    "",
    `  ${typed(["init"])}`,
    `  ${typed(["init", "NAME", "--", "COMMAND..."])}`,
    "",
  ].join("\n");
}

/** Waits for a key where a person reads along. */
async function pause({ io, signal }: Stage): Promise<"on" | "quit" | "interrupted"> {
  if (signal.aborted) return "interrupted";
  if (!io.isTerminal) return "on";
  // The terminal listens before it asks: a key that comes in between would be lost.
  const pressed = io.nextKey();
  io.write("\n[any key: go on, q: quit] ");
  const aborted = Promise.withResolvers<"aborted">();
  const abort = () => aborted.resolve("aborted");
  signal.addEventListener("abort", abort);
  const key = await Promise.race([pressed, aborted.promise]);
  signal.removeEventListener("abort", abort);
  io.write("\n");
  if (key === "aborted" || key === CTRL_C) return "interrupted";
  return key === "q" || key === "Q" ? "quit" : "on";
}

async function playScene(stage: Stage, scene: Scene, number: number): Promise<void> {
  const title = `${number}. ${scene.title}`;
  stage.io.write(`\n${title}\n${"-".repeat(title.length)}\n`);
  for (const step of scene.steps) {
    if (stage.signal.aborted) return;
    await playStep(stage, step);
  }
}

async function playStep(stage: Stage, step: Step): Promise<void> {
  const { io } = stage;
  switch (step.kind) {
    case "say":
      return io.write(`\n${step.lines.join("\n")}\n\n`);
    case "agent":
      return io.write(await runSelf(stage, ["demo", "--agent", step.script], 0));
    case "command":
      io.write(`$ ${stage.typed(step.words)}\n`);
      return io.write(await runSelf(stage, step.words, step.exit));
    case "customers":
      return io.write(customerTable((await stateNow(stage)).customers));
    case "outbox":
      return io.write(outboxTable((await stateNow(stage)).outbox));
    case "edit":
      io.write(`  ${STATE_FILE}, ${step.id}: ${step.member} = "${step.value}"\n`);
      return edit(stage, step);
  }
}

/** Runs synartesis in the tour's folder and gives what it printed. */
async function runSelf(stage: Stage, words: readonly string[], exit: number): Promise<string> {
  const { self, folder, signal } = stage;
  const env = { ...stage.env, SYNARTESIS_HOME: join(folder, "home") };
  const child = Bun.spawn([...self, ...words], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe", signal });
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== exit && !signal.aborted) {
    const message = `the demo's command "${words.join(" ")}" ended with ${code} instead of ${exit}`;
    throw new SynartesisError("bug", message, { hint: `${output}${errors}`.trim() });
  }
  return `${output}${errors}`;
}

async function stateNow({ state }: Stage): Promise<CrmState> {
  return succeeded(await state.run((now) => ({ kind: "done", value: now })));
}

async function edit({ state }: Stage, { id, member, value }: Extract<Step, { kind: "edit" }>): Promise<void> {
  const now = new Date().toISOString();
  succeeded(await state.run((before) => updateCustomer(before, id, { [member]: value }, now)));
}

function succeeded<Value>(outcome: Operation<Value>): Value {
  if (outcome.kind === "done") return outcome.value;
  throw new SynartesisError("bug", `the demo can't go on: ${outcome.message}`);
}

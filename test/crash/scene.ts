// How does a test get to one moment of a call, and kill what runs at it? From outside only: the server's trouble files, a lock on the
// journal, stopped processes. What has happened is read from the server's log and from the journal itself.
import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent, RpcReply } from "../support/agent.ts";
import type { NotesSandbox } from "../support/notes.ts";
import { until } from "../support/patience.ts";
import { type Ended, EXECUTABLE } from "../support/sandbox.ts";

export interface UndoDocument {
  readonly run: string;
  readonly undoRun: string | null;
  readonly state: string;
  readonly outstanding: number[];
  readonly steps: { seq: number; kind: string; reason: string; end: string | null }[];
}
export interface ShowDocument {
  readonly run: { id: string; kind: string; state: string; pids: number[] };
  readonly actions: { seq: number; tool: string; args: object; status: string; reason: string | null }[];
}

/** Kills at once what a user or the system can kill. */
export function kill(pid: number, signal: "SIGKILL" | "SIGSTOP" | "SIGCONT" | "SIGTERM" | "SIGINT" | "SIGHUP" = "SIGKILL"): void {
  process.kill(pid, signal);
}

/** Stops a process in its tracks; `using` lets it go on, whatever the test comes to. */
export function stop(pid: number): Disposable & { goOn(): void } {
  kill(pid, "SIGSTOP");
  const goOn = () => {
    if (isAlive(pid)) kill(pid, "SIGCONT");
  };
  return { goOn, [Symbol.dispose]: goOn };
}

/** Tells whether a process is there and no zombie. */
export function isAlive(pid: number): boolean {
  return livingOf([pid]).length > 0;
}

/** Those of the processes that are there and no zombies. */
function livingOf(pids: readonly number[]): readonly number[] {
  const { stdout } = Bun.spawnSync(["ps", "-o", "pid=,stat=", "-p", pids.join()]);
  const rows = stdout.toString().split("\n");
  return rows.map((row) => row.trim().split(/\s+/)).flatMap(([pid, state]) => (pid && !state?.startsWith("Z") ? [Number(pid)] : []));
}

/** Gives a process and all that descends from it. */
export function treeOf(pid: number): number[] {
  const rows = processes();
  const tree = [pid];
  for (const parent of tree) tree.push(...rows.filter((row) => row.parent === parent).map((row) => row.pid));
  return tree;
}

/** Waits until none of the processes is left. */
export function gone(pids: readonly number[]): Promise<void> {
  return until(`the end of ${pids.join(", ")}`, () => livingOf(pids).length === 0);
}

function processes(): { pid: number; parent: number; isGuardian: boolean }[] {
  return Bun.spawnSync(["ps", "-axo", "pid=,ppid=,stat=,args="])
    .stdout.toString()
    .split("\n")
    .map((line) => [...line.trim().split(/\s+/, 3), line.includes("synartesis-guardian") ? "guardian" : ""])
    .filter(([pid, , state]) => pid && !state?.startsWith("Z"))
    .map(([pid, parent, , guardian]) => ({ pid: Number(pid), parent: Number(parent), isGuardian: guardian !== "" }));
}

/** Gives the servers below the proxy or the undo: what it started, but for their guardians. */
export function serversBelow(pid: number): readonly number[] {
  return processes()
    .filter((row) => row.parent === pid && !row.isGuardian)
    .map((row) => row.pid);
}

/** Gives the only server. */
export function serverBelow(pid: number): number {
  const [found] = serversBelow(pid);
  if (found === undefined) throw new Error(`no server below ${pid}`);
  return found;
}

/** What the journal holds of each action, oldest first. */
export function recorded(notes: NotesSandbox): { tool: string; status: string }[] {
  const database = new Database(join(notes.folder, ".synartesis", "journal.db"), { readonly: true });
  try {
    const rows = database.query<{ tool: string; status: string }, []>("SELECT tool, status FROM actions ORDER BY event").all();
    return rows.map(({ tool, status }) => ({ tool: JSON.parse(tool) as string, status }));
  } finally {
    database.close();
  }
}

/** Waits until the journal holds an action with these. */
export function hasRecorded(notes: NotesSandbox, tool: string, status: string): Promise<void> {
  return until(`${tool} ${status} in the journal`, () => recorded(notes).some((row) => row.tool === tool && row.status === status));
}

/** Waits until a tool has been called so often at the server, and what trouble was made for it has been taken up. */
export function arrived(notes: NotesSandbox, tool: string, times = 1): Promise<void> {
  const trouble = join(notes.folder, `notes.json.${tool}`);
  return until(`${times} x ${tool} at the server`, () => callsOf(notes, tool) >= times && !existsSync(trouble));
}

/** Waits until a call that was told to wait, and may answer now, has done so. */
export function answered(notes: NotesSandbox, tool: string): Promise<void> {
  const go = join(notes.folder, `notes.json.${tool}.go`);
  return until(`the answer of ${tool}`, () => !existsSync(go));
}

/** Counts the calls of a tool that reached the server. */
export function callsOf(notes: NotesSandbox, tool: string): number {
  return notes.received().filter(({ name }) => name === tool).length;
}

/** Takes the journal's write lock; `using` gives it back. Nobody else can write meanwhile. */
export function lockJournal(notes: NotesSandbox): Disposable & { release(): void } {
  const database = new Database(join(notes.folder, ".synartesis", "journal.db"));
  database.run("PRAGMA busy_timeout=5000; BEGIN IMMEDIATE");
  let held = true;
  const release = () => {
    if (held) database.run("ROLLBACK");
    held = false;
    database.close();
  };
  return { release, [Symbol.dispose]: () => (held ? release() : undefined) };
}

/** Sends a call of the agent whose answer may never come. */
export function begin(agent: Agent, tool: string, args: object): Promise<RpcReply> {
  const reply = agent.request("tools/call", { name: tool, arguments: args });
  reply.catch(() => undefined); // the proxy is killed before it answers
  return reply;
}

/** Waits until the proxy has taken in everything sent to it so far. */
export async function takenIn(agent: Agent): Promise<void> {
  await agent.request("ping");
}

/** Kills the proxy, unless that is done, and waits until everything below it, and the shell above it, has gone. */
export async function killProxy(agent: Agent): Promise<void> {
  if (!isAlive(agent.child.pid)) return;
  const pids = treeOf(agent.child.pid);
  kill(await agent.proxyPid());
  await gone(pids);
}

/** An undo (or what else is said) under way that can be killed. */
export function startUndo(notes: NotesSandbox, words: readonly string[] = ["undo"]): Bun.Subprocess<"ignore", "pipe", "pipe"> {
  return Bun.spawn([EXECUTABLE, ...words], { cwd: notes.folder, env: notes.env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
}

/** Kills an undo and waits until its server has gone as well. */
export async function killUndo(undo: Bun.Subprocess): Promise<void> {
  const pids = treeOf(undo.pid);
  kill(undo.pid);
  await gone(pids);
}

/** Runs the commands that a person has after a crash, and gives what the record says. All of them must work. */
export async function afterCrash(notes: NotesSandbox): Promise<ShowDocument> {
  const shown = await notes.json<ShowDocument>("show");
  const [verified, listed]: Ended[] = await Promise.all([notes.run("audit", "verify"), notes.run("list")]);
  if (verified?.code !== 0) throw new Error(`audit verify: ${verified?.out}${verified?.err}`);
  if (listed?.code !== 0) throw new Error(`list: ${listed?.out}${listed?.err}`);
  return shown;
}

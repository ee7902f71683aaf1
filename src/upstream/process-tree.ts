// Which processes has a server left behind, and how are they ended? Its descendants, what is in the session that we started it in, and, on
// Linux, what bears its mark in the environment: a descendant that left session and parent. Never touches a process that isn't one of those: a pid counts only together with its start time.
import { readdirSync, readFileSync } from "node:fs";
import { kill, platform } from "node:process";

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly start: string;
}

/** The variable that marks a server and what descends from it; its value is new for each start. */
export const MARK = "SYNARTESIS_SERVER";

/** The processes that descend from one that we started as the leader of its own session. */
export class ProcessTree {
  readonly #root: number;
  /** Start times by pid, of every process that ever belonged. */
  readonly #known = new Map<number, string>();
  /** Start times by pid, of processes that don't bear the mark. */
  readonly #strangers = new Map<number, string>();
  readonly #mark: string;

  /** The root has been started with this mark. */
  constructor(root: number, mark: string) {
    this.#root = root;
    this.#mark = `${MARK}=${mark}`;
    const start = processTable().find(({ pid }) => pid === root)?.start;
    if (start !== undefined) this.#known.set(root, start);
  }

  /** Gives the pids that are alive now, those found earlier included, even where their parents have gone. */
  living(): readonly number[] {
    const rows = new Map(processTable().map((row) => [row.pid, row]));
    const rootStart = this.#known.get(this.#root);
    const rootRow = rows.get(this.#root);
    // Somebody else's process with our old pid: then its group and session are somebody else's as well.
    const isReused = rootRow !== undefined && rootStart !== undefined && rootRow.start !== rootStart;
    const belongs = (row: ProcessRow | undefined): boolean => {
      if (row === undefined) return false;
      if (this.#known.get(row.pid) === row.start) return true;
      if (!isReused && (row.pid === this.#root || row.group === this.#root || row.session === this.#root)) return true;
      const parent = rows.get(row.parent);
      return (parent !== undefined && this.#known.get(parent.pid) === parent.start) || this.#isMarked(row);
    };
    for (let before = -1; before !== this.#known.size; ) {
      before = this.#known.size;
      for (const row of rows.values()) if (belongs(row)) this.#known.set(row.pid, row.start);
    }
    return [...this.#known].filter(([pid, start]) => rows.get(pid)?.start === start).map(([pid]) => pid);
  }

  #isMarked({ pid, start }: ProcessRow): boolean {
    if (platform !== "linux" || this.#strangers.get(pid) === start) return false;
    const isMarked = environmentOf(pid).includes(this.#mark);
    if (!isMarked) this.#strangers.set(pid, start);
    return isMarked;
  }

  /** Sends a signal to every one that is alive. Gives those that it went to. */
  signal(name: "SIGTERM" | "SIGKILL"): readonly number[] {
    const living = this.living();
    for (const pid of living) signalOne(pid, name);
    return living;
  }

  /** Waits until none is alive, at most `limit` milliseconds. Gives those that are left. */
  async gone(limit: number): Promise<readonly number[]> {
    const end = performance.now() + limit;
    for (let pause = 5; ; pause = Math.min(pause * 2, 80)) {
      const living = this.living();
      if (living.length === 0 || performance.now() >= end) return living;
      await Bun.sleep(pause);
    }
  }
}

function signalOne(pid: number, name: "SIGTERM" | "SIGKILL"): void {
  try {
    kill(pid, name);
  } catch {
    // It ended in between, or isn't ours to end; either way `living` tells.
  }
}

/** Gives the environment that a process began with; nothing of one that has ended, or isn't ours to read. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}

function processTable(): readonly ProcessRow[] {
  return platform === "linux" ? linuxTable() : psTable();
}

function linuxTable(): readonly ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const name of readdirSync("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    let stat: string;
    try {
      stat = readFileSync(`/proc/${name}/stat`, "latin1");
    } catch {
      continue; // ended while we looked
    }
    // The command's name, in parentheses, may hold anything; fields are counted from behind it (proc(5): state is field 3).
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") continue;
    rows.push({ pid, parent: Number(fields[1]), group: Number(fields[2]), session: Number(fields[3]), start: fields[19] ?? "" });
  }
  return rows;
}

function psTable(): readonly ProcessRow[] {
  const listing = Bun.spawnSync(["ps", "-axo", "pid=,ppid=,pgid=,stat=,lstart="]).stdout.toString();
  return listing.split("\n").flatMap((line) => {
    const [pid, parent, group, state, ...start] = line.trim().split(/\s+/);
    if (pid === undefined || state === undefined || state.startsWith("Z")) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(group), start: start.join(" ") }];
  });
}

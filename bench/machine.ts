// What do the disk, the memory and the processor of this machine say? The cost of one durable commit, what a process holds and uses. Never part of
// what is shipped: the only other user of bun:sqlite is the journal.
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./statistics.ts";

/** About what one intent writes, in bytes. */
const COMMIT_SIZE = 2048;

/** Measures commits that each wait for the disk (WAL, synchronous=FULL), in a database of its own. */
export class CommitMeter {
  readonly #database: Database;

  constructor(folder: string) {
    this.#database = new Database(join(folder, `commits-${crypto.randomUUID()}.db`));
    this.#database.run("PRAGMA journal_mode=WAL");
    this.#database.run("PRAGMA synchronous=FULL");
    this.#database.run("PRAGMA fullfsync=ON");
    this.#database.run("CREATE TABLE writes (number INTEGER PRIMARY KEY, content BLOB NOT NULL)");
  }

  /** Gives the median time of so many commits, in microseconds. */
  measure(count: number): number {
    const insert = this.#database.prepare("INSERT INTO writes (content) VALUES (?)");
    const times: number[] = [];
    for (let number = 0; number < count; number++) {
      const content = crypto.getRandomValues(new Uint8Array(COMMIT_SIZE));
      const start = performance.now();
      insert.run(content);
      times.push((performance.now() - start) * 1000);
    }
    insert.finalize();
    return median(times);
  }

  close(): void {
    this.#database.close();
  }
}

/** Memory of one process in MiB; `peak` is undefined where the system doesn't say. */
export interface Memory {
  readonly now: number;
  readonly peak: number | undefined;
}

/** Asks the system what a running process holds in memory. */
export function memoryOf(pid: number): Memory {
  if (process.platform !== "linux") {
    const { stdout } = Bun.spawnSync(["ps", "-o", "rss=", "-p", String(pid)]);
    return { now: Number(stdout.toString().trim()) / 1024, peak: undefined };
  }
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return { now: kilobytes("VmRSS") / 1024, peak: kilobytes("VmHWM") / 1024 };
}

/** Gives the most that a process has held in memory so far, in MiB; undefined where the system doesn't say, or once the process has ended. */
export function peakOf(pid: number): number | undefined {
  try {
    return memoryOf(pid).peak || undefined;
  } catch {
    return undefined; // it has ended
  }
}

/** A tick of /proc, in microseconds (USER_HZ is 100 on every Linux that has a stable ABI). */
const TICK = 10_000;

/** Gives the processor time that a running process has used, in microseconds, to a hundredth of a second; undefined where there is no /proc. */
export function processorTimeOf(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  // The name, in parentheses, may contain spaces: utime and stime are the 14th and 15th field of all (proc_pid_stat(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

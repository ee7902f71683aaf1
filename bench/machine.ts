// What do the disk and the memory of this machine say? The cost of one durable commit, and what a process holds. Never part of what is
// shipped: the only other user of bun:sqlite is the journal.
import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "./statistics.ts";

/** About what one intent writes, in bytes. */
const COMMIT_SIZE = 2048;

/** Gives the times of `count` commits that each wait for the disk (WAL, synchronous=FULL), as one median, in microseconds. */
export class CommitMeter {
  readonly #database: Database;

  constructor(folder: string) {
    this.#database = new Database(join(folder, `commits-${crypto.randomUUID()}.db`));
    this.#database.run("PRAGMA journal_mode=WAL");
    this.#database.run("PRAGMA synchronous=FULL");
    this.#database.run("PRAGMA fullfsync=ON");
    this.#database.run("CREATE TABLE writes (number INTEGER PRIMARY KEY, content BLOB NOT NULL)");
  }

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

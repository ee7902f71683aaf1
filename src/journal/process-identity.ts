// Which process is this, and is it still alive? By pid, start time and boot, so that a reused pid is another process. Reads the system,
// never signals anything.
import { readFileSync } from "node:fs";
import { pid as ownPid, platform } from "node:process";
import type { ProcessIdentity } from "./journal.ts";

interface ProcessFacts {
  readonly identity: ProcessIdentity;
  readonly parent: number;
}

let self: ProcessIdentity | undefined;
let boot: string | undefined;

/** Gives the identity of the process that runs this. */
export function selfIdentity(): ProcessIdentity {
  // Without a readable process table it is still itself; start ticks of "" match no other process.
  self ??= identityOf(ownPid) ?? { pid: ownPid, startTicks: "", bootId: bootId() };
  return self;
}

/** Gives the identity of a running process; undefined where there is none (a zombie counts as none). */
export function identityOf(pid: number): ProcessIdentity | undefined {
  return factsOf(pid)?.identity;
}

/** Gives the process that started this one, or pid 1 where that is gone; undefined where it can't be seen. */
export function parentIdentity(): ProcessIdentity | undefined {
  return ancestors()[0];
}

/** Gives the parent, its parent and so on of a process (default: this one), up to pid 1: in a container that may be a client. */
export function ancestors(identity: ProcessIdentity = selfIdentity()): readonly ProcessIdentity[] {
  const found: ProcessIdentity[] = [];
  let facts = factsOf(identity.pid);
  if (facts === undefined || !sameProcess(facts.identity, identity)) return found;
  while (facts !== undefined && facts.parent >= 1 && found.length < 256) {
    facts = factsOf(facts.parent);
    if (facts !== undefined) found.push(facts.identity);
  }
  return found;
}

/** Tells whether exactly this process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (sameProcess(identity, selfIdentity())) return true;
  const running = identityOf(identity.pid);
  return running !== undefined && sameProcess(running, identity);
}

/** Tells whether two identities mean the same process. */
export function sameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTicks === b.startTicks && a.bootId === b.bootId;
}

function factsOf(pid: number): ProcessFacts | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return platform === "linux" ? linuxFacts(pid) : bsdFacts(pid);
}

/** proc(5), `stat`: the command stands in parentheses and may hold anything, so the fields are counted from the last ")". */
function linuxFacts(pid: number): ProcessFacts | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined; // no such process
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent] = fields;
  const startTicks = fields[19]; // field 22; the first after the command is field 3
  if (state === undefined || parent === undefined || startTicks === undefined || "ZXx".includes(state)) return undefined;
  return { identity: { pid, startTicks, bootId: bootId() }, parent: Number(parent) };
}

/** ps(1) prints the start to the second; together with pid and boot time that is as exact as it gets on macOS. */
function bsdFacts(pid: number): ProcessFacts | undefined {
  const match = /^\s*(\S+)\s+(\d+)\s+(\S.*\S)\s*$/.exec(output(["/bin/ps", "-o", "stat=,ppid=,lstart=", "-p", String(pid)]));
  const [, state, parent, startTicks] = match ?? [];
  if (state === undefined || parent === undefined || startTicks === undefined || state.startsWith("Z")) return undefined;
  return { identity: { pid, startTicks, bootId: bootId() }, parent: Number(parent) };
}

function bootId(): string {
  boot ??= platform === "linux" ? readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim() : bsdBoot();
  return boot;
}

function bsdBoot(): string {
  return /sec = (\d+)/.exec(output(["/usr/sbin/sysctl", "-n", "kern.boottime"]))?.[1] ?? "";
}

function output(command: string[]): string {
  try {
    return Bun.spawnSync(command, { env: { LC_ALL: "C", TZ: "UTC" }, stderr: "ignore" }).stdout.toString();
  } catch {
    return ""; // not installed: no process is then found alive but ourselves
  }
}

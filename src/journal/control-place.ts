// Where is the control socket of a process that writes this journal? Beside it, under a name that follows from who the process is, so that whoever
// finds it among a run's holders finds it there. A name proves nothing and hides nothing.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256 } from "../core/digest.ts";
import type { ProcessIdentity } from "./journal.ts";
import { identityOf } from "./process-identity.ts";

/** Gives the path of a process' control socket. */
export function controlPlace(journal: string, process: ProcessIdentity): string {
  return join(dirname(journal), nameOf(process));
}

/** Gives the paths of those whose processes are gone. */
export function staleControls(journal: string): readonly string[] {
  const folder = dirname(journal);
  return readdirSync(folder)
    .filter((name) => {
      const pid = /^proxy-(\d+)-[0-9a-f]{12}\.sock$/.exec(name)?.[1];
      if (pid === undefined) return false;
      const running = identityOf(Number(pid));
      return running === undefined || nameOf(running) !== name;
    })
    .map((name) => join(folder, name));
}

function nameOf({ pid, startTicks, bootId }: ProcessIdentity): string {
  return `proxy-${pid}-${sha256(`${startTicks} ${bootId}`).slice(0, 12)}.sock`;
}

// Who may change a folder now? One companion at a time, whichever process it is in: by flock(2) on the folder itself, which ends with the process
// that holds it. Other programs don't ask for it.
import { dlopen, type Pointer, read } from "bun:ffi";
import { closeSync, constants, openSync } from "node:fs";
import type { Folder } from "../folder.ts";
import { Refusal } from "../refusal.ts";

const LOCK_EX_NB = 6;
/** How long another companion may take, in milliseconds; and how often it is looked. */
const PATIENCE = 10_000;
const PAUSE = 5;

/** The C library by its names, where it keeps the number of the last error, and what that is where a lock is taken (EWOULDBLOCK). */
const LIBRARIES = [
  ["libc.so.6", "__errno_location", 11],
  ["libc.musl-x86_64.so.1", "__errno_location", 11],
  ["libc.musl-aarch64.so.1", "__errno_location", 11],
  ["libSystem.B.dylib", "__error", 35],
] as const;

type Outcome = "locked" | "taken" | "impossible";
let tryLock: ((fd: number) => Outcome) | undefined;

function loadLock(): (fd: number) => Outcome {
  for (const [library, place, taken] of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, { flock: { args: ["i32", "i32"], returns: "i32" }, [place]: { args: [], returns: "ptr" } });
      const lastError = symbols[place] as () => Pointer; // declared right here; `dlopen` doesn't see through a computed name
      return (fd) => {
        if (symbols["flock"]?.(fd, LOCK_EX_NB) === 0) return "locked";
        return read.i32(lastError(), 0) === taken ? "taken" : "impossible";
      };
    } catch {
      // Another system: the next name.
    }
  }
  return () => "impossible";
}

/** A folder that is taken until this is disposed of; `isLocked` false: its file system has no such locks. */
export interface FolderLock extends Disposable {
  readonly isLocked: boolean;
}

/** Takes a folder. @throws Refusal where another companion keeps it */
export function lockFolder(folder: Folder): FolderLock {
  tryLock ??= loadLock();
  const fd = openSync(folder.at("."), constants.O_RDONLY | constants.O_DIRECTORY);
  const close = () => closeSync(fd);
  for (let waited = 0; ; waited += PAUSE) {
    const outcome = tryLock(fd);
    if (outcome !== "taken") return { isLocked: outcome === "locked", [Symbol.dispose]: close };
    if (waited >= PATIENCE) {
      close();
      throw new Refusal("another companion is changing this folder");
    }
    Bun.sleepSync(PAUSE);
  }
}

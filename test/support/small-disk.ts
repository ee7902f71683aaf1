// What happens on a disk that is full, or was made read-only? A small file system of a test's own, where the test may mount one.
import { mkdirSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts a file system of so many megabytes in a folder that it makes; its end takes it away again. */
export function smallDisk(folder: string, megabytes: number): Disposable {
  mkdirSync(folder, { recursive: true });
  const { success, stderr } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stderr: "pipe" });
  if (!success) throw new Error(`no disk can be mounted: ${stderr}`);
  return { [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", folder]) };
}

/** Mounts what is there already in another way. */
export function remount(folder: string, options: string): void {
  const { success, stderr } = Bun.spawnSync(["mount", "-o", `remount,${options}`, folder], { stderr: "pipe" });
  if (!success) throw new Error(`${folder} can't be mounted with ${options}: ${stderr}`);
}

/** Why none can be mounted: only root may, and not in every container. Undefined where one can. */
export const NO_DISK = whyNoDisk();

function whyNoDisk(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root of a Linux system may mount a disk";
  const folder = mkdtempSync(join(tmpdir(), "synartesis-mount-"));
  try {
    using _ = smallDisk(folder, 1);
    return undefined;
  } catch {
    return "no disk can be mounted here";
  } finally {
    rmdirSync(folder);
  }
}

// Whose release is it? The version of package.json, the repository that install.sh names, and the time of the last commit.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../../package.json";

/** The folder of the checkout. */
export const ROOT = resolve(import.meta.dir, "../..");
/** The version of package.json. */
export const VERSION = manifest.version;
/** `OWNER/NAME`: install.sh is the one place that says it. */
export const REPOSITORY = /^repository=(\S+)$/m.exec(readFileSync(join(ROOT, "install.sh"), "utf8"))?.[1] ?? "";

/** The name of the archive for a target. */
export function archiveName(version: string, target: string): string {
  return `synartesis-${version}-${target}.tar.gz`;
}

/** Runs a program to its end in the checkout and gives what it printed. Throws, with its words, if it fails. */
export function run(words: readonly string[], cwd = ROOT): string {
  const ended = Bun.spawnSync([...words], { cwd, stderr: "pipe", env: { ...process.env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" } });
  if (!ended.success) throw new Error(`${words.join(" ")} failed (${ended.exitCode}): ${ended.stderr}${ended.stdout}`);
  return ended.stdout.toString();
}

/** The SHA-256 of bytes, in hexadecimal. */
export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}

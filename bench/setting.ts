// Where does a benchmark live, and what does it start? A temporary folder with a manifest, a compiled relay, and the three ways to one
// server: direct, through the relay, through the proxy. Leaves nothing behind.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Command } from "./client.ts";

export const ROOT = resolve(import.meta.dir, "..");

/** The ways to the server that are compared, each as the command that a client starts. */
export interface Ways {
  readonly direct: Command;
  readonly relay: Command;
  readonly proxy: Command;
}
export const WAYS = ["direct", "relay", "proxy"] as const;
export type Way = (typeof WAYS)[number];

export interface Setting extends Disposable {
  readonly folder: string;
  /** Makes the ways to servers of their own, with a journal of its own for the proxy. */
  ways(name: string): Ways;
}

/** Makes the folder and builds the relay, as the proxy is built. `executable`: the proxy that is measured, an absolute path. */
export async function makeSetting(executable: string): Promise<Setting> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-bench-")));
  const relay = join(folder, "relay");
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "relay.ts")],
    minify: true,
    bytecode: true,
    format: "esm",
    compile: { outfile: relay, autoloadBunfig: false, autoloadDotenv: false },
  });
  if (!built.success) throw new Error(`the relay could not be built: ${built.logs.join("\n")}`);
  const home = join(folder, "home");
  mkdirSync(home);
  const env = environment(home);
  const command = (cwd: string, ...words: string[]): Command => ({ words, cwd, env });
  return {
    folder,
    ways(name) {
      const cwd = join(folder, name);
      mkdirSync(cwd);
      const server = [process.execPath, join(import.meta.dir, "server.ts")];
      writeFileSync(join(cwd, "synartesis.yaml"), manifestOf(server));
      return {
        direct: command(cwd, ...server),
        relay: command(cwd, relay, ...server),
        proxy: command(cwd, executable, "proxy"),
      };
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** The environment of whatever is measured. */
export function environment(home: string): Command["env"] {
  return { HOME: home, PATH: process.env["PATH"] ?? "/usr/bin:/bin", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
}

function manifestOf([command, ...args]: readonly string[]): string {
  return `version: 1
servers:
  bench:
    command: ${JSON.stringify(command)}
    args: ${JSON.stringify(args)}
tools:
  - match: "bench.get"
    class: readonly
  - match: "bench.set"
    class: reversible
    snapshot: { tool: "bench.get", args: { key: "$.key" }, absent_when: ["no such key"] }
    inverse: { tool: "bench.set", args: { key: "$.key", value: "$snapshot.value" } }
  - match: "bench.send"
    class: irreversible
    gate: always
`;
}

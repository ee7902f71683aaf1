// Where does a test of the executable live? In a folder and a home of its own, with a cleared environment, running dist/synartesis
// as a user would.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import "./patience.ts";

export const ROOT = join(import.meta.dir, "../..");
/** Built by test/run.sh before the tests start. */
export const EXECUTABLE = join(ROOT, "dist", "synartesis");
/** Runs TypeScript, for servers and agents of the tests' own. */
export const BUN = process.execPath;

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Sandbox extends Disposable {
  readonly folder: string;
  readonly env: Record<string, string>;
  /** Writes a file below the folder and gives its path. */
  write(name: string, content: string | Uint8Array): string;
  /** Runs the executable to its end. */
  run(...words: string[]): Promise<Ended>;
  /** Starts the executable, for a test that stops it or looks at it while it runs. */
  start(...words: string[]): Bun.Subprocess<"ignore", "pipe", "pipe">;
  /** Runs the executable with --json and gives its document. */
  json<T>(...words: string[]): Promise<T>;
}

/** Makes a sandbox; `using` removes it at the end. */
export function makeSandbox(): Sandbox {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-test-")));
  const home = join(folder, "home");
  mkdirSync(home);
  // PATH keeps what runs the real servers of the registries: node.
  const env = { HOME: home, PATH: process.env["PATH"] ?? "/usr/bin:/bin", LANG: "C.UTF-8", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  const start = (...words: string[]) =>
    Bun.spawn([EXECUTABLE, ...words], { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const run = async (...words: string[]): Promise<Ended> => {
    const child = start(...words);
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, out, err };
  };
  return {
    folder,
    env,
    run,
    start,
    write(name, content) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    async json<T>(...words: string[]) {
      const ended = await run(...words, "--json");
      try {
        return JSON.parse(ended.out) as T;
      } catch {
        throw new Error(`no JSON from ${words.join(" ")} (exit ${ended.code}): ${ended.out}${ended.err}`);
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

// Where does the proxy live here? In a folder of its own, with one guarded server, every call of which is recorded as a change, and none held.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The folder, and how the proxy is started in it; further words follow `words`. */
export interface Proxied extends Disposable {
  readonly words: readonly [string, ...string[]];
  readonly options: { readonly cwd: string; readonly env: Record<string, string> };
}

/** Makes the folder. `server`: its entry in the manifest. */
export function makeProxied(server: object): Proxied {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-conformance-")));
  const home = join(cwd, "home");
  mkdirSync(home);
  const tools = [{ match: "fixture.*", class: "irreversible", gate: "never" }];
  writeFileSync(join(cwd, "synartesis.yaml"), JSON.stringify({ version: 1, servers: { fixture: server }, tools }));
  const env = { HOME: home, PATH: process.env["PATH"] ?? "", SYNARTESIS_KEYCHAIN: "off", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
  return {
    words: [join(import.meta.dir, "../../dist/synartesis"), "proxy", "--server", "fixture"],
    options: { cwd, env },
    [Symbol.dispose]: () => rmSync(cwd, { recursive: true, force: true, maxRetries: 10 }),
  };
}

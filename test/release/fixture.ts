// What do the tests of install.sh install from, and on what machine? A release on a server of their own, and a PATH that holds only the tools that a test
// names. Never the network, and never the real home.
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { missing, testUnless } from "../support/needing.ts";
import { type Ended, makeSandbox, ROOT } from "../support/sandbox.ts";

const TOOLS =
  "cat chmod cut dirname getconf grep gzip ldd mkdir mv openssl readlink rm sed sha256sum shasum sysctl tar uname curl wget bash locale sh".split(
    " ",
  );

/** Declares a test in which install.sh fetches and unpacks with this tool, or would. */
export function testInstall(name: string, body: () => Promise<void>, tool: "curl" | "wget" = "curl"): void {
  testUnless(missing("tar") ?? missing("gzip") ?? missing(tool), name, body);
}

/** The two tools that it can fetch with, and for each the other one. */
export const FETCHERS = [
  ["curl", "wget"],
  ["wget", "curl"],
] as const;

/** A release's files by name; a function answers for itself. */
export type Files = Map<string, Uint8Array<ArrayBuffer> | ((request: Request) => Response)>;

/** The archive of an executable that only knows its own version, and that no client starts it. */
export function archiveOf(
  folder: string,
  version: string,
  script = `case "$1" in disconnect) echo "nothing is wrapped there" ;; *) echo "synartesis ${version} (commit 0, test)" ;; esac`,
): Uint8Array<ArrayBuffer> {
  writeFileSync(join(folder, "synartesis"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const packed = Bun.spawnSync(["tar", "-czf", "-", "-C", folder, "synartesis"]);
  rmSync(join(folder, "synartesis"));
  return new Uint8Array(packed.stdout);
}

/** The lines of SHA256SUMS for these files. */
export function sumsOf(files: Files): Uint8Array<ArrayBuffer> {
  const lines = [...files].flatMap(([name, bytes]) =>
    typeof bytes === "function" ? [] : [`${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}  ${name}\n`],
  );
  return new TextEncoder().encode(lines.join(""));
}

/** A server that has a release. */
export interface ReleaseServer extends Disposable {
  /** Where the releases are: what SYNARTESIS_RELEASES says. */
  readonly url: string;
  /** What was asked of it, in order. */
  readonly asked: string[];
}

/** Serves a release's files, below latest/download and download/vVERSION alike, as they are when they are asked for. */
export function serveRelease(version: string, files: Files): ReleaseServer {
  const asked: string[] = [];
  const places = ["/latest/download/", `/download/v${version}/`];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const place = places.find((each) => pathname.startsWith(each));
      const file = place === undefined ? undefined : files.get(pathname.slice(place.length));
      if (file === undefined) return new Response("no such file", { status: 404 });
      return typeof file === "function" ? file(request) : new Response(file);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, asked, [Symbol.dispose]: () => void server.stop(true) };
}

export interface Machine extends ReleaseServer {
  /** What the server has. */
  readonly files: Files;
  readonly folder: string;
  /** The one writable folder on PATH. */
  readonly bin: string;
  /** What lies in `bin`, hidden files too. */
  inBin(): string[];
  /** Puts a script before the tools of PATH. */
  fake(tool: string, script: string): void;
  /** Takes tools away. */
  without(...tools: string[]): void;
  /** Pipes install.sh into a shell, as `curl ... | sh -s -- WORDS` does. */
  install(words: readonly string[], options?: InstallOptions): Promise<Ended>;
  /** The same, for a test that interrupts it: a process group of its own. */
  start(words: readonly string[], options?: InstallOptions): Bun.Subprocess<Uint8Array<ArrayBuffer>, "pipe", "pipe">;
}

export interface InstallOptions {
  readonly shell?: readonly string[];
  readonly env?: Record<string, string | undefined>;
  readonly script?: Uint8Array<ArrayBuffer>;
}

export const INSTALL = new Uint8Array(await Bun.file(join(ROOT, "install.sh")).arrayBuffer());

/** Makes a machine of Linux on x64 with a release 9.9.9 for it; `using` removes both. */
export function makeMachine(): Machine {
  const { folder, env, [Symbol.dispose]: remove } = makeSandbox();
  const [bin, tools, fakes] = [join(folder, "bin"), join(folder, "shims", "tools"), join(folder, "shims", "fakes")];
  for (const made of [bin, tools, fakes]) mkdirSync(made, { recursive: true });
  for (const tool of TOOLS) {
    const real = Bun.which(tool);
    if (real !== null) symlinkSync(real, join(tools, tool));
  }
  const files: Files = new Map();
  for (const target of ["linux-x64", "linux-x64-baseline"]) files.set(`synartesis-9.9.9-${target}.tar.gz`, archiveOf(folder, "9.9.9"));
  files.set("SHA256SUMS", sumsOf(files));
  const { url, asked, [Symbol.dispose]: stop } = serveRelease("9.9.9", files);
  const start = (words: readonly string[], { shell = ["/bin/sh"], env: more = {}, script = INSTALL }: InstallOptions = {}) =>
    Bun.spawn([...shell, "-s", "--", ...words], {
      cwd: folder,
      env: { HOME: env["HOME"], PATH: [bin, fakes, tools].join(":"), SYNARTESIS_RELEASES: url, ...more },
      stdin: script,
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  return {
    url,
    files,
    asked,
    folder,
    bin,
    inBin: () => readdirSync(bin),
    fake: (tool, script) => writeFileSync(join(fakes, tool), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    without(...gone) {
      for (const tool of gone) if (existsSync(join(tools, tool))) rmSync(join(tools, tool));
    },
    start,
    async install(words, options) {
      const child = start(words, options);
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      return { code, out, err };
    },
    [Symbol.dispose]() {
      stop();
      remove();
    },
  };
}

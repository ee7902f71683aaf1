// What does install.sh do as `curl ... | sh`? It puts a release's executable in place, whole and verified, or says why not and leaves nothing.
import { describe, expect } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failing, missing, testUnless } from "../support/needing.ts";
import { archiveOf, FETCHERS, INSTALL, type Machine, makeMachine, sumsOf, testInstall } from "./fixture.ts";

const NAMES = ["synartesis-9.9.9-linux-x64.tar.gz", "synartesis-9.9.9-linux-x64-baseline.tar.gz"];

/** The machine's archives, whichever it takes, are replaced; the checksums stay unless they are wanted too. */
function serve(machine: Machine, file: Uint8Array<ArrayBuffer> | ((request: Request) => Response), sums = false): void {
  for (const name of NAMES) machine.files.set(name, file);
  if (sums) {
    machine.files.delete("SHA256SUMS");
    machine.files.set("SHA256SUMS", sumsOf(machine.files));
  }
}

/** It failed with this code and these words, and nothing is left in the folder. */
async function failed(machine: Machine, code: number, words: string, ...install: Parameters<Machine["install"]>): Promise<void> {
  const before = machine.inBin();
  const ended = await machine.install(...install);
  expect(ended.err).toContain(words);
  expect(ended.code).toBe(code);
  expect(machine.inBin()).toEqual(before);
}

// A busybox without dynamic libraries may crash in its own wget: that one can't be tried.
const crashes =
  Bun.which("busybox") !== null && Bun.spawnSync(["busybox", "wget", "-q", "-O", "-", "http://127.0.0.1:1"]).signalCode !== undefined;
const SHELLS = [["/bin/sh"], ["dash"], ["bash", "--posix"], ["busybox", "ash"]] as const;

describe("it installs", () => {
  for (const shell of SHELLS)
    for (const [tool, other] of FETCHERS) {
      const lacking =
        missing(shell[0]) ?? missing(tool) ?? (shell[0] === "busybox" && tool === "wget" && crashes ? "its wget crashes" : undefined);
      testUnless(lacking, `the latest release with ${tool}, in ${shell.join(" ")}`, async () => {
        using machine = makeMachine();
        machine.without(other);
        const ended = await machine.install([], { shell: [Bun.which(shell[0]) ?? "", ...shell.slice(1)] });
        expect(ended).toMatchObject({ code: 0, err: "" });
        expect(ended.out).toContain(`installed synartesis 9.9.9 (commit 0, test) as ${machine.bin}/synartesis\n`);
        expect(ended.out).toContain("its checksum was verified; its signature wasn't");
        expect(machine.inBin()).toEqual(["synartesis"]);
        expect(machine.asked[0]).toBe("/latest/download/SHA256SUMS");
      });
    }

  testInstall("a named version, with and without its v, into a folder that it makes, and says what PATH lacks", async () => {
    using machine = makeMachine();
    const dir = join(machine.folder, "a new one");
    const ended = await machine.install(["--version", "v9.9.9", "--dir", dir]);
    expect(ended.out).toContain(`${dir} isn't on PATH`);
    expect(ended.code).toBe(0);
    expect((await machine.install(["--version=9.9.9", `--dir=${dir}`])).code).toBe(0);
    expect(new Set(machine.asked.map((path) => path.split("/")[1]))).toEqual(new Set(["download"]));
  });

  testInstall("over an older one, by renaming, and takes it out again", async () => {
    using machine = makeMachine();
    writeFileSync(join(machine.bin, "synartesis"), "#!/bin/sh\necho synartesis 1.0.0\n", { mode: 0o755 });
    expect((await machine.install([])).code).toBe(0);
    expect(readFileSync(join(machine.bin, "synartesis"), "utf8")).toContain("9.9.9");
    const removed = await machine.install(["--uninstall"]);
    expect(removed).toMatchObject({ code: 0, err: "" });
    expect(machine.inBin()).toEqual([]);
  });

  testInstall("with no HOME, where PATH has a folder; and verifies with shasum or openssl where there is no sha256sum", async () => {
    using machine = makeMachine();
    machine.without("sha256sum");
    expect((await machine.install([], { env: { HOME: undefined } })).code).toBe(0);
    machine.without("shasum");
    expect((await machine.install([])).code).toBe(0);
  });
});

describe("it installs nothing", () => {
  testInstall("if the download is cut off, or isn't what the checksums say", async () => {
    using machine = makeMachine();
    const whole = machine.files.get(NAMES[0] ?? "");
    if (!(whole instanceof Uint8Array)) throw new Error("the archive is bytes");
    serve(machine, () => new Response(whole.slice(0, whole.length - 20)));
    await failed(machine, 1, "isn't what the release has: its SHA-256 is ", []);
    serve(machine, archiveOf(machine.folder, "9.9.9", "echo evil"));
    await failed(machine, 1, "nothing was installed", []);
  });

  for (const [tool, other] of FETCHERS) {
    const early = async () => {
      using machine = makeMachine();
      machine.without(other);
      using short = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { data: (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf") },
      });
      await failed(machine, 1, "ended early", [], { env: { SYNARTESIS_RELEASES: `http://127.0.0.1:${short.port}` } });
    };
    testInstall(`if the connection ends before the length that was said, with ${tool}`, early, tool);

    const none = async () => {
      using machine = makeMachine();
      machine.without(other);
      await failed(machine, 1, "is there a network?", [], { env: { SYNARTESIS_RELEASES: "http://127.0.0.1:1" } });
      await failed(machine, 1, `can't fetch ${machine.url}/download/v1.2.3/SHA256SUMS: it isn't there`, ["--version", "1.2.3"]);
      machine.files.set("SHA256SUMS", new TextEncoder().encode("<html>Please log in</html>\n"));
      await failed(machine, 1, "names no executable for linux-x64", []);
    };
    testInstall(`if there is no network, no such release, or none for this machine, with ${tool}`, none, tool);
  }

  testInstall("without the tools to fetch it, to verify it, or to unpack it", async () => {
    using machine = makeMachine();
    machine.without("gzip");
    await failed(machine, 2, "tar and gzip", []);
    machine.without("sha256sum", "shasum", "openssl");
    await failed(machine, 2, "can verify a checksum", []);
    machine.without("curl", "wget");
    await failed(machine, 2, "curl or wget", []);
    expect(machine.asked).toEqual([]);
  });

  testInstall("if the executable doesn't run, or is another version than the release says", async () => {
    using machine = makeMachine();
    writeFileSync(join(machine.bin, "synartesis"), "#!/bin/sh\necho synartesis 1.0.0\n", { mode: 0o755 });
    serve(machine, archiveOf(machine.folder, "9.9.9", "echo 'libstdc++.so.6: no such file' >&2; exit 127"), true);
    await failed(machine, 1, "apk add libstdc++", []);
    serve(machine, archiveOf(machine.folder, "9.9.10"), true);
    await failed(machine, 1, "doesn't run here", []);
    expect(readFileSync(join(machine.bin, "synartesis"), "utf8")).toContain("1.0.0");
  });

  testInstall("over what isn't ours, nor through a link", async () => {
    using machine = makeMachine();
    const file = join(machine.bin, "synartesis");
    symlinkSync(join(machine.folder, "elsewhere"), file);
    await failed(machine, 2, "is a link to", []);
    await failed(machine, 2, "there is no synartesis on PATH", ["--uninstall"]);
    await failed(machine, 2, "is a link to", ["--uninstall", "--dir", machine.bin]);
    writeFileSync(join(machine.folder, "elsewhere"), "#!/bin/sh\necho something else\n", { mode: 0o755 });
    await failed(machine, 2, "is a link to", ["--uninstall"]);
    const other = join(machine.folder, "other");
    mkdirSync(other);
    writeFileSync(join(other, "synartesis"), "mine");
    await failed(machine, 2, "isn't this program", ["--dir", other]);
    await failed(machine, 2, "isn't this program", ["--uninstall", "--dir", other]);
    expect(readFileSync(join(other, "synartesis"), "utf8")).toBe("mine");
    expect(machine.asked).toEqual([]);
  });

  testInstall("where no folder on PATH can be written, and says what to do", async () => {
    using machine = makeMachine();
    chmodSync(machine.bin, 0o555);
    chmodSync(machine.folder, 0o755);
    // root may write anywhere: there, it is tried as somebody else.
    const shell = process.getuid?.() === 0 ? ["/usr/bin/setpriv", "--reuid", "65534", "--clear-groups", "/bin/sh"] : ["/bin/sh"];
    await failed(machine, 2, `mkdir -p "$HOME/.local/bin" && curl -fsSL ${machine.url}/latest/download/install.sh | sh -s -- --dir`, [], {
      shell,
    });
    await failed(machine, 2, "isn't writable for you", ["--dir", machine.bin], { shell });
    expect(machine.asked).toEqual([]);
  });

  testInstall("if it is interrupted while it fetches", async () => {
    using machine = makeMachine();
    const begun = Promise.withResolvers<void>();
    serve(machine, () => {
      begun.resolve();
      return new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(10)) }));
    });
    const child = machine.start([]);
    await begun.promise;
    expect(machine.inBin().join()).toStartWith(".synartesis-install.");
    process.kill(-child.pid, "SIGINT");
    expect(await child.exited).toBe(130);
    expect(machine.inBin()).toEqual([]);
  });

  testInstall("if the script itself is cut off, wherever", async () => {
    using machine = makeMachine();
    // Every place in its last line, and a sample of the others.
    const cuts = Array.from({ length: 40 }, (_, at) => (at < 16 ? INSTALL.length - 2 - at : Math.floor((INSTALL.length * (at - 16)) / 24)));
    for (const cut of cuts) {
      const ended = await machine.install([], { script: INSTALL.slice(0, cut) });
      expect([cut, ended.out, machine.inBin(), machine.asked]).toEqual([cut, "", [], []]);
    }
  });

  testInstall("for words that it doesn't know", async () => {
    using machine = makeMachine();
    await failed(machine, 2, "don't know what to do with --sudo", ["--sudo"]);
    await failed(machine, 2, "--version needs one", ["--version"]);
    await failed(machine, 2, "no version looks like 1.0/../..", ["--version", "1.0/../.."]);
    await failed(machine, 2, "--dir needs a folder", ["--dir", ""]);
  });
});

// A file system of its own, where this system lets a test mount one.
const inMount = (options: string, folder: string) => [
  "unshare",
  "-rm",
  "/bin/sh",
  "-c",
  `mount -t tmpfs -o ${options} none '${folder}' && /bin/sh "$@" && exit; code=$?; ls -A '${folder}' >&2; exit "$code"`,
  "sh",
];
const NO_MOUNT = failing([...inMount("size=64k", "/mnt"), "-c", "true"]);

describe("it installs nothing on a file system", () => {
  const path = process.env["PATH"] ?? "";

  testUnless(NO_MOUNT, "that is full", async () => {
    using machine = makeMachine();
    serve(machine, new Uint8Array(200_000));
    const ended = await machine.install(["--dir", machine.bin], { shell: inMount("size=64k", machine.bin), env: { PATH: path } });
    expect(ended).toMatchObject({ code: 1, err: expect.stringMatching(/is the disk full\?\n$/) });
    serve(machine, archiveOf(machine.folder, "9.9.9", `#${" ".repeat(200_000)}`), true);
    const unpacked = await machine.install(["--dir", machine.bin], { shell: inMount("size=64k", machine.bin), env: { PATH: path } });
    expect(unpacked).toMatchObject({ code: 1, err: expect.stringMatching(/can't unpack .* is the disk full\?\n$/) });
  });

  testUnless(NO_MOUNT, "from which nothing may be run", async () => {
    using machine = makeMachine();
    const ended = await machine.install(["--dir", machine.bin], { shell: inMount("noexec", machine.bin), env: { PATH: path } });
    expect(ended).toMatchObject({ code: 1, err: expect.stringMatching(/\(noexec\).*nothing was installed\n$/) });
  });
});

describe("the signature", () => {
  const asks = (verdict: string) => `case "$*" in *--help) exit 0 ;; esac\necho "$*" >>"$LOG"\n${verdict}`;

  testInstall("is verified where GitHub's tool is, and a wrong one installs nothing", async () => {
    using machine = makeMachine();
    const log = join(machine.folder, "gh.log");
    machine.files.set("synartesis-9.9.9.provenance.jsonl", new TextEncoder().encode("{}\n"));
    machine.fake("gh", asks("exit 0"));
    const ended = await machine.install([], { env: { LOG: log } });
    expect(ended.out).toContain("its checksum and its signature were verified");
    expect(readFileSync(log, "utf8")).toMatch(
      /^attestation verify \S+\.tar\.gz --bundle \S+\.provenance\.jsonl --repo (\S+) --signer-workflow \1\/\.github\/workflows\/release\.yml\n$/,
    );
    await machine.install(["--uninstall"]);
    machine.fake("gh", asks("echo no matching attestations >&2; exit 1"));
    await failed(machine, 1, "no matching attestations", [], { env: { LOG: log } });
  });

  testInstall("that a mirror doesn't have is said to be unverified", async () => {
    using machine = makeMachine();
    machine.fake("gh", asks("exit 1"));
    const ended = await machine.install([]);
    expect(ended).toMatchObject({ code: 0, out: expect.stringContaining(`its signature wasn't: ${machine.url} has none`) });
  });
});

testInstall("in a checkout's folder, a script from a pipe takes the release all the same", async () => {
  using machine = makeMachine();
  mkdirSync(join(machine.folder, "scripts"));
  writeFileSync(join(machine.folder, "scripts", "ensure.sh"), "touch built\n");
  expect((await machine.install([])).code).toBe(0);
  expect(existsSync(join(machine.folder, "built"))).toBe(false);
});

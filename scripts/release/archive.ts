// How does one target's archive come about? Bun's pinned runtime, our program in it, checked, tried where this machine can, and packed so that the same
// commit gives the same bytes. Leaves only the archive.
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import manifest from "../../package.json";
import { formatProblem } from "./executable-format.ts";
import { archiveName, ROOT, run, sha256, VERSION } from "./repository.ts";
import { BUN_VERSION, type Target } from "./targets.ts";

export interface Built {
  readonly target: string;
  readonly archive: string;
  readonly sha256: string;
  /** Of the archive, in bytes. */
  readonly size: number;
  readonly runtime: { readonly package: string; readonly integrity: string };
  /** `ran`: unpacked and tried on the building machine; `format`: only its header, and for macOS its signature, were read. */
  readonly checked: "ran" | "format";
}

/** Builds, checks and packs the executable for a target into a folder. `time` (seconds) is that of the files in the archive. Throws if anything isn't right. */
export function makeArchive(target: Target, folder: string, time: number): Built {
  const work = mkdtempSync(join(tmpdir(), "synartesis-release-"));
  try {
    const executable = join(work, "synartesis");
    const runtime = fetchRuntime(target, work);
    run([process.execPath, "scripts/build.ts", "--target", `bun-${target.name}`, "--runtime", runtime, "--outfile", executable]);
    const problem = formatProblem(readFileSync(executable), target);
    if (problem !== undefined) throw new Error(`the executable for ${target.name}: ${problem}`);
    const archive = archiveName(VERSION, target.name);
    const bytes = pack(work, time);
    writeFileSync(join(folder, archive), bytes);
    const runs = canRun(target);
    if (runs) run(["sh", join(ROOT, "scripts/release/smoke.sh"), join(folder, archive), VERSION, target.name]);
    const { runtime: name, integrity } = target;
    return {
      target: target.name,
      archive,
      sha256: sha256(bytes),
      size: bytes.length,
      runtime: { package: `${name}@${BUN_VERSION}`, integrity },
      checked: runs ? "ran" : "format",
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Fetches Bun's runtime for a target, by npm, and gives its path. Throws if it isn't the pinned one. */
function fetchRuntime({ runtime, integrity }: Target, folder: string): string {
  if (manifest.devDependencies.bun !== BUN_VERSION) throw new Error(`scripts/release/targets.ts pins the runtimes of Bun ${BUN_VERSION}`);
  const packed = run(["npm", "pack", "--silent", "--prefer-offline", "--pack-destination", folder, `${runtime}@${BUN_VERSION}`]).trim();
  const tarball = join(folder, packed);
  const digest = new Bun.CryptoHasher("sha512").update(readFileSync(tarball)).digest("base64");
  if (`sha512-${digest}` !== integrity) throw new Error(`${runtime}@${BUN_VERSION} isn't the one that is pinned`);
  run(["tar", "-xzf", tarball, "-C", folder, "package/bin/bun"]);
  return join(folder, "package", "bin", "bun");
}

/** A tar of the licence and the executable, with nothing in it of the machine or the hour. */
function pack(folder: string, time: number): Uint8Array {
  copyFileSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  for (const [name, mode] of [
    ["LICENSE", 0o644],
    ["synartesis", 0o755],
  ] as const) {
    chmodSync(join(folder, name), mode);
    utimesSync(join(folder, name), time, time);
  }
  const isGnu = run(["tar", "--version"]).includes("GNU");
  const nobody = isGnu ? ["--owner=0", "--group=0", "--numeric-owner"] : ["--uid", "0", "--gid", "0", "--numeric-owner"];
  run(["tar", "--format=ustar", ...nobody, "-cf", "release.tar", "LICENSE", "synartesis"], folder);
  return gzipSync(readFileSync(join(folder, "release.tar")));
}

function canRun({ name, loader }: Target): boolean {
  if (!name.startsWith(`${platform()}-${arch()}`)) return false;
  // An executable for musl needs its C++ library besides.
  return loader === undefined || (existsSync(loader) && (!name.endsWith("musl") || existsSync("/usr/lib/libstdc++.so.6")));
}

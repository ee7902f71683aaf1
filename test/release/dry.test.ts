// Does `npm run release:dry` leave what a release has? It is made for this machine and for Macs of both kinds (all nine targets would take minutes); what is
// in it is looked at, and install.sh installs from it.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import manifest from "../../package.json";
import { signAdHoc, signatureHolds } from "../../scripts/ad-hoc-signature.ts";
import { formatProblem } from "../../scripts/release/executable-format.ts";
import { FORMULA_TARGETS, formulaText } from "../../scripts/release/formula.ts";
import { archiveName, REPOSITORY, sha256, VERSION } from "../../scripts/release/repository.ts";
import { BUN_VERSION, TARGETS } from "../../scripts/release/targets.ts";
import { failing, missing, named } from "../support/needing.ts";
import { EXECUTABLE, ROOT } from "../support/sandbox.ts";
import { makeMachine } from "./fixture.ts";

// Three executables are built, packed and unpacked, on a machine that has more to do.
setDefaultTimeout(240_000);

const host = `${process.platform}-${process.arch}`;
const folder = mkdtempSync(join(tmpdir(), "synartesis-dry-"));
const files = join(folder, "download", `v${VERSION}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function targetNamed(name: string): (typeof TARGETS)[number] {
  const target = TARGETS.find((one) => one.name === name);
  if (target === undefined) throw new Error(`there is no target ${name}`);
  return target;
}

/** The executable in an archive of the dry release. */
function executableFor(target: string): Uint8Array {
  const unpacked = Bun.spawnSync(["tar", "-xOzf", join(files, archiveName(VERSION, target)), "synartesis"]);
  return new Uint8Array(unpacked.stdout);
}

// The runtimes for other systems come from npm's registry (or its cache), as in a release.
const unreachable =
  missing("tar") ?? (failing(["npm", "view", `@oven/bun-darwin-x64@${BUN_VERSION}`, "version"]) && "npm's registry can't be reached");

describe.skipIf(unreachable !== undefined)(named(unreachable, "a dry release"), () => {
  beforeAll(() => {
    const wanted = [...new Set([host, "darwin-arm64", "darwin-x64"])].flatMap((name) => ["--target", name]);
    const made = Bun.spawnSync([process.execPath, join(ROOT, "scripts/release/dry.ts"), "--out", folder, ...wanted], { stderr: "pipe" });
    if (!made.success) throw new Error(`${made.stdout}${made.stderr}`);
  }, 240_000);

  test("has archives, an account of how they were made, what is in them, notes, install.sh, and the right checksum of each", () => {
    const sums = readFileSync(join(files, "SHA256SUMS"), "utf8").trimEnd().split("\n");
    const names = sums.map((line) => line.slice(66));
    expect(names).toEqual(
      readdirSync(files)
        .filter((name) => name !== "SHA256SUMS")
        .sort(),
    );
    for (const line of sums) expect(line).toBe(`${sha256(readFileSync(join(files, line.slice(66))))}  ${line.slice(66)}`);
    expect(names).toContain(archiveName(VERSION, host));
    expect(names).toEqual(expect.arrayContaining(["build.json", "install.sh", "notes.md", `synartesis-${VERSION}.cdx.json`]));
    expect(readFileSync(join(files, "notes.md"), "utf8")).toContain("### Added");
    const { built } = JSON.parse(readFileSync(join(files, "build.json"), "utf8"));
    expect(built).toContainEqual(expect.objectContaining({ target: host, checked: "ran" }));
  });

  test("names in its bill of materials each package that is shipped, and Bun, and no other tool", () => {
    const { components, serialNumber } = JSON.parse(readFileSync(join(files, `synartesis-${VERSION}.cdx.json`), "utf8"));
    const listed = components.map((one: { name: string; version: string; group?: string }) => `${one.name}@${one.version}`);
    for (const [name, version] of Object.entries(manifest.dependencies)) expect(listed).toContain(`${name}@${version}`);
    expect(listed).toContain(`bun@${BUN_VERSION}`);
    expect(listed.filter((name: string) => name.includes("biome"))).toEqual([]);
    expect(serialNumber).toBeUndefined();
  });

  test("is for the machines that the archives' names say, and signed for macOS", () => {
    for (const name of ["darwin-arm64", "darwin-x64"]) {
      const executable = executableFor(name);
      expect(formatProblem(executable, targetNamed(name))).toBeUndefined();
      expect(formatProblem(executable, targetNamed(name === "darwin-x64" ? "darwin-arm64" : "darwin-x64"))).toContain("isn't for");
      executable[50_000] = 1 + (executable[50_000] ?? 0);
      expect(signatureHolds(executable)).toBe(false);
    }
    // Bun itself signs for arm64: ours is, byte for byte, what it makes.
    const signed = executableFor("darwin-arm64");
    expect(Buffer.compare(signAdHoc(signed, "a.out"), signed)).toBe(0);
  });

  test("is what install.sh installs from, and what it installs runs", async () => {
    using machine = makeMachine();
    const served = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => new Response(Bun.file(join(folder, new URL(request.url).pathname))),
    });
    try {
      const ended = await machine.install([], { env: { SYNARTESIS_RELEASES: `http://127.0.0.1:${served.port}` } });
      expect(ended).toMatchObject({ code: 0, err: "" });
    } finally {
      served.stop(true);
    }
    const installed = join(machine.bin, "synartesis");
    const home = join(machine.folder, "elsewhere");
    mkdirSync(home);
    const version = Bun.spawnSync([installed, "--version"], { env: { HOME: home } }).stdout.toString();
    expect(version).toStartWith(`synartesis ${VERSION} (commit `);
    expect(Bun.spawnSync([installed, "demo"], { env: { HOME: home }, stdin: "ignore" }).exitCode).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });
});

test("the executable holds no path of the machine that built it", async () => {
  const bytes = Buffer.from(await Bun.file(EXECUTABLE).arrayBuffer());
  expect(bytes.includes("BUN_BE_BUN")).toBe(true);
  expect(bytes.includes(`${resolve(ROOT)}/`)).toBe(false);
});

test("an executable for another C library or processor isn't taken for the right one", async () => {
  const bytes = new Uint8Array(await Bun.file(EXECUTABLE).arrayBuffer());
  const fitting = TARGETS.filter((target) => formatProblem(bytes, target) === undefined).map(({ name }) => name);
  expect(fitting).toEqual([host, `${host}-baseline`].filter((name) => TARGETS.some((target) => target.name === name)));
});

test("each runtime that package-lock.json knows too is pinned to the same digest there", async () => {
  const lock = await Bun.file(join(ROOT, "package-lock.json")).json();
  expect(manifest.devDependencies.bun).toBe(BUN_VERSION);
  const known = TARGETS.flatMap(({ runtime, integrity }) => {
    const locked = lock.packages[`node_modules/${runtime}`];
    return locked === undefined ? [] : [[runtime, locked.version, locked.integrity === integrity]];
  });
  expect(known.length).toBeGreaterThan(5);
  for (const [runtime, version, same] of known) expect([runtime, version, same]).toEqual([runtime, BUN_VERSION, true]);
});

describe("the formula", () => {
  const digests = new Map(TARGETS.map(({ name }) => [name, sha256(new TextEncoder().encode(name))]));
  const wanted = Object.values(FORMULA_TARGETS).flatMap((system) => Object.values(system));

  test("names each archive that it takes with its checksum, and is Ruby", () => {
    const text = formulaText({ kind: "released", version: "9.9.9", digests });
    for (const target of wanted)
      expect(text).toContain(
        `url "https://github.com/${REPOSITORY}/releases/download/v9.9.9/${archiveName("9.9.9", target)}"\n      sha256 "${digests.get(target)}"`,
      );
    expect(text).not.toContain("disable!");
    if (Bun.which("ruby") !== null)
      expect(Bun.spawnSync(["ruby", "-c", "-"], { stdin: new TextEncoder().encode(text) }).success).toBe(true);
    expect(() => formulaText({ kind: "released", version: "9.9.9", digests: new Map() })).toThrow("no archive for");
  });

  test("and all documents name the repository that install.sh names", () => {
    const names = ["README.md", "docs/install.md", "Formula/synartesis.rb"].map((name) => readFileSync(join(ROOT, name), "utf8"));
    for (const text of names) {
      const found = [...text.matchAll(/github\.com\/([^/\s"]+\/[^/\s"]+)/g)]
        .map(([, repository]) => repository)
        .filter((name) => !name?.startsWith("modelcontextprotocol/"));
      expect(new Set(found)).toEqual(new Set([REPOSITORY]));
    }
  });

  test("in the repository is a release's, or says that there is none yet", () => {
    const text = readFileSync(join(ROOT, "Formula", "synartesis.rb"), "utf8");
    if (text.includes("disable!")) expect(text).toBe(formulaText({ kind: "unreleased" }));
    else {
      const found = [...text.matchAll(/sha256 "([0-9a-f]{64})"/g)].map(([, digest]) => digest);
      expect(new Set(found).size).toBe(wanted.length);
      expect(found).not.toContain("0".repeat(64));
    }
  });
});

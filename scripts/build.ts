// How is the executable made? dist/synartesis from src/main.ts, with nothing beside it, deaf to bunfig.toml and .env of the folder
// it is started in. Never overwrites a running executable in place.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json";
import { signAdHoc, signatureHolds } from "./ad-hoc-signature.ts";
import { FOR_PRODUCTION, withoutDevtools } from "./without-devtools.ts";

const root = resolve(import.meta.dir, "..");
const { values } = parseArgs({ options: { target: { type: "string" }, outfile: { type: "string" }, runtime: { type: "string" } } });
const target = values.target ?? `bun-${platform()}-${arch()}`;
const outfile = resolve(values.outfile ?? join(root, "dist", "synartesis"));

/** The commit of the checkout, with `+dirty` where files differ from it; `unknown` outside of a checkout. */
function commitOf(folder: string): string {
  const git = (...args: string[]) => {
    try {
      const run = Bun.spawnSync(["git", "-C", folder, ...args], { stderr: "ignore" });
      return run.success ? run.stdout.toString().trim() : undefined;
    } catch {
      // No git on this machine.
      return undefined;
    }
  };
  // A package unpacked inside of somebody else's checkout isn't that commit.
  if (git("rev-parse", "--show-prefix") !== "") return "unknown";
  const commit = git("rev-parse", "--short", "HEAD");
  return commit === undefined ? "unknown" : `${commit}${git("status", "--porcelain") === "" ? "" : "+dirty"}`;
}

/** macOS ends a program at the first page that isn't as its signature says. */
function sign(executable: string): void {
  const bytes = readFileSync(executable);
  if (!signatureHolds(bytes)) writeFileSync(executable, signAdHoc(bytes, "synartesis"));
}

mkdirSync(dirname(outfile), { recursive: true });
const folder = mkdtempSync(join(dirname(outfile), ".building-"));
// Always of one name: the executable contains it, and is to be the same whoever builds it.
const half = join(folder, "synartesis");
try {
  const built = await Bun.build({
    entrypoints: [join(root, "src", "main.ts")],
    minify: true,
    bytecode: true,
    format: "esm",
    plugins: [withoutDevtools],
    define: {
      // A package that asks where it lies would have the path on the building machine.
      __dirname: JSON.stringify("/"),
      __filename: JSON.stringify("/package.js"),
      ...FOR_PRODUCTION,
      BUILD_VERSION: JSON.stringify(manifest.version),
      BUILD_COMMIT: JSON.stringify(commitOf(root)),
      BUILD_TARGET: JSON.stringify(target),
    },
    compile: {
      // Cross-compiling takes any target that this Bun knows; an unknown one is its error to report.
      target: target as Bun.Build.CompileTarget,
      outfile: half,
      // The Bun that the program is put into, where it shouldn't be fetched.
      ...(values.runtime === undefined ? {} : { executablePath: resolve(values.runtime) }),
      autoloadBunfig: false,
      autoloadDotenv: false,
    },
  });
  for (const message of built.logs) console.error(message);
  if (target.startsWith("bun-darwin-")) sign(half);
  renameSync(half, outfile);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(outfile);

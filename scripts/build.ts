// How is the executable made? dist/synartesis from src/main.ts, with nothing beside it, deaf to bunfig.toml and .env of the folder
// it is started in. Never overwrites a running executable in place.
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { arch, platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import manifest from "../package.json";

const root = resolve(import.meta.dir, "..");
const { values } = parseArgs({ options: { target: { type: "string" }, outfile: { type: "string" } } });
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

const half = join(dirname(outfile), `.${Math.random().toString(36).slice(2)}.building`);
mkdirSync(dirname(outfile), { recursive: true });
try {
  const built = await Bun.build({
    entrypoints: [join(root, "src", "main.ts")],
    minify: true,
    bytecode: true,
    format: "esm",
    define: {
      BUILD_VERSION: JSON.stringify(manifest.version),
      BUILD_COMMIT: JSON.stringify(commitOf(root)),
      BUILD_TARGET: JSON.stringify(target),
    },
    compile: {
      // Cross-compiling takes any target that this Bun knows; an unknown one is its error to report.
      target: target as Bun.Build.CompileTarget,
      outfile: half,
      autoloadBunfig: false,
      autoloadDotenv: false,
    },
  });
  for (const message of built.logs) console.error(message);
  renameSync(half, outfile);
} finally {
  rmSync(half, { force: true });
}
console.log(outfile);

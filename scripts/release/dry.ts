// How is a release made, all but the upload? `npm run release:dry` leaves dist/release with what the releases' address will serve: download/vVERSION with
// archives, checksums, bill of materials, formula, notes and install.sh, and latest/download. `--target NAME` (repeated) builds only some; `--tag vVERSION`
// is for the workflow, and refuses what isn't exactly that tag's.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Built, makeArchive } from "./archive.ts";
import { FORMULA_TARGETS, formulaText } from "./formula.ts";
import { REPOSITORY, ROOT, run, sha256, VERSION } from "./repository.ts";
import { sbomText } from "./sbom.ts";
import { BUN_VERSION, TARGETS } from "./targets.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    tag: { type: "string" },
    out: { type: "string", default: join(ROOT, "dist", "release") },
  },
});

const commit = run(["git", "rev-parse", "HEAD"]).trim();
const time = Number(run(["git", "log", "-1", "--format=%ct"]));
const targets = TARGETS.filter(({ name }) => values.target?.includes(name) ?? true);
const out = resolve(values.out);
const folder = join(out, "download", `v${VERSION}`);

/** The section of CHANGELOG.md for the version; before its tag, what is unreleased will do. */
function notes(): string {
  const text = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8");
  const section = (name: string) =>
    text
      .split(/^## /m)
      .find((part) => part.startsWith(`[${name}]`))
      ?.replace(/^.*\n+/, "");
  const found = section(VERSION) ?? (values.tag === undefined ? section("Unreleased") : undefined);
  if (found === undefined) throw new Error(`CHANGELOG.md has no section for ${VERSION}`);
  return found;
}

function refuseWrongTag(): void {
  if (values.tag === undefined) return;
  if (values.tag !== `v${VERSION}`) throw new Error(`the tag is ${values.tag}, and package.json says ${VERSION}`);
  if (run(["git", "status", "--porcelain"]) !== "") throw new Error("there are files that aren't committed");
  const owner = process.env["GITHUB_REPOSITORY"];
  if (owner !== undefined && owner !== REPOSITORY) throw new Error(`install.sh names ${REPOSITORY}, and this is ${owner}`);
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function writeFormula(built: readonly Built[]): void {
  const digests = new Map(built.map(({ target, sha256: digest }) => [target, digest]));
  const wanted = Object.values(FORMULA_TARGETS).flatMap((system) => Object.values(system));
  if (wanted.every((target) => digests.has(target))) write("synartesis.rb", formulaText({ kind: "released", version: VERSION, digests }));
  else console.log("no formula: it needs archives that weren't built");
}

/** Every file but the list itself, in the form that `sha256sum -c` reads. */
function writeSums(): void {
  const names = readdirSync(folder).sort();
  write("SHA256SUMS", names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`).join(""));
}

refuseWrongTag();
for (const old of ["download", "latest"]) rmSync(join(out, old), { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const built: Built[] = [];
for (const target of targets) {
  const one = makeArchive(target, folder, time);
  built.push(one);
  console.log(`${one.archive}  ${(one.size / 1e6).toFixed(1)} MB  ${one.checked === "ran" ? "ran here" : "format checked, not run here"}`);
}
write("build.json", `${JSON.stringify({ version: VERSION, commit, bun: BUN_VERSION, built }, null, 2)}\n`);
write(`synartesis-${VERSION}.cdx.json`, sbomText(time));
write("notes.md", notes());
cpSync(join(ROOT, "install.sh"), join(folder, "install.sh"));
writeFormula(built);
writeSums();
mkdirSync(join(out, "latest", "download"), { recursive: true });
for (const name of ["SHA256SUMS", "install.sh"]) cpSync(join(folder, name), join(out, "latest", "download", name));
console.log(`${folder}\ninstall from it: SYNARTESIS_RELEASES=file://${out} sh install.sh --download`);

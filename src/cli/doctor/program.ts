// Which program is this, on which system, and is it the one that a shell would start? Runs others only to ask for their version.
import { accessSync, constants, existsSync } from "node:fs";
import { arch, platform, release } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { RUNTIME_VARIABLES, serverEnvironment } from "../../upstream/environment.ts";
import { samePlace, shellQuote } from "../command-line.ts";
import type { Io } from "../io.ts";
import { VERSION_LINE } from "../version.ts";
import { type Examination, type Finding, findingsOf } from "./finding.ts";

/** How long another program may take to say its version, in milliseconds. */
const VERSION_TIMEOUT = 10_000;
/** Nobody's version is longer, in characters. */
const LONGEST_LINE = 1_000;

/** As in install.sh (is_anothers). */
const ANOTHER_TOOLS = /\/(shims|\.cargo|go|node_modules|\.volta|\.bun|\.deno|\.?venv)\/|pyenv|rbenv|nvm\/|asdf|conda/;

const { ok, note, wrong } = findingsOf("program");

/** Looks at this program, at the one on PATH, and at the environment. */
export async function checkProgram({ context: { io } }: Examination): Promise<readonly Finding[]> {
  const [program = "", ...source] = io.executable;
  const set = RUNTIME_VARIABLES.filter((name) => io.env[name]);
  return [
    ok(`${VERSION_LINE} on ${platform()} ${release()} ${arch()}${await libcText()}`),
    source.length > 0 ? note(`it runs from its source, ${source.join(" ")}`) : await checkPath(io, program),
    ...set.map((name) =>
      wrong(`${name} is set: it changes this program before it begins, and so can hide what an agent did`, { command: `unset ${name}` }),
    ),
  ];
}

async function checkPath(io: Io, program: string): Promise<Finding> {
  const PATH = io.env["PATH"] ?? "";
  const onPath = Bun.which("synartesis", { PATH });
  if (onPath === null) {
    const folder = folderToPutInto(io.home, PATH.split(delimiter));
    const place = folder === undefined ? undefined : `ln -s ${shellQuote(program)} ${shellQuote(join(folder, "synartesis"))}`;
    return note(`${program} isn't on PATH; commands are printed with its whole path`, { command: place });
  }
  if (samePlace(onPath, program)) return ok(`it is the one on PATH: ${onPath}`);
  const version = await versionOf([onPath], io.env);
  if (version === VERSION_LINE) return ok(`${onPath}, on PATH, is the same version as ${program}`);
  const says = version === undefined ? "doesn't say its version" : `is ${version}`;
  return wrong(`the synartesis on PATH, ${onPath}, ${says}; this is ${program}`, {
    command: `ln -sf ${shellQuote(program)} ${shellQuote(onPath)}`,
  });
}

/** As install.sh chooses it: one of the user's own, and none that another tool fills, and empties. */
function folderToPutInto(home: string, onPath: readonly string[]): string | undefined {
  const own = [join(home, ".local/bin"), join(home, "bin"), "/usr/local/bin"].filter((folder) => onPath.includes(folder));
  const others = onPath.filter((folder) => isAbsolute(folder) && !ANOTHER_TOOLS.test(`${folder}/`));
  return [...own, ...others].find(isWritable);
}

/** Asks a program of ours which version it is; undefined where it doesn't say. */
export async function versionOf(program: readonly string[], env: Io["env"]): Promise<string | undefined> {
  return output([...program, "--version"], env, /^synartesis [^\n]{1,200}$/);
}

async function libcText(): Promise<string> {
  if (platform() !== "linux") return "";
  const glibc = await output(["getconf", "GNU_LIBC_VERSION"], {}, /^glibc [\d.]+$/);
  if (glibc !== undefined) return `, ${glibc}`;
  return existsSync(`/lib/ld-musl-${arch() === "arm64" ? "aarch64" : "x86_64"}.so.1`) ? ", musl" : "";
}

/** Gives the first line that a program prints, if it is as expected. */
async function output(words: readonly string[], env: Io["env"], expected: RegExp): Promise<string | undefined> {
  try {
    const child = Bun.spawn([...words], { env: serverEnvironment(env, {}), stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    const line = await firstLine(child.stdout);
    child.kill("SIGKILL");
    return expected.test(line) ? line : undefined;
  } catch {
    return undefined; // it can't be run, so it says nothing
  }
}

/** Gives it without waiting for the end: what the program has started may go on, and print without one. */
async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader();
  const timer = setTimeout(() => void reader.cancel(), VERSION_TIMEOUT);
  const decoder = new TextDecoder();
  let text = "";
  while (!text.includes("\n") && text.length < LONGEST_LINE) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  clearTimeout(timer);
  await reader.cancel();
  return text.split("\n", 1)[0] ?? "";
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

// How is the user's git run on a repository that somebody else may have prepared? With nothing of our environment that would change what it does, no
// configuration but the repository's, and of that nothing that would start another program: no hooks, no monitor, no filters, no transport.
import { isAbsolute } from "node:path";
import { SynartesisError } from "../../errors.ts";
import { Refusal } from "../refusal.ts";

/** Where git is, and what it is started with. */
export interface Git {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface GitEnd {
  readonly ok: boolean;
  /** Without the last line end. */
  readonly out: string;
  readonly err: string;
}

/** Finds git. @throws SynartesisError usage where there is none */
export function findGit(env: Readonly<Record<string, string | undefined>>): Git {
  const path = (env["PATH"] ?? "").split(":").filter(isAbsolute).join(":"); // not what lies in the folder that we happen to be in
  const program = Bun.which("git", { PATH: path });
  if (program === null)
    throw new SynartesisError("usage", "there is no git on the PATH", { hint: "the git companion runs the git that is installed" });
  return { program, env: { PATH: path, ...CLEAN } };
}

const CLEAN = {
  LC_ALL: "C",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_COMMITTER_NAME: "Synartesis",
  GIT_COMMITTER_EMAIL: "synartesis@localhost",
  GIT_AUTHOR_NAME: "Synartesis",
  GIT_AUTHOR_EMAIL: "synartesis@localhost",
} as const;

const SAFE = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "protocol.allow=never",
  "gc.auto=0",
  "maintenance.auto=false",
  "diff.external=",
];

/** Runs git to its end. `settings`: more configuration, which wins; `env`: more of its environment. */
export function runGit(
  { program, env }: Git,
  words: readonly string[],
  options: { cwd: string; settings?: readonly string[]; env?: Readonly<Record<string, string>> },
): GitEnd {
  const settings = [...SAFE, ...(options.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const child = Bun.spawnSync([program, "--no-pager", ...settings, ...words], {
    cwd: options.cwd,
    env: { ...env, ...options.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replace(/\n$/, "");
  return { ok: child.exitCode === 0, out: text(child.stdout), err: text(child.stderr) };
}

/** Gives what git said. @throws Refusal with git's own words where it failed */
export function said(end: GitEnd): string {
  if (end.ok) return end.out;
  const [line = ""] = end.err.split("\n").filter((words) => /^(fatal|error):/.test(words));
  throw new Refusal(`git refused: ${(line || end.err || "it gave no reason").slice(0, 500)}`);
}

// How is the user's git run on a repository that somebody else may have prepared? With nothing of our environment that would change what it does, no
// configuration but the repository's, and of that nothing that would start another program: no hooks, no monitor, no transport (for filters and drivers see
// stand-in.ts). Never waits for ever. Nothing else starts git.
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
  GIT_ALLOW_PROTOCOL: "none", // no protocol's name; unlike protocol.allow it beats the repository's protocol.NAME.allow
  GIT_COMMITTER_NAME: "Synartesis",
  GIT_COMMITTER_EMAIL: "synartesis@localhost",
  GIT_AUTHOR_NAME: "Synartesis",
  GIT_AUTHOR_EMAIL: "synartesis@localhost",
} as const;

const SAFE = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.alternateRefsCommand=",
  "log.showSignature=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "diff.external=",
];

/** How long a git may take that only looks, or moves refs; less than a rule's read may take. */
const LIMIT = 25_000;
/** How long one may take that writes files, in milliseconds: one that is ended in the middle leaves half of them. */
export const WRITING_LIMIT = 600_000;

export interface GitOptions {
  readonly cwd: string;
  /** More configuration as `name=value`, which wins; a name without `=` in it. */
  readonly settings?: readonly string[];
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads from its input. */
  readonly input?: string;
  /** Milliseconds. */
  readonly limit?: number;
}

/** Runs git to its end. @throws Refusal where it takes too long */
export function runGit({ program, env }: Git, words: readonly string[], options: GitOptions): GitEnd {
  const { cwd, limit = LIMIT, input } = options;
  const settings = [...SAFE, ...(options.settings ?? [])].flatMap((setting) => ["-c", setting]);
  const child = Bun.spawnSync([program, "--no-pager", ...settings, ...words], {
    cwd,
    env: { ...env, ...options.env },
    stdin: input === undefined ? "ignore" : Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
    timeout: limit,
  });
  if (child.exitedDueToTimeout === true) throw new Refusal(`git ${words[0]} was ended: it took longer than ${limit / 1000} s`);
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replace(/\n$/, "");
  return { ok: child.exitCode === 0, out: text(child.stdout), err: text(child.stderr) };
}

/** Gives what git said. @throws Refusal with git's own words where it failed */
export function said(end: GitEnd): string {
  if (end.ok) return end.out;
  const [line = ""] = end.err.split("\n").filter((words) => /^(fatal|error):/.test(words));
  throw new Refusal(`git refused: ${(line || end.err || "it gave no reason").slice(0, 500)}`);
}

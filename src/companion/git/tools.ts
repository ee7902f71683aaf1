// Which tools does the git companion have? One that shows the state of a repository, and changes that are made only if it still is as it was left.
import { resolve } from "node:path";
import { SynartesisError } from "../../errors.ts";
import { Refusal } from "../refusal.ts";
import { Roots } from "../roots.ts";
import { type CompanionTool, serveTools, type Zod } from "../serve-tools.ts";
import { deleteRef, popStash, restoreHead, restoreRef, storeStash } from "./change-refs.ts";
import { restoreIndex } from "./index-file.ts";
import { openRepository, type Repository } from "./repository.ts";
import { findGit, type Git } from "./run-git.ts";
import { refState, stateOf } from "./state.ts";

/** Opens a repository for a piece of work. */
type Within = <Value>(repo: string | undefined, work: (repository: Repository) => Value) => Value;

/** Serves the companion for repositories, and for folders with repositories. @throws SynartesisError usage where one isn't there or is none, or git isn't there */
export async function serveGit(options: {
  repositories: readonly string[];
  folders: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}): Promise<void> {
  const named = [...options.repositories, ...options.folders];
  const roots = new Roots(named, options.cwd);
  const git = findGit(options.env);
  const [only, ...more] = named;
  const one = only !== undefined && more.length === 0 ? resolve(options.cwd, only) : undefined;
  for (const repository of options.repositories) checkRepository(git, roots, resolve(options.cwd, repository));
  const within: Within = (repo, work) => {
    using repository = openRepository(git, roots, one, repo);
    return work(repository);
  };
  const instructions = "Shows where a git repository stands, and puts refs, index and stashes back only if they still are what you say.";
  await serveTools({ name: "synartesis-git", title: "Synartesis git companion", instructions }, (z) => [
    stateTool(z, within),
    ...headTools(z, within),
    ...refTools(z, within),
    ...stashTools(z, within),
  ]);
}

/** One that can't be used is said at once, not by the first call of an undo. @throws SynartesisError usage */
function checkRepository(git: Git, roots: Roots, place: string): void {
  try {
    openRepository(git, roots, undefined, place);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const hint = "--repo takes the top of a repository, --root a folder with repositories";
    throw new SynartesisError("usage", `${place} can't be used as a repository: ${error.message}`, { hint });
  }
}

interface InRepo {
  readonly repo?: string | undefined;
}

interface Unfinished {
  readonly under_way?: string | null | undefined;
}

interface HeadArgs extends InRepo, Unfinished {
  readonly to: string | null;
  readonly if_head: string;
  readonly if_branch?: string | null | undefined;
  readonly if_index_tree?: string | undefined;
  readonly keep?: boolean | undefined;
}

function stateTool(z: Zod, within: Within): CompanionTool {
  return {
    name: "state",
    title: "State of a repository, or of one ref",
    description:
      "Shows HEAD, its branch, the tree of the index, whether files differ, and the stashes; with `branch` or `ref`, where that one is. A ref that isn't there is { exists: false }.",
    input: {
      repo: repoShape(z),
      branch: z.string().optional(),
      ref: z
        .string()
        .regex(/^refs\//, "give the ref's full name, like refs/tags/v1")
        .optional()
        .describe("In full: refs/heads/... or refs/tags/..."),
    },
    output: {
      exists: z.boolean(),
      at: z.string().optional().describe("What the ref points at"),
      missing: z.array(z.string()).optional().describe("The branch or ref, where it isn't there"),
      head: z.string().nullable().optional().describe("Null before the first commit"),
      branch: z.string().nullable().optional().describe("Null where HEAD is detached"),
      checkout: z.string().nullable().optional().describe("What to check out to be there again: the branch, else the commit"),
      under_way: z.string().nullable().optional().describe("A merge, a rebase, ... that isn't finished"),
      index_tree: z.string().nullable().optional().describe("Null where the index stands for no tree (conflicts)"),
      dirty: z.boolean().optional().describe("Tracked files differ from the index"),
      staged: z.boolean().optional().describe("The index differs from HEAD"),
      stashes: z.array(z.string()).optional().describe("The latest first"),
    },
    reads: true,
    run({ repo, branch, ref }: InRepo & { branch?: string; ref?: string }) {
      return within(repo, (repository) => {
        if (ref !== undefined) return refState(repository, ref, ref);
        return branch === undefined ? stateOf(repository) : refState(repository, `refs/heads/${branch}`, branch);
      });
    },
  };
}

function headTools(z: Zod, within: Within): readonly CompanionTool[] {
  const sha = shaShape(z);
  return [
    {
      name: "restore_head_if",
      title: "Move HEAD back if it hasn't moved",
      description:
        "Moves HEAD's branch (or a detached HEAD) to a commit if it is where you say. Index and files stay; with `keep` they go along, unless a local change is in the way.",
      input: {
        repo: repoShape(z),
        to: sha.nullable().describe("Null: to before the first commit"),
        if_head: sha,
        if_branch: z.string().nullable().optional().describe("HEAD has to be on this branch; null: detached"),
        if_index_tree: sha.optional(),
        under_way: underWayShape(z),
        keep: z.boolean().optional(),
      },
      output: { restored: z.boolean() },
      reads: false,
      run(args: HeadArgs) {
        refuseUnfinished(args);
        const { to, if_head: ifHead, if_branch: ifBranch, if_index_tree: ifIndexTree, keep = false } = args;
        return within(args.repo, (repository) => restoreHead(repository, { to, ifHead, ifBranch, ifIndexTree, keep }));
      },
    },
    {
      name: "restore_index",
      title: "Put what is staged back if it hasn't changed",
      description: "Lets the index stand for a tree again if it stands for the one that you say. Files stay as they are.",
      input: { repo: repoShape(z), tree: sha, if_tree: sha, under_way: underWayShape(z) },
      output: { restored: z.boolean() },
      reads: false,
      run({ repo, tree, if_tree, ...unfinished }: InRepo & Unfinished & { tree: string; if_tree: string }) {
        refuseUnfinished(unfinished);
        within(repo, (repository) => restoreIndex(repository, tree, if_tree));
        return { restored: true };
      },
    },
  ];
}

function refTools(z: Zod, within: Within): readonly CompanionTool[] {
  const sha = shaShape(z);
  const named = { branch: z.string(), ref: z.string().describe("In full: refs/heads/... or refs/tags/...") };
  const output = { restored: z.boolean() };
  const restore = (name: "branch" | "ref"): CompanionTool => ({
    name: `restore_${name}_if`,
    title: `Put a ${name} back if it hasn't moved`,
    description: `Puts a ${name} where it was if it is where you say; without \`if_at\`, if it is gone. One that is checked out isn't moved.`,
    input: { repo: repoShape(z), [name]: named[name], to: sha, if_at: sha.optional() },
    output,
    reads: false,
    run: (args: InRepo & { branch?: string; ref?: string; to: string; if_at?: string }) =>
      within(args.repo, (repository) => restoreRef(repository, refOf(args), args.to, args.if_at ?? null)),
  });
  const remove = (name: "branch" | "ref"): CompanionTool => ({
    name: `delete_${name}_if`,
    title: `Delete a ${name} if it hasn't moved`,
    description: `Deletes a ${name} if it is where you say. One that is checked out isn't deleted. If it is gone already, nothing is done.`,
    input: { repo: repoShape(z), [name]: named[name], if_at: sha.nullable().describe("Null: it has to be gone") },
    output: { deleted: z.boolean() },
    reads: false,
    run: (args: InRepo & { branch?: string; ref?: string; if_at: string | null }) =>
      within(args.repo, (repository) => deleteRef(repository, refOf(args), args.if_at)),
  });
  return [restore("branch"), restore("ref"), remove("branch"), remove("ref")];
}

function stashTools(z: Zod, within: Within): readonly CompanionTool[] {
  const commit = shaShape(z);
  return [
    {
      name: "store_stash_if",
      title: "Put a dropped stash back",
      description: "Adds a stash to the list again, on top, if it isn't in it; without `message` by its own.",
      input: { repo: repoShape(z), commit, message: z.string().optional() },
      output: { stored: z.boolean() },
      reads: false,
      run: (args: InRepo & { commit: string; message?: string }) =>
        within(args.repo, (repository) => storeStash(repository, args.commit, args.message)),
    },
    {
      name: "pop_stash_if",
      title: "Take the latest stash out",
      description: "Applies the latest stash with its index and drops it, if it is the one that you say and no file differs from HEAD.",
      input: { repo: repoShape(z), commit },
      output: { popped: z.boolean() },
      reads: false,
      run: (args: InRepo & { commit: string }) => within(args.repo, (repository) => popStash(repository, args.commit)),
    },
  ];
}

/** A merge that a commit has ended isn't open again by moving HEAD back. */
function refuseUnfinished({ under_way }: Unfinished): void {
  if (typeof under_way === "string") throw new Refusal(`${under_way} was under way, which can't be put back`);
}

function refOf({ branch, ref }: { branch?: string; ref?: string }): string {
  return ref ?? `refs/heads/${branch}`;
}

function repoShape(z: Zod) {
  return z
    .string()
    .optional()
    .describe("The top of the repository: absolute, or relative to the first root; needed where there are several");
}

function underWayShape(z: Zod) {
  return z.string().nullable().optional().describe("As `state` showed it before; only null, nothing, can be put back");
}

function shaShape(z: Zod) {
  return z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/);
}

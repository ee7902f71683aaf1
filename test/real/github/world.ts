// What is there on the stand-in for GitHub? One repository, with everything in it that the server's tools change, kept in memory. Knows nothing of HTTP.
import { blobSha, type Commit, commitOf, type Tree, treeSha } from "./objects.ts";

export interface Label {
  readonly id: string;
  name: string;
  color: string;
  description: string | null;
}

export interface Issue {
  /** Across all repositories, as `sub_issue_id` has it. */
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  state: "open" | "closed";
  state_reason: string | null;
  labels: string[];
  assignees: string[];
  milestone: number | null;
  type: string | null;
  /** Ids, in order. */
  children: number[];
  /** Ids. */
  blockedBy: number[];
  /** By the field's name. */
  fields: Record<string, string | number>;
  updated: number;
}

export interface Pull {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  state: "open" | "closed";
  draft: boolean;
  readonly head: string;
  base: string;
  maintainer_can_modify: boolean;
  reviewers: string[];
  updated: number;
}

export interface Comment {
  readonly id: string;
  body: string;
  isAnswer: boolean;
  readonly replyTo: string | null;
}

export interface Gist {
  readonly id: string;
  description: string;
  files: Record<string, string>;
}

export interface World {
  readonly owner: string;
  readonly repo: string;
  readonly user: string;
  /** Names of repositories beside it, as `owner/name`. */
  others: string[];
  clock: number;
  next: number;
  labels: Label[];
  readonly milestones: readonly { readonly number: number; readonly title: string }[];
  readonly types: readonly string[];
  readonly fields: readonly Field[];
  issues: Issue[];
  pulls: Pull[];
  threads: { readonly id: string; resolved: boolean }[];
  discussion: Comment[];
  gists: Gist[];
  stars: string[];
  blobs: Map<string, Uint8Array>;
  trees: Map<string, Tree>;
  commits: Map<string, Commit>;
  /** By `refs/heads/NAME`. */
  refs: Map<string, string>;
}

export interface Field {
  readonly id: string;
  readonly databaseId: string;
  readonly name: string;
  readonly type: "TEXT" | "NUMBER" | "DATE";
}

/** Gives the number of a new thing: issues and pull requests share theirs. */
export function nextNumber(world: World): number {
  return Math.max(0, ...world.issues.map(({ number }) => number), ...world.pulls.map(({ number }) => number)) + 1;
}

/** Makes an issue. */
export function newIssue(world: World, issue: Partial<Issue> & { title: string }): Issue {
  const number = nextNumber(world);
  const empty = { body: null, state: "open", state_reason: null, milestone: null, type: null } as const;
  const made: Issue = {
    ...empty,
    labels: [],
    assignees: [],
    children: [],
    blockedBy: [],
    fields: {},
    updated: world.clock,
    ...issue,
    id: 9000 + number,
    number,
  };
  world.issues.push(made);
  return made;
}

/** Makes a pull request. */
export function newPull(world: World, pull: Pick<Pull, "title" | "head" | "base"> & Partial<Pull>): Pull {
  const number = nextNumber(world);
  const empty = { body: null, state: "open", draft: false, maintainer_can_modify: true, reviewers: [] as string[] } as const;
  const made: Pull = { ...empty, updated: world.clock, ...pull, reviewers: [...(pull.reviewers ?? [])], id: 7000 + number, number };
  world.pulls.push(made);
  return made;
}

/** Puts files on a branch by a commit of their own. */
export function commitFiles(world: World, ref: string, files: Tree, message: string): Commit {
  const parent = world.refs.get(ref);
  const tree = treeSha(files);
  world.trees.set(tree, files);
  const commit = commitOf(tree, parent === undefined ? [] : [parent], message, world.clock++);
  world.commits.set(commit.sha, commit);
  world.refs.set(ref, commit.sha);
  return commit;
}

/** Keeps bytes, and gives their sha. */
export function keepBlob(world: World, bytes: Uint8Array): string {
  const sha = blobSha(bytes);
  world.blobs.set(sha, bytes);
  return sha;
}

/** Gives the files that a commit has. */
export function treeAt(world: World, commit: string | undefined): Tree {
  return world.trees.get(world.commits.get(commit ?? "")?.tree ?? "") ?? {};
}

/** Gives what a person would see, without times, commits and ids that only grow. A reopened issue is an open one. */
export function seenIn(world: World): unknown {
  const files = [...world.refs].map(([ref, commit]) => {
    const tree = Object.entries(treeAt(world, commit)).map(([path, { mode, sha }]) => [
      path,
      mode,
      Buffer.from(world.blobs.get(sha) ?? []).toString("base64"),
    ]);
    return [ref, tree.sort()];
  });
  const issues = world.issues.map(({ updated: _, state_reason, ...issue }) => ({
    ...issue,
    labels: [...issue.labels].sort(),
    assignees: [...issue.assignees].sort(),
    blockedBy: [...issue.blockedBy].sort(),
    state_reason: issue.state === "open" ? null : state_reason,
  }));
  const pulls = world.pulls.map(({ updated: _, ...pull }) => ({ ...pull, reviewers: [...pull.reviewers].sort() }));
  const { others, labels, threads, discussion, gists, stars } = world;
  const named = labels.map(({ id: _, ...label }) => label).sort((a, b) => a.name.localeCompare(b.name));
  return structuredClone({
    files,
    issues,
    pulls,
    others,
    labels: named,
    threads,
    discussion: discussion.map(({ id: _, ...comment }) => comment),
    gists,
    stars: [...stars].sort(),
  });
}

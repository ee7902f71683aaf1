// May these files be written? Only where no program has a say in what is in them, and where nothing of somebody's is in the way: git itself takes ignored files
// for expendable. Writes nothing.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Refusal, unless } from "../refusal.ts";
import { copyIndex } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { said } from "./run-git.ts";

/** A change of the working tree from one commit to another. */
export interface FilesChange {
  readonly from: string;
  readonly to: string;
  /** A tree whose files are written besides; undefined: none. */
  readonly besides?: string | undefined;
  /** Whether contents may have to be merged. */
  readonly merges: boolean;
}

/** @throws Refusal where a file of the change can't be written for certain, or would overwrite what git doesn't know */
export function requireWritable(repository: Repository, { from, to, besides, merges }: FilesChange): void {
  for (const commit of [from, to])
    if (listOf(repository, ["ls-tree", "-r", "-z", commit]).some((entry) => entry.startsWith("160000 ")))
      throw new Refusal("this repository has submodules, so its files aren't written");
  const paths = listOf(repository, ["diff-tree", "-r", "-z", "--name-only", "--no-commit-id", from, to]);
  if (besides !== undefined) paths.push(...listOf(repository, ["ls-tree", "-r", "-z", "--name-only", besides]));
  const unclear = paths.find((path) => path.includes("\uFFFD"));
  if (unclear !== undefined) throw new Refusal(`the name ${unclear} isn't UTF-8, so that file isn't written`);
  requirePlain(repository, paths, merges);
  using copy = copyIndex(repository);
  const tracked = new Set(listOf(repository, ["ls-files", "-z"], copy.index));
  for (const path of paths) {
    const found = inTheWay(repository.folder, path, tracked);
    if (found !== undefined) throw new Refusal(`${found} is in the way: git doesn't have it, so it isn't overwritten`);
  }
}

/** What git's attributes send through a program isn't written: it doesn't run here. */
function requirePlain(repository: Repository, paths: readonly string[], merges: boolean): void {
  if (paths.length === 0) return;
  const asked = ["check-attr", "-z", "--stdin", "filter", ...(merges ? ["merge"] : [])];
  const found = said(repository.files(asked, { input: paths.join("\0") })).split("\0");
  for (let at = 0; at + 2 < found.length; at += 3) {
    const [path, attribute, value = ""] = found.slice(at, at + 3);
    if (NO_PROGRAM.includes(value) || (attribute === "merge" && OWN_MERGES.includes(value))) continue;
    const what = attribute === "merge" ? "is merged by a driver" : "goes through a filter";
    throw new Refusal(`${path} ${what} (${value}), so it isn't written`);
  }
}

const NO_PROGRAM: readonly string[] = ["unspecified", "unset"];
const OWN_MERGES: readonly string[] = ["set", "text", "binary", "union"];

/** The first thing on the way to a path, or at it, that isn't tracked; what is tracked git compares itself. */
function inTheWay(folder: string, path: string, tracked: ReadonlySet<string>): string | undefined {
  const names = path.split("/");
  for (const [at] of names.entries()) {
    const place = names.slice(0, at + 1).join("/");
    const status = unless(["ENOENT"], () => lstatSync(join(folder, place)));
    if (status === undefined) return undefined;
    if (!status.isDirectory()) return tracked.has(place) ? undefined : place;
  }
  return untrackedIn(folder, path, tracked);
}

function untrackedIn(folder: string, path: string, tracked: ReadonlySet<string>): string | undefined {
  for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
    const place = `${path}/${entry.name}`;
    const found = entry.isDirectory() ? untrackedIn(folder, place, tracked) : tracked.has(place) ? undefined : place;
    if (found !== undefined) return found;
  }
  return undefined;
}

function listOf(repository: Repository, words: readonly string[], index?: string): string[] {
  return said(repository.files(words, index === undefined ? {} : { index }))
    .split("\0")
    .filter(Boolean);
}

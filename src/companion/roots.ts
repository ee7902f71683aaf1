// Where is what a path names, and may it be touched? Only what lies in a root, which is opened once: from there one name at a time, through no link.
// A link that stays in a root is followed by its real path, once; if that has a link by then, somebody is changing it under us, and it is refused.
import { lstatSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { SynartesisError } from "../errors.ts";
import { Folder, HAS_DESCRIPTORS } from "./folder.ts";
import { realName } from "./real-name.ts";
import { Refusal, unless } from "./refusal.ts";

/** Whether a link in the last place of a path is followed, where it stays in a root. */
export type LastLink = "follow" | "keep";

/** A name in an open folder. */
export interface Place extends Disposable {
  readonly folder: Folder;
  readonly name: string;
  /** How the caller can name it again: absolute. */
  readonly path: string;
}

/** What lies at a path: a place in a folder that is there, or nothing, with the folders above it that aren't there either. */
export type Found =
  | { readonly kind: "place"; readonly place: Place }
  /** Absolute paths, deepest first, without the path's own. */
  | { readonly kind: "nowhere"; readonly path: string; readonly missingFolders: readonly string[] };

interface Root {
  /** As it was given, absolute; and where that really is. */
  readonly given: string;
  readonly folder: Folder;
}

/** The folders that a companion may touch. */
export class Roots {
  readonly #roots: readonly Root[];

  /** Opens them. @throws SynartesisError usage where one isn't there */
  constructor(folders: readonly string[], cwd: string, byPath = !HAS_DESCRIPTORS) {
    this.#roots = folders.map((given) => openRoot(resolve(cwd, given), byPath));
  }

  /** Finds what a path names: absolute, or relative to the first root. @throws Refusal where that is outside, or can't be told for certain */
  find(path: string, lastLink: LastLink): Found {
    const [root, names] = this.#placeOf(plain(path, this.#first.given));
    // A folder that is no longer in its place has nothing in it any more, whatever the one that is there now has.
    root.folder.check();
    const walked = walk(root.folder, names, lastLink);
    if (walked !== "link") return walked;
    const real = this.#realPlace(join(root.folder.path, ...names), lastLink);
    const again = walk(real.root.folder, real.names, "keep");
    if (again === "link") throw new Refusal(`${path} is being changed`);
    return again;
  }

  get #first(): Root {
    const [first] = this.#roots;
    if (first === undefined) throw new TypeError("a companion without a root");
    return first;
  }

  /** The root that a path is in, and the names from there; of roots within each other the innermost. */
  #placeOf(path: string): readonly [Root, readonly string[]] {
    const inside = this.#roots.flatMap((root) =>
      [root.given, root.folder.path].flatMap((start) => {
        const names = namesBelow(start, path);
        return names === undefined ? [] : [[root, names] as const];
      }),
    );
    const best = inside.toSorted(([, a], [, b]) => a.length - b.length)[0];
    if (best === undefined) throw new Refusal(`${path} is outside of what this companion may touch`);
    return best;
  }

  /** Where a path with links in it really leads. What isn't there yet can't be a link. */
  #realPlace(path: string, lastLink: LastLink): { readonly root: Root; readonly names: readonly string[] } {
    const missing: string[] = [];
    let at = path;
    if (lastLink === "keep") at = up(at, missing);
    let real = realPath(at);
    while (real === undefined) {
      if (unless(["ENOENT", "ELOOP"], () => lstatSync(at)) !== undefined) throw new Refusal(`${at} is a link that leads to nothing`);
      at = up(at, missing);
      real = realPath(at);
    }
    const [root, names] = this.#placeOf(join(real, ...missing));
    return { root, names };
  }
}

/** Undefined where nothing is there, or a link leads to nothing, itself included. */
function realPath(path: string): string | undefined {
  return unless(["ENOENT", "ELOOP"], () => realpathSync.native(path));
}

function openRoot(given: string, byPath: boolean): Root {
  if (!statSync(given, { throwIfNoEntry: false })?.isDirectory())
    throw new SynartesisError("usage", `there is no folder ${given}`, { hint: "a companion's root has to be there" });
  return { given, folder: Folder.open(realpathSync.native(given), byPath) };
}

/** An absolute path without `.` and `..`. @throws Refusal where it can't be a path, or servers differ in what it means */
function plain(path: string, base: string): string {
  if (path === "" || path.includes("\0")) throw new Refusal("that is no path");
  if (path === "~" || path.startsWith("~/")) throw new Refusal("`~` isn't expanded: give the path itself");
  return isAbsolute(path) ? resolve(path) : resolve(base, path);
}

function namesBelow(start: string, path: string): readonly string[] | undefined {
  if (path === start) return [];
  const below = relative(start, path);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) return undefined;
  return below.split(sep);
}

function up(path: string, missing: string[]): string {
  const parent = resolve(path, "..");
  missing.unshift(relative(parent, path));
  return parent;
}

/** Goes from a root name by name; "link" where one of them is one that isn't to be kept. */
function walk(root: Folder, names: readonly string[], lastLink: LastLink): Found | "link" {
  const last = names.at(-1);
  const open: Folder[] = [];
  const close = () => {
    for (const folder of open.splice(0)) folder[Symbol.dispose]();
  };
  try {
    let folder = root;
    for (const [index, name] of names.slice(0, -1).entries()) {
      if (!isThere(folder, name)) {
        const above = names.slice(index, -1).map((_, depth) => join(root.path, ...names.slice(0, index + depth + 1)));
        close();
        return { kind: "nowhere", path: join(root.path, ...names), missingFolders: above.reverse() };
      }
      const inner = folder.enter(name);
      if (inner === undefined) {
        close();
        return "link";
      }
      open.push(inner);
      folder = inner;
    }
    const name = last ?? ".";
    if (last !== undefined && isThere(folder, last) && lastLink === "follow" && lstatSync(folder.at(last)).isSymbolicLink()) {
      close();
      return "link";
    }
    return { kind: "place", place: { folder, name, path: join(root.path, ...names), [Symbol.dispose]: close } };
  } catch (error) {
    close();
    throw error;
  }
}

/** Tells whether a folder has something by exactly this name. @throws Refusal where it has it by another spelling */
function isThere(folder: Folder, name: string): boolean {
  const isFound = unless(["ENOENT"], () => lstatSync(folder.at(name))) !== undefined;
  const real = realName(name, folder.names(), isFound);
  if (real.kind === "spelled") throw new Refusal(`${join(folder.path, name)} is there as ${real.as}: name it as it is written there`);
  return real.kind === "exact";
}

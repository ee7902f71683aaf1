// How is a folder held, so that what is done in it is done in it and nowhere else? By an open descriptor: whatever becomes of its name meanwhile, or
// of the names above it. Where the system can't go on from a descriptor (no /proc), by its real path, looked at again before and after.
import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../errors.ts";
import { Refusal } from "./refusal.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** Whether a name can be looked up from a descriptor: Linux's openat for those who only have paths. */
export const HAS_DESCRIPTORS = existsSync("/proc/self/fd");

/** An open folder. */
export class Folder implements Disposable {
  readonly fd: number;
  /** Its real path, as it was when it was opened. */
  readonly path: string;
  readonly #byPath: boolean;

  private constructor(fd: number, path: string, byPath: boolean) {
    this.fd = fd;
    this.path = path;
    this.#byPath = byPath;
  }

  /** Opens a folder by its real path, which must have no link in its last place. `byPath`: names are looked up by paths, for want of anything better. */
  static open(path: string, byPath: boolean): Folder {
    return new Folder(openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path, byPath);
  }

  /** Opens a folder in this one; undefined where what has that name is a link. @throws Refusal where it is no folder; ENOENT */
  enter(name: string): Folder | undefined {
    const path = join(this.path, name);
    try {
      const fd = openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      const inner = new Folder(fd, path, this.#byPath);
      if (this.#byPath) inner.check();
      return inner;
    } catch (error) {
      const isLink = systemCode(error) === "ELOOP" || systemCode(error) === "ENOTDIR" ? lstatSync(this.at(name)).isSymbolicLink() : false;
      if (isLink) return undefined;
      if (systemCode(error) === "ENOTDIR") throw new Refusal(`${path} is no folder`);
      throw error;
    }
  }

  /** A path by which the system finds what has this name in this folder. A last link in it is the caller's to refuse. */
  at(name: string): string {
    if (!this.#byPath) return `/proc/self/fd/${this.fd}/${name}`;
    this.check();
    return join(this.path, name);
  }

  /** The names in it. */
  names(): readonly string[] {
    return readdirSync(this.at("."));
  }

  /** Looks whether the path still leads here. @throws Refusal where it doesn't */
  check(): void {
    const [here, there] = [fstatSync(this.fd), lstatSync(this.path, { throwIfNoEntry: false })];
    if (here.dev !== there?.dev || here.ino !== there.ino) throw new Refusal(`${this.path} was moved away, or replaced by another folder`);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

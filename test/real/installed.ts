// What has test/real/install.sh put where REAL_CLIENTS says? Nothing, where that isn't told.
import { existsSync } from "node:fs";
import { join } from "node:path";

const FOLDER = process.env["REAL_CLIENTS"] ?? "";

/** Something that is installed, or isn't. */
export interface Installed {
  readonly path: string;
  /** Why what needs it is skipped; undefined where it is there. */
  readonly lacks: string | undefined;
}

/** Finds a file that a package brings (`*` where a version stands in the path); `also` has to be there too, what is built for it. */
export function installed(name: string, file: string, ...also: readonly string[]): Installed {
  const lacks = `${name} isn't installed; see test/real/install.sh`;
  if (FOLDER === "") return { path: file, lacks };
  const [found = file] = file.includes("*") ? new Bun.Glob(file).scanSync(FOLDER) : [file];
  const isThere = [found, ...also].every((each) => existsSync(join(FOLDER, each)));
  return { path: join(FOLDER, found), lacks: isThere ? undefined : lacks };
}

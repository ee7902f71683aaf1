// Which folders may the companion of a shipped policy read and change? Those that its server works in, and no others; never guessed.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SynartesisError } from "../errors.ts";
import type { NewCommand } from "../manifest/new-manifest.ts";
import { companionsFor, type ShippedPolicy } from "../manifest/shipped.ts";
import type { Context } from "./command.ts";

/** The server that a companion is for: its arguments (none where it is at an address), and the folder that it is started in. */
export interface CompanyServer {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** The companion that a policy needs, confined to the folders that the server works in: those named, else those in its command. @throws usage where there are none, or not there */
export function companionsOf(
  { io }: Context,
  server: CompanyServer,
  policy: ShippedPolicy,
  told: readonly string[],
): readonly NewCommand[] {
  if (policy.companion === undefined) return [];
  const folders = told.length > 0 ? told.map((folder) => toldFolder(io.cwd, folder)) : foldersIn(server);
  if (folders.length > 0) return companionsFor(policy, server.name, folders);
  throw new SynartesisError("usage", `the policy for ${policy.title} needs to know which folders the server works in`, {
    hint: "name each with --root DIR; its companion reads and changes nothing outside of them",
  });
}

function toldFolder(cwd: string, folder: string): string {
  const place = resolve(cwd, folder);
  if (isFolder(place)) return place;
  throw new SynartesisError("usage", `there is no folder ${place}`, { hint: "--root takes one that is there" });
}

/** The folders among the words of a command, as `DIR` or `--option=DIR`; relative ones start in the folder that the server is started in. */
function foldersIn({ args, cwd }: CompanyServer): readonly string[] {
  const places = args.map((word) => resolve(cwd, /^--?[\w-]+=(.+)$/.exec(word)?.[1] ?? word));
  return [...new Set(places.filter(isFolder))];
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}

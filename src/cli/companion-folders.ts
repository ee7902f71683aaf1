// Which folders may the companion of a shipped policy read and change? Those that its server works in, and no others; never guessed.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { SynartesisError } from "../errors.ts";
import type { NewCommand } from "../manifest/new-manifest.ts";
import { companionsFor, type ShippedPolicy } from "../manifest/shipped.ts";
import type { Context } from "./command.ts";
import type { Io } from "./io.ts";

/** The server that a companion is for: its arguments (none where it is at an address), and the folder that it is started in. */
export interface CompanyServer {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** A companion whose folders a person is to say first. */
export interface OpenCompanion {
  /** The title of the policy that needs it. */
  readonly policy: string;
  /** A folder to propose; empty where none is likely. */
  readonly usual: string;
  /** @throws usage where a folder isn't there */
  companionsIn(folders: readonly string[]): readonly NewCommand[];
}

/** What comes along with a server; `open` where that has to be asked first. */
export interface Company {
  readonly companions: readonly NewCommand[];
  readonly open: OpenCompanion | undefined;
}

/** Of a policy that was drafted. */
export const NO_COMPANY: Company = { companions: [], open: undefined };

/** Who says which folders a companion may read and change, where the server's command doesn't. */
export interface CompanyOptions {
  readonly roots: readonly string[];
  /** Somebody is there who can be asked. */
  readonly canAsk: boolean;
  /** The folder of the project that the server is for. */
  readonly project: string | undefined;
}

/** Gives what a policy needs beside a server. @throws usage where folders aren't known and nobody can be asked, or aren't there */
export function companyFor(context: Context, server: CompanyServer, policy: ShippedPolicy, options: CompanyOptions): Company {
  const { roots, canAsk, project } = options;
  const isOpen = policy.companion !== undefined && roots.length === 0 && foldersIn(server).length === 0;
  if (!canAsk || !isOpen) return { companions: companionsOf(context, server, policy, roots), open: undefined };
  const companionsIn = (folders: readonly string[]) => companionsOf(context, server, policy, folders);
  return { companions: [], open: { policy: policy.title, usual: project ?? likelyFolder(context.io), companionsIn } };
}

/** Where one stands, if that is a project of one's own: the whole home is too much to propose. */
function likelyFolder({ cwd, home }: Io): string {
  return cwd.startsWith(`${home}/`) ? cwd : "";
}

/** The companion that a policy needs, confined to the folders that the server works in: those named, else those in its command. @throws usage where there are none, or not there */
export function companionsOf(
  { io }: Context,
  server: CompanyServer,
  policy: ShippedPolicy,
  told: readonly string[],
): readonly NewCommand[] {
  if (policy.companion === undefined) return [];
  const folders = told.length > 0 ? told.map((folder) => toldFolder(io, folder)) : foldersIn(server);
  if (folders.length > 0) return companionsFor(policy, server.name, folders);
  throw new SynartesisError("usage", `the policy for ${policy.title} needs to know which folders the server works in`, {
    hint: "name each with --root DIR; its companion reads and changes nothing outside of them",
  });
}

function toldFolder({ cwd, home }: Io, folder: string): string {
  // A shell has made a path of `~` before an option gets here; at a question there is none.
  const place = resolve(cwd, folder.replace(/^~(?=\/|$)/, home));
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

// What do putting the proxy into a client's file and taking it out again share? The file read whole, a server found again in it, and a plan written
// so that nothing is lost which somebody writes meanwhile.
import { type Backup, type FileRefused, readClientFile, type SeenFile, writeClientFile } from "./edit-file.ts";
import { type ClientServer, serversIn, troubleText } from "./find-clients.ts";
import type { Change, ClientDocument, KeyPath } from "./formats/document.ts";
import { openDocument } from "./formats/open-document.ts";
import type { EntryChange } from "./shapes.ts";

/** How often a file that is changed meanwhile is looked at again. */
const TRIES = 10;

/** A change of one file: the file as it was read, and what it becomes. */
export interface FilePlan {
  readonly kind: "planned";
  readonly seen: SeenFile;
  readonly before: ClientDocument;
  readonly after: ClientDocument;
}

/** What a plan is written with. */
export interface Writing<Plan extends FilePlan> {
  readonly backup: Backup;
  hasWork(plan: Plan): boolean;
  /** Called with the plan that is about to be carried out. */
  keep(plan: Plan): void;
  /** Plans the same on what is there now. */
  again(plan: Plan): Promise<Plan | FileRefused>;
}

/** What became of a plan: the one that was carried out, and where the copy of the file is. */
export type PlanWritten<Plan> = { readonly kind: "written"; readonly plan: Plan; readonly backup: string | undefined } | FileRefused;

/** Writes a plan; where the file was changed meanwhile, the same is planned anew. */
export async function writePlan<Plan extends FilePlan>(
  plan: Plan,
  { backup, hasWork, keep, again }: Writing<Plan>,
): Promise<PlanWritten<Plan>> {
  let now: Plan | FileRefused = plan;
  for (let tries = 0; tries < TRIES; tries++) {
    if (now.kind === "refused") return now;
    if (!hasWork(now)) return { kind: "written", plan: now, backup: undefined };
    keep(now);
    const written = writeClientFile(now.seen, now.after.bytes, backup);
    if (written.kind === "refused") return written;
    if (written.kind === "written") return { kind: "written", plan: now, backup: written.backup };
    now = await again(now);
  }
  return { kind: "refused", reason: "something else writes it all the time", hint: "quit the client first" };
}

type Opened = { readonly kind: "opened"; readonly seen: SeenFile; readonly document: ClientDocument } | FileRefused;

/** Reads a client's file whole. */
export async function openFile(path: string, format: ClientDocument["format"]): Promise<Opened> {
  const read = readClientFile(path);
  if (read.kind === "refused") return read;
  const opening = await openDocument(format, read.file.bytes);
  if (opening.kind === "refused") {
    const { hint } = opening.problem;
    return { kind: "refused", reason: troubleText(opening.problem), ...(hint !== undefined && { hint }) };
  }
  return { kind: "opened", seen: read.file, document: opening.document };
}

/** Finds a server again in a file that was read anew. */
export function serverAt(document: ClientDocument, { file, path }: Pick<ClientServer, "file" | "path">): ClientServer | undefined {
  const read = serversIn(file, document);
  return read.kind === "read" ? read.servers.find((server) => samePath(server.path, path)) : undefined;
}

/** Tells whether two paths of keys are the same. */
export function samePath(one: KeyPath, other: KeyPath): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

/** Says an entry's change as a document takes it. */
export function documentChange({ path, value, after }: EntryChange): Change {
  if (value === undefined) return { kind: "remove", path };
  return { kind: "set", path, value, ...(after === undefined ? {} : { after }) };
}

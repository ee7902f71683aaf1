// How does the proxy get out of a client's file again? Byte for byte by what was kept when it got in, else by the command behind `--`. What
// somebody else changed stays. Never writes over what somebody writes meanwhile.
import { isJsonObject } from "../core/json.ts";
import { type FileRefused, removeBackup } from "./edit-file.ts";
import { documentChange, type FilePlan, openFile, samePath, serverAt, writePlan } from "./file-plan.ts";
import { type ClientServer, serversIn, troubleText } from "./find-clients.ts";
import type { ClientDocument, KeyPath, Patch } from "./formats/document.ts";
import { unwrapChanges } from "./shapes.ts";

/** What is kept of a server that was wrapped, so that it can be taken out exactly. */
export interface KeptEntry {
  readonly client: string;
  /** Absolute, as it was found. */
  readonly file: string;
  readonly path: KeyPath;
  /** The server's name in the manifest, and the manifest. */
  readonly server: string;
  readonly manifest: string;
  readonly patch: Patch;
}

/** What was done for one server. `exact`: its entry is byte for byte as it was; `kept`: what somebody changed since, and was left. */
export interface Unwrapped {
  readonly server: ClientServer;
  readonly exact: boolean;
  readonly kept: readonly KeyPath[];
  /** What was kept of it; undefined where it had to do without. */
  readonly keptEntry: KeptEntry | undefined;
}

/** A change of one file that takes wrappings off. */
export interface DisconnectPlan extends FilePlan {
  readonly unwrapped: readonly Unwrapped[];
  readonly refused: readonly { readonly server: ClientServer; readonly reason: string }[];
}

/** Plans to take the wrapping off these servers of one file; they all have the same path. */
export async function planDisconnect(
  path: string,
  servers: readonly ClientServer[],
  keptEntries: readonly KeptEntry[],
): Promise<DisconnectPlan | FileRefused> {
  const read = await openFile(path, servers[0]?.file.format ?? "json");
  if (read.kind === "refused") return read;
  const unwrapped: Unwrapped[] = [];
  const refused: { server: ClientServer; reason: string }[] = [];
  let document = read.document;
  for (const server of servers) {
    const now = serverAt(document, server);
    const keptEntry = now === undefined ? undefined : keptEntryOf(now, read.document, keptEntries);
    const done = now === undefined ? ({ kind: "refused", reason: "it is no longer there" } as const) : takeOff(document, now, keptEntry);
    if (done.kind === "refused") refused.push({ server, reason: done.reason });
    else {
      document = done.document;
      unwrapped.push({ server, exact: done.exact, kept: done.kept, keptEntry });
    }
  }
  return { kind: "planned", seen: read.seen, before: read.document, after: document, unwrapped, refused };
}

/** Finds what was kept of a wrapped server, also where somebody gave its entry another name since. */
function keptEntryOf(server: ClientServer, document: ClientDocument, keptEntries: readonly KeptEntry[]): KeptEntry | undefined {
  const { file, path, wrapping } = server;
  const ofFile = keptEntries.filter((each) => each.file === file.path && samePath(each.path.slice(0, -1), path.slice(0, -1)));
  const renamed = ofFile.filter(
    (each) =>
      each.server === wrapping?.server &&
      each.manifest === (wrapping.manifest ?? "") &&
      serverAt(document, { file, path: [...each.path] })?.wrapping === undefined,
  );
  return ofFile.find((each) => samePath(each.path, path)) ?? (renamed.length === 1 ? renamed[0] : undefined);
}

/** Lists what need not be kept any longer once a plan is carried out: of what it takes out, and of entries that somebody has deleted. */
export function forgettable({ seen, after, unwrapped }: DisconnectPlan, keptEntries: readonly KeptEntry[]): readonly KeptEntry[] {
  const isDone = ({ path }: KeptEntry) => unwrapped.some(({ keptEntry }) => keptEntry !== undefined && samePath(keptEntry.path, path));
  const files = [...new Set(unwrapped.map(({ server }) => server.file))];
  const servers = files.map((file) => serversIn(file, after)).flatMap((read) => (read.kind === "read" ? read.servers : []));
  const used = new Set(servers.map((server) => server.wrapping && keptEntryOf(server, after, keptEntries)));
  const isGone = ({ path }: KeptEntry) => {
    const isLookedAt = files.some(({ keyPath }) => samePath([...keyPath], path.slice(0, -1)));
    return isLookedAt && !servers.some((server) => samePath(server.path, path));
  };
  return keptEntries.filter((each) => each.file === seen.path && (isDone(each) || (isGone(each) && !used.has(each))));
}

/** Writes a plan; on a file that was changed meanwhile the same is planned anew. `backupGone`: the copy of the file isn't needed any more, and was removed. */
export async function applyDisconnect(
  plan: DisconnectPlan,
  keptEntries: readonly KeptEntry[],
): Promise<{ readonly kind: "written"; readonly plan: DisconnectPlan; readonly backupGone: boolean } | FileRefused> {
  const written = await writePlan<DisconnectPlan>(plan, {
    ...{ backup: "none", keep: () => undefined, hasWork: ({ unwrapped }) => unwrapped.length > 0 },
    again: ({ seen, unwrapped, refused }) =>
      planDisconnect(
        seen.path,
        [...unwrapped, ...refused].map(({ server }) => server),
        keptEntries,
      ),
  });
  if (written.kind === "refused") return written;
  const { seen, after, unwrapped } = written.plan;
  return { kind: "written", plan: written.plan, backupGone: unwrapped.length > 0 && removeBackup(seen.path, after.bytes) };
}

type Taken =
  | { readonly kind: "taken"; readonly document: ClientDocument; readonly exact: boolean; readonly kept: readonly KeyPath[] }
  | { readonly kind: "refused"; readonly reason: string };

function takeOff(document: ClientDocument, server: ClientServer, kept: KeptEntry | undefined): Taken {
  if (server.wrapping === undefined) return { kind: "refused", reason: "it is not wrapped" };
  if (kept === undefined) return rebuild(document, server);
  const restored = document.restore({ ...kept.patch, entry: server.path });
  if (restored.kind === "refused") return { kind: "refused", reason: troubleText(restored.problem) };
  if (restored.kind === "gone") return { kind: "refused", reason: "it is no longer there" };
  const after = serverAt(restored.document, server);
  // Arguments that somebody changed since stay with the server's command: half of a wrapping would start nothing.
  const torn = restored.kept.length > 0 && (after === undefined || isTorn(after, server));
  if (!torn) return { kind: "taken", document: restored.document, exact: restored.exact, kept: restored.kept };
  const rebuilt = rebuild(restored.document, server);
  return rebuilt.kind === "refused" ? rebuilt : { ...rebuilt, kept: restored.kept };
}

function isTorn(after: ClientServer, before: ClientServer): boolean {
  if (after.wrapping !== undefined || after.reach.kind !== "command" || before.reach.kind !== "command") return true;
  const [one, other] = [after.reach, before.reach].map(({ command, args }) => JSON.stringify([command, ...args]));
  return one !== other;
}

/** Puts the command behind `--` in the place of ours. */
function rebuild(document: ClientDocument, server: ClientServer): Taken {
  const { reach, entry, file } = server;
  if (reach.kind !== "command" || !isJsonObject(entry)) {
    return { kind: "refused", reason: "what stood there before was not kept here: the manifest has the server's address" };
  }
  const edited = document.edit(server.path, unwrapChanges(entry, file.client.shape, [reach.command, ...reach.args]).map(documentChange));
  if (edited.kind === "refused") return { kind: "refused", reason: troubleText(edited.problem) };
  return { kind: "taken", document: edited.document, exact: false, kept: [] };
}

// Where does the journal of a folder lie? Beside its manifest, unless SQLite's locks can't be trusted there. Reads folders, writes none.
import { existsSync, statfsSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { sha256 } from "../core/digest.ts";

/** Linux file system types (statfs(2)) on which locks or shared memory fail, or fail silently. */
const REMOTE_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x564c, "NCP"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x01021997, "9P"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x65735546, "FUSE"],
  [0x786f4256, "VirtualBox shared folder"],
]);

/** Names that the well-known services give the folder which they synchronise. */
const SYNCED_FOLDER =
  /^(Dropbox( \(.+\))?|OneDrive( ?-.+)?|Google ?Drive|iCloud ?Drive|Mobile Documents|CloudStorage|Nextcloud|ownCloud|pCloud ?Drive|MEGA(sync)?|Box Sync)$/i;

/** Says why a folder can't hold a journal, such as `a network file system (NFS)`; undefined where it can. */
export type FolderTrouble = (folder: string) => string | undefined;

/** Where a journal lies, and the reason where that isn't beside the manifest. */
export interface JournalPlace {
  readonly file: string;
  readonly moved: string | undefined;
}

/**
 * Gives the place of the journal that belongs to `folder`; `home` is our own folder (`~/.synartesis`), whose journal lies
 * directly in it. An existing `journal.db` is taken where there is no `.synartesis/journal.db`.
 */
export function journalPlace(folder: string, home: string, trouble: FolderTrouble = folderTrouble): JournalPlace {
  if (folder === home || basename(folder) === ".synartesis") return { file: join(folder, "journal.db"), moved: undefined };
  const reason = trouble(folder);
  if (reason !== undefined) {
    const name = `${basename(folder)}-${sha256(folder).slice(0, 12)}`;
    return { file: join(home, "journals", name, "journal.db"), moved: `${folder} is on ${reason}` };
  }
  const own = join(folder, ".synartesis", "journal.db");
  const plain = join(folder, "journal.db");
  return { file: !existsSync(own) && existsSync(plain) ? plain : own, moved: undefined };
}

/** Looks at the file system and at the names above a folder. */
export function folderTrouble(folder: string): string | undefined {
  const synced = folder.split(sep).find((name) => SYNCED_FOLDER.test(name));
  if (synced !== undefined) return `a synchronised folder (${synced})`;
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".stfolder"))) return "a synchronised folder (Syncthing)";
    if (dirname(at) === at) break;
  }
  return remoteFileSystem(folder);
}

function remoteFileSystem(folder: string): string | undefined {
  try {
    // The type is a signed 32-bit number on some machines.
    const name = REMOTE_FILE_SYSTEMS.get(statfsSync(folder).type >>> 0);
    return name === undefined ? undefined : `a network file system (${name})`;
  } catch {
    // A folder that isn't there yet, or can't be looked at, is found out by opening the journal.
    return undefined;
  }
}

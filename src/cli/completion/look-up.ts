// Which values does this machine know: runs, calls, servers, policies? Reads what is there. Never writes, and never stops: where something can't be
// read, nothing is offered.
import { resolve } from "node:path";
import type { ValueSource } from "../command.ts";
import { type FileOptions, findJournal, findManifest } from "../find-files.ts";
import type { Io } from "../io.ts";
import { loadFile } from "../read-manifest.ts";
import { ago } from "../render/time.ts";
import { visible } from "../render/visible.ts";
import type { Candidate, LookUp, Named } from "./next-word.ts";

/** Makes the look-up; the files named are as typed, so that `~/` still stands for the home. */
export function lookUpWith(io: Io): LookUp {
  return async (source, named) => {
    try {
      return await candidates(io, source, filesOf(io, named));
    } catch {
      return []; // whatever it is, the command itself will say; a key press must not
    }
  };
}

function filesOf(io: Io, named: Named): FileOptions {
  const place = (text: string | undefined) =>
    text === undefined ? undefined : text.startsWith("~/") ? resolve(io.home, text.slice(2)) : resolve(io.cwd, text);
  return { manifest: place(named.manifest), journal: place(named.journal) };
}

async function candidates(io: Io, source: ValueSource, files: FileOptions): Promise<readonly Candidate[]> {
  switch (source) {
    case "servers":
    case "url-servers":
      return servers(io, source, files);
    case "client-servers": {
      const { candidatesIn, serversAround } = await import("../wizard/client-candidates.ts");
      const names = candidatesIn(io, (await serversAround(io, undefined)).servers).map(({ server }) => server.name);
      return [...new Set(names)].map((word) => ({ word, about: "" }));
    }
    case "policies": {
      const { shippedPolicies } = await import("../../manifest/shipped.ts");
      return shippedPolicies().map(({ name, title }) => ({ word: name, about: title }));
    }
    default: {
      const { listIds } = await import("../../journal/list-ids.ts");
      const known = listIds(findJournal(io, files).file, source, io.now());
      return known.map(({ id, about, at }) => ({ word: id, about: `${visible(about)}, ${ago(at, io.now())}` }));
    }
  }
}

async function servers(io: Io, source: "servers" | "url-servers", files: FileOptions): Promise<readonly Candidate[]> {
  const loading = await loadFile(io, findManifest(io, files));
  if (loading.kind === "invalid") return [];
  const offered = loading.policy.servers.filter(
    ({ hidden, source: { kind } }) => hidden !== true && (source === "servers" || kind === "url"),
  );
  return offered.map(({ name }) => ({ word: name, about: "" }));
}

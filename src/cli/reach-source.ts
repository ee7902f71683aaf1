// How is a server of a manifest reached today? By its command or its address with the variables of this environment, or as the client that has it
// in its file would. Starts nothing.
import type { ServerPolicy } from "../core/policy.ts";
import { type ExpandedCommand, type ExpandedUrl, expandSource, expandUrl } from "../manifest/expand-source.ts";
import type { Io } from "./io.ts";

/** Gives what would be started or reached. @throws manifest-invalid where a variable is missing; server-unavailable where only a client knows it */
export async function reachSource(
  io: Pick<Io, "env" | "home" | "cwd">,
  { name, source }: Pick<ServerPolicy, "name" | "source">,
): Promise<ExpandedCommand | ExpandedUrl> {
  if (source.kind === "url") return expandUrl(name, source, io.env);
  if (source.kind === "command") return expandSource(name, source, io.env);
  const { reachByClient } = await import("./clients/reach-by-client.ts");
  return reachByClient(io, name, source);
}

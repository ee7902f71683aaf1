// What does a person look at before a manifest is written? What it means for each server's tools, then the lines that change.
import { dirname } from "node:path";
import type { Listing } from "../../draft/next-step.ts";
import { loadManifestText } from "../../manifest/load.ts";
import type { Io } from "../io.ts";
import { manifestChange } from "../render/manifest-change.ts";
import { styleFor } from "../render/style.ts";
import { toolFatesText } from "../render/tool-fates.ts";
import { visible } from "../render/visible.ts";

type Server = Pick<Extract<Listing, { kind: "listed" }>, "server" | "tools">;

/** What becomes of the manifest; `most` of the changed lines are shown. */
interface Change {
  readonly before: string;
  readonly after: string;
  readonly most: number;
}

/** Gives what is shown of a change of the manifest `file`. */
export function reviewText(
  file: string,
  { before, after, most }: Change,
  servers: readonly Server[],
  io: Pick<Io, "stdout" | "colour">,
): string {
  const width = io.stdout.columns - 1;
  const change = `${visible(file)}:\n${manifestChange(before, after, { most, width, style: styleFor(io.colour) })}`;
  const loading = loadManifestText(after, { directory: dirname(file), env: "any" });
  if (loading.kind === "invalid") return change; // the check says what is wrong with it
  const names = servers.map(({ server, tools }) => [server, tools.map(({ name }) => name)] as const);
  return [...names.map(([server, tools]) => toolFatesText(loading.policy, server, tools, width)), change].join("\n\n");
}

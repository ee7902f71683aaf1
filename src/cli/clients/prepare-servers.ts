// What has to be known before a client's server is wrapped? Its name and policy in the manifest: found there, or made as `init` makes them. Starts
// each server once to see its tools; writes nothing.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ClientServer } from "../../clients/find-clients.ts";
import { type ServerStart, startOf } from "../../clients/start-of.ts";
import type { Wrapping } from "../../clients/wrapping.ts";
import { choosePolicy, type PolicyChoice } from "../../draft/choose-policy.ts";
import { SynartesisError } from "../../errors.ts";
import type { Addition, NewUrl, NewVia } from "../../manifest/new-manifest.ts";
import { shippedPolicies } from "../../manifest/shipped.ts";
import type { ListedTool } from "../../upstream/upstream.ts";
import type { Context } from "../command.ts";
import { companyFor, NO_COMPANY, type OpenCompanion } from "../companion-folders.ts";
import { toldManifest } from "../find-files.ts";
import { listServer, type ServerReach } from "../list-server.ts";
import { addressOf } from "./address.ts";
import { viaOf, wordsFor, wrapAgain } from "./client-words.ts";
import { ManifestNames } from "./manifest-names.ts";
import { surroundings } from "./surroundings.ts";

/** What is to become of a client's server. */
export type Prepared = { readonly server: ClientServer } & (
  | ToWrap
  /** Nothing is to be done: it is wrapped already. */
  | { readonly kind: "unchanged" }
  /** It isn't one that a proxy could stand in front of, or it is switched off. */
  | { readonly kind: "left"; readonly reason: string }
  /** It should have been wrapped, and can't be. */
  | Skipped
);

interface Skipped {
  readonly kind: "skipped";
  readonly reason: string;
  readonly hint?: string | undefined;
}

/** What the manifest gets for a server; `open` where the folders of its companion are still to be said, and the companion isn't in `addition`. */
interface MadePolicy {
  readonly addition: Addition;
  readonly choice: PolicyChoice;
  readonly tools: readonly ListedTool[];
  readonly open: OpenCompanion | undefined;
}

/** Under which name the manifest has the server, and what has to be added to it first; undefined where it has it already. */
export interface ToWrap {
  readonly kind: "wrap";
  readonly name: string;
  readonly made: MadePolicy | undefined;
  /** Variables that the wrapped entry gets: what the manifest's headers refer to. */
  readonly secrets: Readonly<Record<string, string>>;
}

interface PrepareOptions {
  readonly manifest: string;
  /** Folders for companions whose servers don't name theirs. */
  readonly roots: readonly string[];
  /** Somebody can be asked for those folders afterwards. */
  readonly canAsk: boolean;
}

/** Prepares servers one after the other. */
export async function prepareServers(
  context: Context,
  servers: readonly ClientServer[],
  options: PrepareOptions,
): Promise<readonly Prepared[]> {
  const names = await ManifestNames.read(context.io, options.manifest);
  const prepared: Prepared[] = [];
  for (const server of servers) prepared.push({ server, ...(await prepare(context, server, names, options)) });
  return prepared;
}

async function prepare(context: Context, server: ClientServer, names: ManifestNames, options: PrepareOptions) {
  const { reach, wrapping, disabled } = server;
  if (wrapping !== undefined) return lookAtWrapped(context, server, wrapping, options);
  if (reach.kind === "manifest") return { kind: "unchanged" } as const;
  if (reach.kind === "none") return { kind: "left", reason: reach.reason } as const;
  if (disabled) return { kind: "left", reason: "it is switched off" } as const;
  const address = reach.kind === "url" ? addressOf(reach, server.file.client.title) : undefined;
  if (address?.kind === "skipped") return address;
  const known = names.nameOf(server, address);
  if (known !== undefined) return { kind: "wrap", name: known, made: undefined, secrets: address?.secretsFor(known) ?? {} } as const;
  const start = startOf(reach, { around: surroundings(context.io), variables: server.file.client.variables, project: server.project });
  const made = start.kind === "client-only" ? names.madeFor(server) : undefined;
  if (made !== undefined) return { kind: "wrap", name: made, made: undefined, secrets: {} } as const;
  const name = names.newName(server);
  const policy = await policyFor(context, server, name, start, address?.entryFor(name), options);
  if (policy.kind === "skipped") return policy;
  names.take(name, server, address);
  return { kind: "wrap", name, made: policy, secrets: address?.secretsFor(name) ?? {} } as const;
}

/** An entry that starts what isn't there any more guards nothing. */
function lookAtWrapped({ io }: Context, { file, name }: ClientServer, { program, manifest }: Wrapping, options: PrepareOptions) {
  const gone = [program.at(-1), manifest].find((place) => place?.startsWith("/") && !existsSync(place));
  if (gone === undefined) return { kind: "unchanged" } as const;
  const told = toldManifest(io, options.manifest).manifest;
  return skipped(`it is wrapped, but ${gone} isn't there`, wrapAgain(io, wordsFor(file), name, told));
}

async function policyFor(
  context: Context,
  server: ClientServer,
  name: string,
  start: ServerStart,
  address: NewUrl | undefined,
  options: PrepareOptions,
): Promise<(MadePolicy & { readonly kind: "made" }) | Skipped> {
  const { title } = server.file.client;
  if (start.kind === "client-only") {
    return skipped(
      `it needs ${start.what}, which only ${title} knows, so it can't be started here to see its tools`,
      `synartesis init ${name} -- COMMAND makes its policy; then connect again`,
    );
  }
  const cwd = folderOf(context, server, start);
  if (!existsSync(cwd)) return skipped(`the folder that it is started in isn't there: ${cwd}`);
  const reach: ServerReach = start.kind === "url" ? { name, url: new URL(start.url), headers: start.headers } : { name, ...start, cwd };
  const listed = await listServer(context, reach);
  if (listed.kind === "failed") return skipped(`it can't be started here to see its tools: ${listed.reason}`, listed.hint);
  const choice = choosePolicy(name, listed.tools, shippedPolicies());
  const args = start.kind === "url" ? [] : start.args;
  try {
    const asked = { ...options, project: server.project };
    const { companions, open } = choice.kind === "shipped" ? companyFor(context, { name, args, cwd }, choice.policy, asked) : NO_COMPANY;
    const entry: NewUrl | NewVia = address ?? { name, via: viaOf(context.io, server) };
    return { kind: "made", addition: { server: entry, companions, rulesYaml: choice.rulesYaml }, choice, tools: listed.tools, open };
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "usage") return skipped(error.message, error.hint);
    throw error;
  }
}

function folderOf({ io }: Context, { project }: ClientServer, start: ServerStart): string {
  const base = project ?? io.cwd;
  return start.kind === "command" && start.cwd !== undefined ? resolve(base, start.cwd) : base;
}

function skipped(reason: string, hint?: string): Skipped {
  return { kind: "skipped", reason, hint };
}

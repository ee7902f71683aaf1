// How do clients' servers come under guard? First what would be done is known and can be shown; then the manifest gets their policies, and only
// then each client's file its wrapped entries. Used by the command and by the wizard.
import { applyPlan, type ConnectPlan, planConnect, type Wish } from "../../clients/connect.ts";
import type { KeptEntry } from "../../clients/disconnect.ts";
import type { ClientServer } from "../../clients/find-clients.ts";
import type { Context } from "../command.ts";
import { proxyProgram } from "../command-line.ts";
import type { Io } from "../io.ts";
import { contentOf } from "../replace-file.ts";
import { addToManifest } from "../write-manifest.ts";
import { keepEntries, readKeptEntries } from "./kept-entries.ts";
import type { Prepared, ToWrap } from "./prepare-servers.ts";

/** A server that is to be wrapped. */
export type Wrapped = { readonly server: ClientServer } & ToWrap;

/** What is about to be done, or was, to the files; servers that can't be wrapped after all are named with the reason. */
export interface ConnectPlans {
  readonly plans: readonly ConnectPlan[];
  readonly refused: readonly { readonly server: ClientServer; readonly reason: string; readonly hint?: string | undefined }[];
}

/** Plans the wrapped entries of each file; reads, and writes nothing. */
export async function planFiles(io: Io, prepared: readonly Prepared[], manifest: string): Promise<ConnectPlans> {
  const wishes = prepared.filter((each): each is Wrapped => each.kind === "wrap").map((each) => wishFor(io, each, manifest));
  const paths = [...new Set(wishes.map(({ server }) => server.file.path))];
  const plans: ConnectPlan[] = [];
  const refused: ConnectPlans["refused"][number][] = [];
  for (const path of paths) {
    const ofFile = wishes.filter(({ server }) => server.file.path === path);
    const plan = await planConnect(path, ofFile);
    if (plan.kind === "refused") refused.push(...ofFile.map(({ server }) => ({ server, reason: plan.reason, hint: plan.hint })));
    else {
      plans.push(plan);
      refused.push(...refusedIn(plan));
    }
  }
  return { plans, refused };
}

function wishFor(io: Io, { server, name, secrets }: Wrapped, manifest: string): Wish {
  return { server, secrets, wrapping: { program: proxyProgram(io), server: name, manifest } };
}

function refusedIn({ refused }: ConnectPlan): ConnectPlans["refused"] {
  return refused.map(({ wish, reason }) => ({ server: wish.server, reason }));
}

/** A file whose entries were wrapped, and where the copy of it as it was is. */
export interface ConnectedFile {
  readonly path: string;
  readonly servers: readonly ClientServer[];
  readonly backup: string | undefined;
}

/** What was done. */
export interface Connected {
  readonly files: readonly ConnectedFile[];
  readonly refused: ConnectPlans["refused"];
}

/** Adds the policies to the manifest, then writes the files. @throws refused, manifest-invalid, output-failed where the manifest can't be written; no file is, then */
export async function carryOut(
  context: Context,
  prepared: readonly Prepared[],
  plans: readonly ConnectPlan[],
  manifest: string,
): Promise<Connected> {
  // Before anything is written: without them nothing could be taken out again.
  const known = new Set(readKeptEntries(context.io).map(({ file }) => file));
  const planned = new Set(plans.flatMap(({ wrapped }) => wrapped.map(({ wish }) => wish.wrapping.server)));
  for (const each of prepared) {
    if (each.kind === "wrap" && each.made !== undefined && planned.has(each.name))
      addToManifest(manifest, contentOf(manifest), each.made.addition);
  }
  const files: ConnectedFile[] = [];
  const refused: ConnectPlans["refused"][number][] = [];
  for (const plan of plans) {
    const path = plan.seen.path;
    const applied = await applyPlan(plan, known.has(path) ? "first" : "new", (now) => keepEntries(context.io, keptEntriesOf(now)));
    if (applied.kind === "refused") {
      refused.push(...plan.wrapped.map(({ wish }) => ({ server: wish.server, reason: applied.reason, hint: applied.hint })));
      continue;
    }
    const wrapped = applied.plan.wrapped.map(({ wish }) => wish.server);
    if (wrapped.length > 0) files.push({ path, servers: wrapped, backup: applied.backup });
    const told = new Set(plan.refused.map(({ wish }) => wish));
    refused.push(...refusedIn({ ...applied.plan, refused: applied.plan.refused.filter(({ wish }) => !told.has(wish)) }));
  }
  return { files, refused };
}

function keptEntriesOf({ seen, wrapped }: ConnectPlan): readonly KeptEntry[] {
  return wrapped.map(({ wish: { server, wrapping }, patch }) => ({
    ...{ client: server.file.client.id, file: seen.path, path: server.path, patch },
    ...{ server: wrapping.server, manifest: wrapping.manifest ?? "" },
  }));
}

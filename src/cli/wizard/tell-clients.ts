// What does a person, or a script, hear once servers of clients are in the manifest? One line for each, with its policy; those that aren't, with the reason.
import type { Connected } from "../clients/connect-servers.ts";
import { countText } from "../render/counts.ts";
import { visible } from "../render/visible.ts";
import type { ClientCandidate } from "./client-candidates.ts";
import type { Prepared } from "./prepare.ts";
import type { Result } from "./run-wizard.ts";
import { heldTools, policyText } from "./tell-server.ts";

/** Tells which servers are in the manifest, and which aren't; in paragraphs. */
export function guardedText(candidates: readonly ClientCandidate[], { servers, failed }: Result): readonly string[] {
  const title = (id: string) => visible(candidates.find((each) => each.id === id)?.title ?? id);
  const told = [
    ...servers.map(({ id, prepared: { listing, choice }, decisions }) => {
      if (choice === undefined) return [title(id), sharedText(listing.server)] as const;
      const count = countText(listing.tools.length, "tool");
      return [
        title(id),
        listing.tools.length === 0 ? count : `${count}, as "${listing.server}"; ${policyText(choice, decisions)}`,
      ] as const;
    }),
    ...failed.map(({ id, listing }) => [title(id), `not guarded: ${visible(listing.reason)}`] as const),
  ];
  return grouped(told).map(([titles, text]) => `${titles}: ${text}`);
}

/** Says in a line what became of starting a server. */
export function listingText({ listing }: Prepared): string {
  if (listing.kind === "failed") return "can't be guarded as it is";
  if (listing.isKnown) return sharedText(listing.server);
  const count = countText(listing.tools.length, "tool");
  const by = listing.policy === undefined ? "" : `, covered by the policy for ${listing.policy}`;
  return `${count}${by}${listing.open.length === 0 ? "" : `; ${listing.open.length} to decide about`}`;
}

/** Says that another server's policy is this one's too. */
function sharedText(server: string): string {
  return `the policy "${server}", shared`;
}

/** Brings those together of which the same is told, in the order of the first of each. */
export function grouped(told: readonly (readonly [title: string, text: string])[]): readonly (readonly [titles: string, text: string])[] {
  const texts = [...new Set(told.map(([, text]) => text))];
  return texts.map((text) => [told.flatMap(([title, each]) => (each === text ? [title] : [])).join(", "), text]);
}

/** The JSON document of the command; `done` is absent where no client was to be connected. */
export function clientsDocument(
  manifest: string,
  candidates: readonly ClientCandidate[],
  result: Result,
  done: Connected | undefined,
): object {
  const place = (id: string) => {
    const server = candidates.find((each) => each.id === id)?.server;
    return { client: server?.file.client.id ?? null, file: server?.file.path ?? null, name: server?.name ?? null };
  };
  return {
    manifest,
    written: result.isWritten,
    servers: result.servers.map(({ id, prepared: { choice, listing }, decisions }) => ({
      ...place(id),
      server: listing.server,
      policy: choice?.kind === "shipped" ? choice.policy.name : null,
      tools: choice === undefined ? null : listing.tools.length,
      held: choice === undefined ? null : heldTools(choice, decisions),
    })),
    failed: result.failed.map(({ id, listing }) => ({ ...place(id), reason: listing.reason })),
    connected: (done?.files ?? []).map(({ path, servers, backup }) => ({
      file: path,
      servers: servers.map(({ name }) => name),
      backup: backup ?? null,
    })),
    refused: (done?.refused ?? []).map(({ server, reason }) => ({ client: server.file.client.id, name: server.name, reason })),
  };
}

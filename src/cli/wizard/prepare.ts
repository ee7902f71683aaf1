// What is there to decide about a server? Starts it, lists its tools, and chooses its policy: a shipped one where it fits, else a draft. Calls no tool.

import { digestOf } from "../../core/digest.ts";
import { choosePolicy, type PolicyChoice } from "../../draft/choose-policy.ts";
import { decidedRules } from "../../draft/decide-rules.ts";
import type { Draft } from "../../draft/draft-rules.ts";
import type { FoundServer, Listing } from "../../draft/next-step.ts";
import type { Decision } from "../../draft/tool-questions.ts";
import { isMatchable } from "../../draft/words.ts";
import { SynartesisError } from "../../errors.ts";
import type { Addition, NewCommand, NewServer } from "../../manifest/new-manifest.ts";
import { type ShippedPolicy, shippedPolicies } from "../../manifest/shipped.ts";
import type { ServerTools } from "../list-server.ts";

/** A server that may be guarded, and how that is done. */
export interface Candidate extends FoundServer {
  /** As it is to stand in the manifest. */
  readonly server: NewServer;
  list(): Promise<ServerTools>;
  /** @throws usage where the policy needs to know folders, and doesn't */
  companions(policy: ShippedPolicy): readonly NewCommand[];
}

/** A server that was looked at: what there is to ask, and what goes into the manifest. */
export type Prepared = Ready | Failed;

export interface Ready {
  readonly listing: Extract<Listing, { kind: "listed" }>;
  /** Of its list of tools: answers hold for this list only. */
  readonly digest: string;
  readonly choice: PolicyChoice;
  addition(decisions: ReadonlyMap<string, Decision>): Addition;
}

export interface Failed {
  readonly listing: Extract<Listing, { kind: "failed" }>;
  readonly error: SynartesisError;
}

/** Starts a server and looks at it. One that can't be guarded as things are must not keep others from it: it is a listing that failed. */
export async function prepare(candidate: Candidate): Promise<Prepared> {
  try {
    return await ready(candidate);
  } catch (error) {
    if (!(error instanceof SynartesisError) || error.code === "bug") throw error;
    return { listing: { kind: "failed", reason: error.message, hint: error.hint }, error };
  }
}

async function ready(candidate: Candidate): Promise<Ready> {
  const { server } = candidate;
  const listed = await candidate.list();
  if (listed.kind === "failed") throw unlisted(listed);
  const { tools } = listed;
  const choice = choosePolicy(server.name, tools, shippedPolicies());
  const draft = draftIn(choice);
  const settled = choice.rulesYaml.slice(0, choice.rulesYaml.length - draft.rulesYaml.length);
  const companions = choice.kind === "shipped" ? candidate.companions(choice.policy) : [];
  const open = draft.tools.filter(({ name, todo }) => todo && isMatchable(name));
  return {
    listing: { kind: "listed", policy: choice.kind === "shipped" ? choice.policy.title : undefined, server: server.name, tools, open },
    digest: digestOf(tools.map(({ raw }) => raw)),
    choice,
    addition: (decisions) => ({
      server,
      companions,
      rulesYaml: [...settled, ...decidedRules(server.name, draft.tools, decisions)],
    }),
  };
}

function unlisted({ reason, hint }: Extract<ServerTools, { kind: "failed" }>): SynartesisError {
  return new SynartesisError("server-unavailable", `the server can't be listed: ${reason}`, hint === undefined ? {} : { hint });
}

/** The part of a policy that was drafted. */
export function draftIn(choice: PolicyChoice): Draft {
  return choice.kind === "shipped" ? choice.beside : choice.draft;
}

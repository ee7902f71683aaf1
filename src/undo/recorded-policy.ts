// Which rule governs the tool of an inverse? The policy of the run itself, as its journal keeps it, or today's where that was asked for. It
// authorises nothing: it supplies what redo needs.
import type { GoverningRule, Policy } from "../core/policy.ts";
import type { ResolvedCall } from "../core/resolved-call.ts";
import type { Journal, Run } from "../journal/journal.ts";
import { loadManifestText } from "../manifest/load.ts";
import { ruleForCall } from "../manifest/rule-for-call.ts";
import { undamaged } from "./gather.ts";

/** Finds the rule for a call of a run's undo. */
export type PolicyOf = (run: Run, call: ResolvedCall) => Promise<GoverningRule>;

/** Makes the look-up; each run's policy is read once. One that this version can't read mentions nothing. */
export function recordedPolicies(journal: Journal, today: Policy | undefined): PolicyOf {
  const known = new Map<string, Promise<Policy | undefined>>();
  const policyOf = (digest: string) => {
    const policy = known.get(digest) ?? loadRecorded(journal, digest);
    known.set(digest, policy);
    return policy;
  };
  return async (run, { server, tool, args }) => {
    const policy = today ?? (await policyOf(run.policyDigest));
    return policy === undefined ? "unmentioned" : ruleForCall(policy, server, tool, args);
  };
}

async function loadRecorded(journal: Journal, digest: string): Promise<Policy | undefined> {
  const text = await undamaged(journal, digest);
  if (typeof text !== "string") return undefined;
  const loading = loadManifestText(text, { directory: "/", env: "any" });
  return loading.kind === "loaded" ? loading.policy : undefined;
}

// Which policy does a new server begin with? A shipped one where every rule of it checks out against the tools that the server really has,
// else a draft. Recognises a server by its tools: its name and its command may say anything.

import { ruleFor } from "../core/match-rule.ts";
import type { Policy, Rule } from "../core/policy.ts";
import { loadManifestText } from "../manifest/load.ts";
import { newManifest } from "../manifest/new-manifest.ts";
import { companionsFor, rulesTextFor, type ShippedPolicy } from "../manifest/shipped.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import { type Draft, draftRules } from "./draft-rules.ts";
import { policyFit } from "./policy-fit.ts";

/** Rules for a server, as `extendManifest` takes them. */
export type PolicyChoice =
  /** A shipped policy; `beside` are the tools that it doesn't mention, drafted (its summary counts only them). `rulesYaml` holds both. */
  | { readonly kind: "shipped"; readonly policy: ShippedPolicy; readonly rulesYaml: readonly string[]; readonly beside: Draft }
  | { readonly kind: "drafted"; readonly rulesYaml: readonly string[]; readonly draft: Draft };

/** The part of a policy that was drafted. */
export function draftIn(choice: PolicyChoice): Draft {
  return choice.kind === "shipped" ? choice.beside : choice.draft;
}

/** Chooses among shipped policies the fitting one with the most rules; drafts where none fits. */
export function choosePolicy(server: string, tools: readonly ListedTool[], shipped: readonly ShippedPolicy[]): PolicyChoice {
  let best: { shipped: ShippedPolicy; policy: Policy; rules: readonly Rule[] } | undefined;
  for (const each of shipped) {
    const policy = policyFor(each, server);
    const fit = policyFit(policy, server, tools);
    if (fit.kind === "fits" && fit.rules.length > (best?.rules.length ?? 0)) best = { shipped: each, policy, rules: fit.rules };
  }
  if (best === undefined) {
    const draft = draftRules(server, tools);
    return { kind: "drafted", rulesYaml: draft.rulesYaml, draft };
  }
  const { policy, rules } = best;
  const unmentioned = tools.filter(({ name }) => ruleFor(policy, server, name).rule === "unmentioned");
  const beside = draftRules(server, unmentioned);
  // One text each, in the order of the rules.
  const texts = rulesTextFor(best.shipped, server).filter((_text, index) => rules.some((rule) => rule === policy.rules[index]));
  return { kind: "shipped", policy: best.shipped, rulesYaml: [...texts, ...beside.rulesYaml], beside };
}

/** Reads a shipped policy as one for a server of this name; one that can't be read that way has no rules, and so never fits. */
function policyFor(shipped: ShippedPolicy, server: string): Policy {
  const companions = companionsFor(shipped, server, ["."]);
  const text = newManifest({ server: { name: server, command: "unused", args: [] }, companions, rulesYaml: rulesTextFor(shipped, server) });
  const loading = loadManifestText(text, { directory: "/", env: "any" });
  return loading.kind === "loaded" ? loading.policy : { servers: [], rules: [] };
}

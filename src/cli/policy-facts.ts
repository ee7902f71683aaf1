// What is there to say of a shipped policy? Its tools by class, which of them a test on the real server has proven, and what can't be undone.
import proofs from "../../manifests/proven.json";
import { hasWildcard, parseToolName } from "../core/match-rule.ts";
import type { ActionClass } from "../core/vocabulary.ts";
import { loadManifestText } from "../manifest/load.ts";
import { rulesTextFor, type ShippedPolicy } from "../manifest/shipped.ts";

/** One tool that a policy mentions. */
export interface ToolFacts {
  readonly tool: string;
  readonly class: ActionClass;
  /** Only said of what can be undone: a test made the call on the real server, undid it, and found the state as it was. */
  readonly proven: boolean | null;
  /** Why it isn't proven, or what the policy's author says of it; null where nothing is said. */
  readonly note: string | null;
}

/** A shipped policy as it is shown. */
export interface PolicyFacts {
  readonly name: string;
  readonly title: string;
  /** The package and version that its proofs ran on. */
  readonly tested: string;
  readonly companion: string | null;
  readonly tools: readonly ToolFacts[];
}

/** A policy's entry in manifests/proven.json. `tools`: `proven`, or why a tool that can be undone isn't. */
interface Proofs {
  readonly tested: string;
  readonly tools: Readonly<Record<string, string>>;
}

/** Gathers what is known of a policy. */
export function policyFacts(policy: ShippedPolicy): PolicyFacts {
  const { name, title, companion = null } = policy;
  const known: Readonly<Record<string, Proofs>> = proofs;
  const { tested = title, tools: proven = {} } = known[name] ?? {};
  const loading = loadManifestText(policy.text, { directory: "/", env: "any" });
  if (loading.kind === "invalid") throw new TypeError(`the shipped policy ${name} doesn't load: ${loading.problems[0]?.message}`);
  const notes = notesOf(policy);
  const tools = loading.policy.rules.flatMap(({ match, class: kind }): readonly ToolFacts[] => {
    const tool = parseToolName(match)?.tool ?? match;
    if (hasWildcard(match)) return [];
    const isUndone = kind === "reversible" || kind === "compensable";
    const proof = Object.hasOwn(proven, tool) ? proven[tool] : undefined;
    const note = proof === undefined || proof === "proven" ? (notes.get(match) ?? null) : proof;
    return [{ tool, class: kind, proven: isUndone ? proof === "proven" : null, note }];
  });
  return { name, title, tested, companion, tools };
}

/** The comments that stand before a rule, as one text. */
function notesOf(policy: ShippedPolicy): ReadonlyMap<string, string> {
  return new Map(
    rulesTextFor(policy, policy.name).flatMap((rule) => {
      const match = /^- match: "([^"]+)"/m.exec(rule)?.[1];
      const comments = [...rule.matchAll(/^# ?(.*)$/gm)].map(([, words = ""]) => words);
      return match === undefined || comments.length === 0 ? [] : [[match, comments.join(" ")] as const];
    }),
  );
}

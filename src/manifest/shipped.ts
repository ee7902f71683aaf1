// Which policies come with the executable? Their texts are part of it, so nothing has to lie beside it. Parses no YAML: the texts are
// ours, with every rule beginning at `  - match:`.
import crm from "../../manifests/crm.yaml" with { type: "text" };
import filesystem from "../../manifests/filesystem.yaml" with { type: "text" };
import memory from "../../manifests/memory.yaml" with { type: "text" };

/** A policy that was tried against the real server. */
export interface ShippedPolicy {
  /** Also the name that its one server has in the text. */
  readonly name: string;
  /** For a person: the server that it was written for. */
  readonly title: string;
  /** A whole manifest. */
  readonly text: string;
}

const SHIPPED: readonly ShippedPolicy[] = [
  { name: "crm", title: "the demo CRM", text: crm },
  { name: "filesystem", title: "@modelcontextprotocol/server-filesystem", text: filesystem },
  { name: "memory", title: "@modelcontextprotocol/server-memory", text: memory },
];

/** Lists the shipped policies. */
export function shippedPolicies(): readonly ShippedPolicy[] {
  return SHIPPED;
}

/**
 * Gives the rules of a shipped policy for a server of another name, one text each, as `extendManifest` takes them: comments first, then
 * `- match:`, both in the first column.
 */
export function rulesTextFor(policy: ShippedPolicy, server: string): readonly string[] {
  const prefix = new RegExp(`\\b(match|tool): "${policy.name}\\.`, "g");
  return rulesIn(policy.text).map((rule) => rule.replace(prefix, (_whole, key: string) => `${key}: "${server}.`));
}

function rulesIn(text: string): readonly string[] {
  const lines = text
    .slice(text.search(/^tools:/m))
    .split("\n")
    .slice(1);
  const rules: string[] = [];
  let comments: string[] = [];
  for (const line of lines.map((indented) => indented.replace(/^ {2}/, ""))) {
    if (line.trim() === "") continue;
    if (line.startsWith("#")) comments.push(line);
    else if (line.startsWith("- ")) {
      rules.push([...comments, line].join("\n"));
      comments = [];
    } else rules.push(`${rules.pop() ?? ""}\n${line}`);
  }
  return rules;
}

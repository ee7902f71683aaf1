// What does manifests/README.md say? Made from the shipped policies and from what was proven of them: `bun scripts/policies-table.ts` writes it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PolicyFacts, policyFacts, type ToolFacts } from "../src/cli/policy-facts.ts";
import { countsOf } from "../src/cli/render/policies.ts";
import { shippedPolicies } from "../src/manifest/shipped.ts";

const HEAD = `# The shipped policies

\`synartesis init\` takes one of these where its every rule fits the tools that a server really has, whatever the server calls itself.
A tool is _proven_ where a test made the call on the real server, undid it, and found the state as it was: byte for byte where the state is files, else by the
server's own reads. This page is made from the policies (\`bun scripts/policies-table.ts\`).
`;

/** Writes the page. */
export function policiesTable(): string {
  const policies = shippedPolicies().map(policyFacts);
  const rows = policies.map((facts) => {
    const { reads, undone, proven, held } = countsOf(facts.tools);
    return `| [\`${facts.name}\`](${facts.name}.yaml) | ${cell(facts.tested)} | ${facts.companion ?? ""} | ${reads} | ${undone} | ${proven} | ${held} |`;
  });
  return [
    HEAD,
    ...table("| policy | proven on | companion | only read | put back | of these proven | held |", rows),
    ...policies.flatMap(section),
  ]
    .join("\n")
    .concat("\n");
}

function section(facts: PolicyFacts): readonly string[] {
  const items = facts.tools
    .filter((tool) => tool.class !== "readonly")
    .map((tool) => `- \`${tool.tool}\`: ${proof(tool)}${tool.note === null ? "" : `. ${tool.note}`}`);
  return ["", `## ${facts.name}`, "", `For ${facts.title}.`, "", ...items];
}

function proof(tool: ToolFacts): string {
  if (tool.proven === null) return tool.class;
  return `${tool.class}, ${tool.proven ? "proven" : "not proven"}`;
}

function table(head: string, rows: readonly string[]): readonly string[] {
  return [head, head.replaceAll(/[^|]+/g, " --- "), ...rows];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

if (import.meta.main) writeFileSync(join(import.meta.dir, "../manifests/README.md"), policiesTable());

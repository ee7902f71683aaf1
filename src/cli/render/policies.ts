// How are the shipped policies listed? One line each: how many tools only read, can be put back, and are held.
import type { PolicyFacts } from "../policy-facts.ts";

/** Lists the policies. */
export function policiesText(policies: readonly PolicyFacts[]): string {
  const width = Math.max(...policies.map(({ name }) => name.length));
  return policies.map((facts) => `${facts.name.padEnd(width)}  ${facts.title}\n${" ".repeat(width)}  ${sumText(facts)}`).join("\n");
}

/** Sums up a policy's tools: `10 that only read, 3 put back (3 proven), 1 held`. */
export function sumText({ tools }: PolicyFacts): string {
  const { reads, undone, proven, held } = countsOf(tools);
  return `${reads} that only read, ${undone} put back (${proven} proven), ${held} held`;
}

/** Counts a policy's tools. */
export function countsOf(tools: PolicyFacts["tools"]): { reads: number; undone: number; proven: number; held: number } {
  const undone = tools.filter(({ proven }) => proven !== null);
  return {
    reads: tools.filter((tool) => tool.class === "readonly").length,
    undone: undone.length,
    proven: undone.filter(({ proven }) => proven === true).length,
    held: tools.filter((tool) => tool.class === "irreversible").length,
  };
}

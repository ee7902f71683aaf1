// How is it seen what others change in a thing that a call made, until undo takes it away? By the read that shows what the removing tool removes,
// told the same. Where there is none, the proposal says so. Never reads what the inverse isn't about.
import { type JsonObject, objectFrom } from "../core/json.ts";
import { reference } from "./found-in.ts";
import { type Catalog, type FoundTool, findRead } from "./pair.ts";
import { type DraftCall, type Proposal, readCall } from "./proposal.ts";

/** Adds to a proposal to take away what a call made, by `remover`, how that is seen after the call; or that nothing shows it. */
export function withObservation(catalog: Catalog, remover: FoundTool, proposal: Proposal): Proposal {
  if (proposal.class !== "compensable") return proposal;
  const observe = proposal.inverse === null ? undefined : observation(catalog, remover, proposal.inverse.args);
  if (observe !== undefined) return { ...proposal, observe };
  const reason = `${proposal.reason}; what others change in it until the undo goes with it, unseen`;
  return { ...proposal, reason, confidence: proposal.confidence === "high" ? "medium" : proposal.confidence };
}

function observation(catalog: Catalog, { facts }: FoundTool, told: JsonObject): DraftCall | undefined {
  const read = findRead(catalog, facts);
  if (read === undefined || !read.certain) return undefined;
  const values = new Map(Object.entries(told).map(([name, value]) => [reference("$", name), value]));
  const args = Object.entries(read.args).map(([name, value]) => {
    const isReferred = facts.inputs.some((input) => reference("$", input.name) === value);
    return [name, isReferred && typeof value === "string" ? values.get(value) : value] as const;
  });
  const known = args.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return known.length === args.length ? { ...readCall(read), args: objectFrom(known) } : undefined;
}

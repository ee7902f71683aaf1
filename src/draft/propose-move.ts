// How does a move that names both places go back? With the two exchanged, in every pair of inputs that names them. Never with one of them alone.
import type { JsonObject } from "../core/json.ts";
import { offsettingArguments } from "./arguments.ts";
import { reference } from "./found-in.ts";
import { compensable, type Proposal } from "./proposal.ts";
import type { Input, ToolFacts } from "./tool-facts.ts";

const SWAPS = "source/destination source/target from/to old/new src/dst src/dest".split(" ").map((pair) => pair.split("/"));

/** Proposes for a move that names where from and where to; undefined for any other. */
export function proposeMove(call: ToolFacts): Proposal | undefined {
  const exchanged: JsonObject = Object.fromEntries(
    call.inputs.flatMap((from) => {
      const to = otherPlace(call, from);
      return to === undefined ? [] : [[from.name, reference("$", to.name)] as const, [to.name, reference("$", from.name)] as const];
    }),
  );
  if (Object.keys(exchanged).length === 0) return undefined;
  const found = offsettingArguments(call, call, exchanged);
  return compensable(call, { facts: call, certain: true }, found, "the same tool moves it back; what it may have overwritten stays lost");
}

/** The input that names where to, of one that names where from. */
function otherPlace({ inputs }: ToolFacts, from: Input): Input | undefined {
  const words = from.key.split(" ");
  const renamed = inputs.find(({ key }) => key === `new ${from.key}`);
  if (renamed !== undefined && !words.includes("old")) return renamed;
  for (const [one = "", other = ""] of SWAPS) {
    if (!words.includes(one)) continue;
    const wanted = words.map((word) => (word === one ? other : word)).join(" ");
    const to = inputs.find(({ key, required }) => required === from.required && key === wanted);
    if (to !== undefined) return to;
  }
  return undefined;
}

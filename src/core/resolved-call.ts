// What is a tool call of ours, once nothing in it is open any more? Pure data: a snapshot, an observation or a call of an inverse.
import type { Json } from "./json.ts";

/** One tool call, fully resolved. `args` is what stands in `arguments`. */
export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Json;
}

/** Gives a call as the journal keeps it. */
export function writeCall({ server, tool, args }: ResolvedCall): Json {
  return { server, tool, args };
}

/** Gives the calls of an inverse as the journal keeps them: a single one as itself, any others as a list. */
export function writeCalls(calls: readonly ResolvedCall[]): Json {
  const [only] = calls;
  return calls.length === 1 && only !== undefined ? writeCall(only) : calls.map(writeCall);
}

/** Reads the calls of an inverse that writeCalls wrote. */
export function readCalls(stored: Json): readonly ResolvedCall[] {
  // Written as calls, and verified by its digest.
  return (Array.isArray(stored) ? stored : [stored]) as unknown as readonly ResolvedCall[];
}

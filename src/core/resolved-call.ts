// What is a tool call of ours, once nothing in it is open any more? Pure data: a snapshot, an observation or an inverse.
import type { Json } from "./json.ts";

/** One tool call, fully resolved. `args` is what stands in `arguments`. */
export interface ResolvedCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Json;
}

// What would come of the same history with a simpler undo? A blind inverse writes back whatever was there before; a guard of whole values does so only
// where nothing at all differs from what the agent left, and stops otherwise. On copies of the world; what moves by itself is left out of the
// guard's comparison, to be fair to it.
import { isJsonObject, type Json } from "../../src/core/json.ts";
import type { Cells } from "./cells.ts";
import { type AgentDeed, type Deed, isAgentDeed, lookOf } from "./history.ts";
import { toolOf } from "./tools.ts";
import type { World } from "./world.ts";

export const BASELINES = ["whole-value guard", "blind inverse"] as const;
export type Baseline = (typeof BASELINES)[number];

/** Undoes everything that the agents did, as the baseline would, and gives what is there then. */
export function undoneBy(baseline: Baseline, world: World, deeds: readonly Deed[]): Cells {
  const copy = world.copy();
  const stopped = new Set<number>();
  for (const deed of deeds.filter(isAgentDeed).toReversed()) {
    const { back, family } = toolOf(deed.call.tool);
    const isKnown = family !== "make" || deed.fault.kind !== "lost-done"; // nobody has heard what it made
    if (back === undefined || !isKnown || deed.effect.size === 0 || stopped.has(deed.agent)) continue;
    if (baseline === "whole-value guard" && !isAsLeft(copy, deed)) stopped.add(deed.agent);
    else copy.call(back(deed.call.args, deed.looked, deed.result));
  }
  return copy.cells();
}

function isAsLeft(world: World, { call, result, left }: AgentDeed): boolean {
  return withoutMoving(lookOf(world, call, result)) === withoutMoving(left);
}

function withoutMoving(value: Json): string {
  if (!isJsonObject(value)) return JSON.stringify(value);
  const { version: _version, updated_at: _updatedAt, ...rest } = value;
  return JSON.stringify(rest);
}

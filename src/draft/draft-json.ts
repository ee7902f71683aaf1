// What does a draft look like to a program? Names of tools, nothing of arguments; the shape is documented and stays.
import type { ListedTool } from "../upstream/upstream.ts";
import { draftTools, type ToolDraft } from "./draft-tools.ts";

/** What is proposed for one tool; `snapshot` and `inverse` are names of tools. */
export type DraftedTool = Pick<ToolDraft, "name" | "class" | "confidence" | "reason"> & {
  readonly snapshot: string | null;
  readonly inverse: string | null;
};

/** Drafts for a list of tools, in its order. */
export function draftJson(tools: readonly ListedTool[]): { readonly tools: readonly DraftedTool[] } {
  return {
    tools: draftTools(tools).map(({ name, class: drafted, snapshot, inverse, confidence, reason }) => ({
      name,
      class: drafted,
      snapshot: snapshot?.tool ?? null,
      inverse: inverse?.tool ?? null,
      confidence,
      reason,
    })),
  };
}

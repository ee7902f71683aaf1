// What was seen of a thing at one moment? Present with a value, absent, or unreadable; an unreadable state equals nothing, not even itself.
import type { Json } from "./json.ts";
import { sameState } from "./state-difference.ts";
import type { Reference } from "./template.ts";
import type { SnapshotState } from "./vocabulary.ts";

/** What one read showed. `not-text`: it holds bytes that are no text, so writing it back would damage it. */
export type State =
  | { readonly kind: "present"; readonly value: Json }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly cause: "failed" | "not-text"; readonly why: string };

/** Tells whether two states are certainly the same but for the ignored paths. */
export function isSameState(a: State, b: State, ignore: readonly Reference[]): boolean {
  if (a.kind === "present" && b.kind === "present") return sameState(a.value, b.value, ignore);
  return a.kind === "absent" && b.kind === "absent";
}

/** Gives a state as the journal keeps it; what couldn't be read is kept as none. */
export function storedState(state: State): { readonly state: SnapshotState; readonly value: Json | undefined } {
  if (state.kind === "present") return { state: "present", value: state.value };
  return { state: state.kind === "absent" ? "absent" : "none", value: undefined };
}

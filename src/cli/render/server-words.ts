// What does a server itself say of a tool, and of what a call did, in words? A person should know; nothing passes because of it. Pure.
import { deniesReading, hintsIn, type ToolHints, undoByOf } from "../../core/hints.ts";
import type { Action } from "../../journal/journal.ts";
import { localTime } from "./time.ts";
import { visible } from "./visible.ts";

const HINT_WORDS: Readonly<Record<keyof ToolHints, Readonly<Record<"true" | "false", string>>>> = {
  readOnlyHint: { true: "it only reads", false: "it changes something" },
  destructiveHint: { true: "it may destroy something", false: "it destroys nothing" },
  idempotentHint: { true: "the same call again changes nothing more", false: "the same call again changes more" },
  openWorldHint: { true: "it reaches out into the world", false: "it stays within the server" },
};

/** Gives all that a server says of a tool; undefined where it says nothing. */
export function hintsText(hints: ToolHints | undefined): string | undefined {
  if (hints === undefined) return undefined;
  const said = Object.entries(hints).map(([name, value]) => HINT_WORDS[name as keyof ToolHints][`${value}`]); // toolHints made it
  return `says of this tool that ${said.join(", ")}`;
}

/** Gives the lines about what a server says of an action: its effect, and where it takes the tool for something else than the policy. */
export function serverLines({ rule, class: kind, effect }: Action): readonly string[] {
  const hints = hintsIn(rule);
  const isRead = kind === "readonly";
  const until = undoByOf(effect ?? undefined);
  const undoBy = until === undefined ? effect?.undoBy : localTime(until);
  return [
    ...(isRead && hints !== undefined && deniesReading(hints) ? ["the server doesn't call this tool a read"] : []),
    ...(!isRead && hints?.readOnlyHint === true ? ["the server calls this tool a read"] : []),
    ...(effect?.effect === undefined ? [] : [`the server says of it: ${effect.effect}`]),
    ...(effect?.sideEffects === undefined ? [] : [`side effects, as the server says: ${effect.sideEffects}`]),
    ...(undoBy === undefined ? [] : [`to be undone by ${undoBy}, as the server says`]),
    ...(effect?.irreversible === true ? ["the server says that it can't be undone"] : []),
  ].map(visible);
}

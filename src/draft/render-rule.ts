// How does a drafted rule stand in a manifest? Only certain reads and what a person has accepted are in force; everything else is held, with
// the suggestion in a comment. Never lets a server's words out of their quotes or their comment line.
import { type Json, type JsonObject, printJson } from "../core/json.ts";
import type { ToolDraft } from "./draft-tools.ts";
import { reference } from "./found-in.ts";
import { absenceGuess, type DraftCall, type Proposal } from "./proposal.ts";
import { clipped, escapeInvisible, isMatchable, quoted } from "./words.ts";

/**
 * Writes the rule for one tool, an entry of the list under `tools:` that begins with `- match:` in the first column; several lines, no newline
 * at the end. `accepted`: a person agrees with the proposal, so that it is in force without a gate; what can't be accepted stays held.
 * A tool that no pattern can match exactly gives a comment only, and so stays unmentioned, which means held.
 */
export function renderRule(server: string, draft: ToolDraft, accepted: boolean): string {
  if (!isMatchable(draft.name))
    return `# ${quoted(clipped(draft.name))} has a name that no pattern matches exactly: it has no rule, and so it is held.`;
  const match = `- match: ${quoted(`${server}.${draft.name}`)}`;
  if (draft.class === "readonly" && (accepted || !draft.todo)) return `${match}\n  class: readonly # ${oneLine(draft.reason)}`;
  if (accepted && isAcceptable(draft)) return [match, ...inForce(server, draft)].join("\n");
  const comments = [...(draft.said === "" ? [] : [`The server says: ${quoted(draft.said)}`]), ...explained(server, draft, accepted)];
  return [match, ...comments.map((line) => `  # ${line}`), "  class: irreversible", "  gate: always"].join("\n");
}

/** Tells whether a proposal says all that a rule needs, so that it can be in force as it is. */
export function isAcceptable({ name, by, unresolved }: ToolDraft): boolean {
  return isMatchable(name) && (by !== undefined || unresolved.length === 0);
}

function inForce(server: string, draft: ToolDraft): readonly string[] {
  const why = [`# ${oneLine(draft.reason)}`, ...guessed(draft).map((line) => `# ${line}`)];
  return [...why, ...(draft.by === undefined ? membersOf(server, draft) : casesOf(server, draft.by))].map((line) => `  ${line}`);
}

function guessed(draft: ToolDraft): readonly string[] {
  const guess = absenceGuess(draft);
  return guess === undefined ? [] : [`A guess: ${oneLine(guess)}.`];
}

function casesOf(server: string, { argument, cases }: NonNullable<ToolDraft["by"]>): readonly string[] {
  const lines = cases.map((each) => {
    const members = each.unresolved.length === 0 ? membersOf(server, each) : ["class: irreversible"];
    return `  ${quoted(each.mode)}: { ${members.join(", ")} }`;
  });
  return [`by: ${quoted(reference("$", argument))}`, "cases:", ...lines];
}

function membersOf(server: string, { class: drafted, snapshot, observe, inverse }: Proposal): readonly string[] {
  return [
    `class: ${drafted}`,
    ...(drafted !== "irreversible" && snapshot !== null ? [`snapshot: ${call(server, snapshot)}`] : []),
    ...(drafted !== "irreversible" && observe !== null ? [`observe: ${call(server, observe)}`] : []),
    ...(drafted !== "irreversible" && inverse !== null ? [`inverse: ${call(server, inverse)}`] : []),
  ];
}

function call(server: string, { tool, args, absentWhen }: DraftCall): string {
  const words = absentWhen === undefined ? "" : `, absent_when: [${absentWhen.map(quoted).join(", ")}]`;
  return `{ tool: ${quoted(`${server}.${tool}`)}, args: ${flow(args)}${words} }`;
}

/** A mapping in one line; JSON is YAML, once nothing invisible is left in it. */
function flow(args: JsonObject): string {
  const members = Object.entries(args).map(([name, value]) => `${quoted(name)}: ${visibleJson(value)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function visibleJson(value: Json): string {
  return escapeInvisible(printJson(value));
}

function oneLine(text: string): string {
  return text.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, " ");
}

function explained(server: string, draft: ToolDraft, accepted: boolean): readonly string[] {
  const reason = oneLine(draft.reason);
  if (draft.by !== undefined)
    return [
      `TODO: held until you say otherwise: ${reason}.`,
      ...guessed(draft),
      "Suggested:",
      ...casesOf(server, draft.by).map((line) => `  ${line}`),
    ];
  if (draft.class === "irreversible") return [accepted ? `Held: ${reason}.` : `TODO: held, because ${reason}.`];
  const written = membersOf(server, draft).map((line) => `  ${line}`);
  const lost =
    draft.notRestored.length === 0 ? [] : [`It would not put back ${draft.notRestored.map((each) => quoted(clipped(each))).join(", ")}.`];
  return [
    `TODO: held until you say otherwise: ${reason}.`,
    ...lost,
    ...guessed(draft),
    draft.unresolved.length === 0 ? "Suggested:" : "Suggested, but incomplete:",
    ...written,
  ];
}

// What can be asked of `undo` and `redo`? The options that both take, and the request that they become.
import type { Policy } from "../../core/policy.ts";
import { SynartesisError } from "../../errors.ts";
import type { Target, UndoRequest } from "../../undo/prepare-undo.ts";
import type { Selection } from "../../undo/select-actions.ts";
import { givenOptions } from "../args.ts";
import { type Args, BY_OPTION, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { durationOf } from "../quantities.ts";

/** Options that `undo` and `redo` share. An action is named by its number in the run, or by its id. */
export const REVERSING_OPTIONS = {
  "dry-run": { kind: "flag", about: "only show the plan" },
  out: { kind: "text", value: "FILE", about: "save the plan instead, to be carried out with --plan" },
  plan: { kind: "text", value: "FILE", about: "carry out this saved plan, unless anything it saw has changed" },
  from: { kind: "text", value: "SEQ", about: "leave the actions after this one" },
  to: { kind: "text", value: "SEQ", about: "leave the actions before this one" },
  only: { kind: "list", value: "SEQ,...", about: "these actions and no others" },
  server: { kind: "text", value: "NAME", from: "servers", about: "only what was done on this server" },
  resource: { kind: "text", value: "NAME", about: "only what touched this, as the plan names it" },
  since: { kind: "text", value: "10m", about: "only what was done in the last so many seconds, minutes, hours or days" },
  "with-dependents": { kind: "flag", about: "take along what builds on the chosen actions" },
  alone: { kind: "flag", about: "leave what builds on the chosen actions as it is" },
  "keep-going": { kind: "flag", about: "after a halt, go on with what isn't connected to it" },
  skip: { kind: "list", value: "SEQ,...", about: "leave these as they are, from now on" },
  overwrite: { kind: "list", value: "SEQ,...", about: "put these back over what others changed since" },
  "try-expired": { kind: "flag", about: "try also what is past its undo window, or can't be undone as its server says" },
  live: { kind: "flag", about: "undo through the session of the agent that is still connected" },
  yes: { kind: "flag", about: "don't ask" },
  ...BY_OPTION,
  ...JSON_OPTION,
  ...JOURNAL_OPTIONS,
} as const;

/** The options of `undo` and `redo`, as they were given. */
export type ReversingOptions = Args<typeof REVERSING_OPTIONS>["options"];

/** Gives the request that the options mean; `now` is in milliseconds since the epoch. @throws SynartesisError usage */
export function requestOf(options: ReversingOptions, target: Target, replan: Policy | undefined, now: number): UndoRequest {
  return {
    target,
    selection: selectionOf(options, now),
    keepGoing: options["keep-going"],
    skip: words(options.skip),
    overwrite: words(options.overwrite),
    tryExpired: options["try-expired"],
    live: options.live,
    replan,
  };
}

/** What may be given with --plan: nothing that would make it another plan. */
const BESIDE_PLAN: ReadonlySet<string> = new Set(["plan", "dry-run", "yes", "by", "json", "journal", "manifest"]);

/** Refuses what a saved plan can't heed: it is carried out as it was saved. @throws SynartesisError usage */
export function refuseBesidePlan(options: ReversingOptions, run: string | undefined): void {
  const other = givenOptions(options).find((name) => !BESIDE_PLAN.has(name));
  const beside = other === undefined ? run : `--${other}`;
  if (options.plan === undefined || beside === undefined) return;
  throw new SynartesisError("usage", `--plan carries out what was saved and nothing else, so ${beside} can't be given with it`);
}

function selectionOf(options: ReversingOptions, now: number): Selection {
  if (options["with-dependents"] && options.alone)
    throw new SynartesisError("usage", "--with-dependents and --alone can't be given together");
  const only = words(options.only);
  const since = durationOf("--since", options.since);
  return {
    from: options.from,
    to: options.to,
    ...(only.length === 0 ? {} : { only }),
    server: options.server,
    resource: options.resource,
    since: since === undefined ? undefined : now - since,
    dependents: options["with-dependents"] ? "with" : options.alone ? "alone" : "refuse",
  };
}

function words(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(",")).filter((word) => word !== "");
}

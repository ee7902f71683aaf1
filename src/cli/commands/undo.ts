// What does `synartesis undo` do? Shows the plan, asks on a terminal, carries it out newest first, and says what still stands.
import { SynartesisError } from "../../errors.ts";
import type { Target } from "../../undo/prepare-undo.ts";
import { defineCommand } from "../command.ts";
import { findManifest } from "../find-files.ts";
import { openExisting } from "../open-journal.ts";
import { durationOf } from "../quantities.ts";
import { readManifest } from "../read-manifest.ts";
import { REVERSING_OPTIONS, refuseBesidePlan, requestOf } from "../undo/undo-options.ts";

export default defineCommand({
  name: "undo",
  usage: "undo [RUN] [--dry-run] [--to SEQ] [-- COMMAND ARGS...]",
  about:
    "Puts back what a run changed, newest first: the latest run that isn't undone, unless told.\nHalts where somebody changed the same thing since, or where it can't be known what happened.\nA server that was wrapped by hand (proxy --server NAME -- COMMAND), not by init or\nconnect, needs the same COMMAND after --.",
  example: "undo --dry-run",
  options: {
    ...REVERSING_OPTIONS,
    "all-runs": { kind: "flag", about: "with --since: what all agents did, in order of time" },
    replan: { kind: "flag", about: "use today's manifest on the state captured then" },
  },
  positionals: { min: 0, max: 1, from: "undoable-runs" },
  rest: true,
  async run(context, { options, positionals, rest }) {
    refuseBesidePlan(options, positionals[0]);
    const target = targetOf(positionals[0], options["all-runs"], durationOf("--since", options.since), context.io.now());
    const opened = await openExisting(context, options);
    const today = options.replan ? (await readManifest(context.io, findManifest(context.io, options))).policy : undefined;
    const { performUndo } = await import("../undo/perform-undo.ts");
    const { readPlan } = await import("../undo/plan-file.ts");
    const saved = options.plan === undefined ? undefined : await readPlan(opened.journal, options.plan, "undo");
    const request = saved?.request ?? requestOf(options, target, today, context.io.now());
    return performUndo(context, { opened, request, options, wrappedCommand: rest, saved });
  },
});

function targetOf(prefix: string | undefined, allRuns: boolean, since: number | undefined, now: number): Target {
  if (!allRuns) return { kind: "run", prefix };
  if (prefix !== undefined) throw new SynartesisError("usage", `either the run ${prefix} or --all-runs`);
  if (since === undefined) throw new SynartesisError("usage", "--all-runs needs to know since when: undo --since 10m --all-runs");
  return { kind: "all-runs", since: now - since };
}

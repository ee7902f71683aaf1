// What does `synartesis redo` do? Undoes an undo: what that put back is as the agent left it again, and can be undone anew.
import { defineCommand } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { REVERSING_OPTIONS, refuseBesidePlan, requestOf } from "../undo/undo-options.ts";

export default defineCommand({
  name: "redo",
  usage: "redo [UNDO] [--dry-run] [-- COMMAND ARGS...]",
  about:
    "Undoes an undo: what it put back is as the agent left it again. Unless told which,\nthe latest undo of which something is still put back.\nA step that has no way back of its own is sent again as the agent sent it, after\nasking. Halts like undo where somebody changed the same thing since.",
  example: "redo --dry-run",
  options: REVERSING_OPTIONS,
  positionals: { min: 0, max: 1, from: "undo-runs" },
  rest: true,
  async run(context, { options, positionals, rest }) {
    refuseBesidePlan(options, positionals[0]);
    const opened = await openExisting(context, options);
    const { performUndo } = await import("../undo/perform-undo.ts");
    const { readPlan } = await import("../undo/plan-file.ts");
    const saved = options.plan === undefined ? undefined : await readPlan(opened.journal, options.plan, "redo");
    const request = saved?.request ?? requestOf(options, { kind: "undo", prefix: positionals[0] }, undefined, context.io.now());
    return performUndo(context, { opened, request, options, wrappedCommand: rest, saved });
  },
});

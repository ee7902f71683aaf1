// What does `synartesis resolve` do? Records a person's answer where it can't be known whether a call happened. Never looks at the world: undo does.
import { SynartesisError } from "../../errors.ts";
import { BY_OPTION, defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { visible } from "../render/visible.ts";

export default defineCommand({
  name: "resolve",
  usage: "resolve ACTION --applied | --not-applied",
  about:
    "Says what became of a call whose reply was lost, for undo to go by.\nundo looks by itself first; this is for what no look can tell.",
  example: "resolve 9b41c7 --not-applied",
  options: {
    applied: { kind: "flag", about: "it happened" },
    "not-applied": { kind: "flag", about: "it did not happen" },
    ...BY_OPTION,
    ...JSON_OPTION,
    ...JOURNAL_OPTIONS,
  },
  positionals: { min: 1, max: 1, from: "unknown-calls" },
  async run(context, { options, positionals }) {
    if (options.applied === options["not-applied"])
      throw new SynartesisError("usage", "resolve needs one of --applied and --not-applied", { hint: "look at the server itself first" });
    const opened = await openExisting(context, options);
    const { resolveAction } = await import("../../undo/resolve-action.ts");
    const by = options.by ?? context.io.loginName;
    const action = await resolveAction(opened.journal, positionals[0] ?? "", options.applied, by);
    const status = options.applied ? "applied" : "failed";
    if (options.json) context.printJson({ resolved: { action: action.id, server: action.server, tool: action.tool, status, by } });
    else
      context.print(
        `${visible(`${action.server}.${action.tool}`)} (${action.id}) counts as ${options.applied ? "done" : "not done"} from now on, says ${visible(by)}.`,
      );
    return 0;
  },
});

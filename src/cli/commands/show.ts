// What happened in one run? Every call in order, and the exact call that would undo it. Never changes anything.
import { SynartesisError } from "../../errors.ts";
import type { Journal, Run } from "../../journal/journal.ts";
import { defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { actionDocument, runDocument } from "../render/documents.ts";
import { timelineText } from "../render/timeline.ts";
import { actionFacts, runFacts } from "../run-facts.ts";
import { styleOf, viewOf } from "../view.ts";

export default defineCommand({
  name: "show",
  usage: "show [RUN]",
  about:
    "Shows one run, the latest unless told: every call with its class and what became of it,\nthe exact call that would undo it, or which undo put it back and who decided what.",
  example: "show 7f3a2c",
  options: { ...JSON_OPTION, ...JOURNAL_OPTIONS },
  positionals: { min: 0, max: 1, from: "runs" },
  async run(context, { options, positionals }) {
    const opened = await openExisting(context, options);
    const facts = await runFacts(opened.journal, await findRun(opened.journal, positionals[0]));
    const others = new Map<string, Run>();
    const recorded = await opened.journal.actions(facts.run.id);
    const actions = await Promise.all(recorded.map((action) => actionFacts(opened.journal, action, others)));
    if (options.json) context.printJson({ run: runDocument(facts), actions: actions.map(actionDocument) });
    else context.print(timelineText(facts, actions, viewOf(context, opened), styleOf(context)));
    return 0;
  },
});

async function findRun(journal: Journal, prefix: string | undefined): Promise<Run> {
  if (prefix !== undefined) return journal.findRun(prefix);
  const [latest] = await journal.runs({ limit: 1 });
  if (latest === undefined) throw new SynartesisError("not-found", "no runs yet", { hint: "a run begins when a client starts the proxy" });
  return latest;
}

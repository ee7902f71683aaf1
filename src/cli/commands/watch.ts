// What is going on now? The latest runs and what waits for a person, printed once. Never answers.
import { defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { actionDocument, runDocument } from "../render/documents.ts";
import { gatesText } from "../render/gates.ts";
import { runsText } from "../render/runs.ts";
import { runFacts } from "../run-facts.ts";
import { styleOf, viewOf } from "../view.ts";
import { waitingCalls } from "../waiting.ts";

const LATEST = 10;

export default defineCommand({
  name: "watch",
  usage: "watch [--once]",
  about: "Shows the latest runs and the calls that wait for a person, and ends.",
  example: "watch --once",
  options: {
    once: { kind: "flag", about: "print once and end (as it does anyway, until there is a live view)" },
    ...JSON_OPTION,
    ...JOURNAL_OPTIONS,
  },
  async run(context, { options }) {
    const opened = await openExisting(context, options);
    const found = await opened.journal.runs({ limit: LATEST });
    const runs = await Promise.all(found.map((run) => runFacts(opened.journal, run)));
    const waiting = await waitingCalls(opened.journal, await opened.journal.waiting());
    if (options.json) {
      context.printJson({ runs: runs.map(runDocument), waiting: waiting.map(({ facts }) => actionDocument(facts)) });
      return 0;
    }
    const view = viewOf(context, opened);
    context.print(`${runsText(runs, view)}\n\n${gatesText(waiting, view, styleOf(context))}`);
    return 0;
  },
});

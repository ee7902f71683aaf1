// What is going on now? At a terminal the screen, on what waits or the latest run; piped, the latest runs and what waits, printed once.
import { ANSWER_OPTIONS } from "../answer.ts";
import { defineCommand } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { actionDocument, runDocument } from "../render/documents.ts";
import { gatesText } from "../render/gates.ts";
import { runsText } from "../render/runs.ts";
import { runFacts } from "../run-facts.ts";
import { isScreen, styleOf, viewOf } from "../view.ts";
import { waitingCalls } from "../waiting.ts";

const LATEST = 10;

export default defineCommand({
  name: "watch",
  usage: "watch [--once] [--by NAME] [--no-notify]",
  about:
    "Opens the screen on the calls that wait for a person, or on the latest run: a approves, d denies, enter opens, u undoes (with the plan shown first), ? lists the keys. It tells of calls that are newly held by the terminal's bell and on the desktop. Piped, it prints the latest runs and what waits, and ends.",
  example: "watch --once",
  options: {
    once: { kind: "flag", about: "print once and end, also at a terminal" },
    "no-notify": { kind: "flag", about: "neither ring the bell nor notify on the desktop when a call is held" },
    runs: { kind: "flag", about: "begin with the runs", hidden: true },
    ...ANSWER_OPTIONS,
  },
  async run(context, { options }) {
    const opened = await openExisting(context, options);
    if (!options.once && !options.json && isScreen(context.io)) {
      const { openScreen } = await import("../screen/open-screen.ts");
      return openScreen(context, opened, {
        by: options.by,
        unknownClient: options["unknown-client"],
        notify: !options["no-notify"],
        onRuns: options.runs,
      });
    }
    const found = await opened.journal.runs({ limit: LATEST });
    const runs = await Promise.all(found.map((run) => runFacts(opened.journal, run)));
    const waiting = await waitingCalls(opened.journal, await opened.journal.waiting());
    if (options.json) {
      context.printJson({ runs: runs.map(runDocument), waiting: waiting.map(({ facts }) => actionDocument(facts)) });
      return 0;
    }
    const view = viewOf(context, opened);
    context.print(`${runsText(runs, view)}\n\n${gatesText(waiting, [], view, styleOf(context))}`);
    return 0;
  },
});

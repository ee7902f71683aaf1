// Ends a run that a killed proxy left open. Never one that a living process holds.
import { SynartesisError } from "../../errors.ts";
import type { Journal, Run } from "../../journal/journal.ts";
import { defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { wasLeftOpen } from "../render/runs.ts";
import { runFacts } from "../run-facts.ts";

export default defineCommand({
  name: "close",
  usage: "close [RUN]",
  about: "Ends a run that a killed proxy left open; calls it was waiting for become unknown.\nWith one such run, RUN may be left out.",
  example: "close 7f3a2c",
  options: { ...JSON_OPTION, ...JOURNAL_OPTIONS },
  positionals: { min: 0, max: 1, from: "open-runs" },
  async run(context, { options, positionals }) {
    const { journal, command } = await openExisting(context, options);
    const run = positionals[0] === undefined ? await theOneLeftOpen(journal) : await journal.findRun(positionals[0]);
    const result = await journal.closeRun(run.id);
    if (result.kind === "alive") {
      throw new SynartesisError("refused", `process ${result.process.pid} still holds run ${run.id}`, { hint: "end its client first" });
    }
    const unknown = result.kind === "closed" ? result.unknown : 0;
    if (options.json) context.printJson({ run: run.id, closed: result.kind === "closed", unknown });
    else if (result.kind === "already") context.print(`run ${run.id} had ended already`);
    else context.print(`closed run ${run.id}${unknownText(unknown, command("show", run.id))}`);
    return 0;
  },
});

function unknownText(unknown: number, show: string): string {
  if (unknown === 0) return "";
  return `; of ${unknown === 1 ? "1 call" : `${unknown} calls`} it can't be known whether it happened: ${show}`;
}

async function theOneLeftOpen(journal: Journal): Promise<Run> {
  const open = (await journal.runs()).filter(({ state }) => state === "open");
  const left = (await Promise.all(open.map((run) => runFacts(journal, run)))).filter(wasLeftOpen).map(({ run }) => run);
  const [only, ...others] = left;
  if (only === undefined) throw new SynartesisError("not-found", "no run was left open");
  if (others.length === 0) return only;
  throw new SynartesisError("ambiguous", `${left.length} runs were left open: ${left.map(({ id }) => id).join(", ")}`, {
    hint: "name one of them",
  });
}

// Which runs are there? Newest first, one line each. Never changes anything.
import { SynartesisError } from "../../errors.ts";
import { defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { runDocument } from "../render/documents.ts";
import { runsText } from "../render/runs.ts";
import { runFacts } from "../run-facts.ts";
import { viewOf } from "../view.ts";

const DEFAULT_LIMIT = 20;

export default defineCommand({
  name: "list",
  usage: "list [--limit N]",
  about: "Lists the runs, newest first: what each agent session did, and what was undone.",
  example: "list --limit 5",
  options: {
    limit: { kind: "text", value: "N", about: `at most so many (default: ${DEFAULT_LIMIT})` },
    ...JSON_OPTION,
    ...JOURNAL_OPTIONS,
  },
  async run(context, { options }) {
    const limit = limitFrom(options.limit);
    const opened = await openExisting(context, options);
    const found = await opened.journal.runs({ limit: limit + 1 });
    const runs = await Promise.all(found.slice(0, limit).map((run) => runFacts(opened.journal, run)));
    const more = found.length > limit;
    if (options.json) {
      context.printJson({ runs: runs.map(runDocument), more });
      return 0;
    }
    context.print(runsText(runs, viewOf(context, opened)));
    if (more) context.print(`\nolder runs: ${opened.command("list", "--limit", String(limit * 5))}`);
    return 0;
  },
});

function limitFrom(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SynartesisError("usage", `--limit can't be "${text}"`, { hint: "a whole number from 1 up" });
}

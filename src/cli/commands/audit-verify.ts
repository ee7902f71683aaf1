// Is the record complete and unchanged? Recomputes it, offline. Never changes the journal.
import type { Finding } from "../../journal/verify.ts";
import { defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { locateJournal } from "../open-journal.ts";
import { visible } from "../render/visible.ts";

export default defineCommand({
  name: "audit verify",
  usage: "audit verify",
  about:
    "Verifies that the record is complete and unchanged: every event by its hash, every stored value by its digest,\n" +
    "and the tables by the events. Exits with 1 where it is not.",
  example: "audit verify --json",
  options: { ...JSON_OPTION, ...JOURNAL_OPTIONS },
  async run(context, { options }) {
    const file = locateJournal(context, options);
    const { verifyJournal } = await import("../../journal/verify.ts");
    const report = await verifyJournal(file);
    const intact = report.kind === "intact";
    const findings = intact ? [] : report.findings;
    const losses = intact ? report.losses : [];
    if (options.json) {
      const head = intact ? report.head : null;
      context.printJson({ journal: file, intact, events: head?.number ?? null, head: head?.hash ?? null, findings, losses });
    } else if (intact) {
      for (const loss of losses) context.print(findingText(loss));
      context.print(`intact: ${visible(file)}, ${report.events === 1 ? "1 event" : `${report.events} events`}, head ${report.head.hash}`);
    } else {
      for (const finding of findings) context.print(findingText(finding));
      context.print(`damaged: ${visible(file)}, ${findings.length === 1 ? "1 finding" : `${findings.length} findings`}`);
    }
    return intact ? 0 : 1;
  },
});

function findingText({ event, table, key, what }: Finding): string {
  const at = [event === undefined ? "" : `event ${event}`, table ?? "", key ?? ""].filter((part) => part !== "").join(" ");
  return visible(at === "" ? what : `${at}: ${what}`);
}

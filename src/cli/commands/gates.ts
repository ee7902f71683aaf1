// What waits for a person, and which approvals aren't used yet? Each held call whole, with the commands that answer it. Never answers.
import { defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../command.ts";
import { openExisting } from "../open-journal.ts";
import { actionDocument } from "../render/documents.ts";
import { gatesText } from "../render/gates.ts";
import { styleOf, viewOf } from "../view.ts";
import { waitingCalls } from "../waiting.ts";

export default defineCommand({
  name: "gates",
  usage: "gates",
  about:
    "Shows the calls that wait for a person: what, why, and the commands that approve or deny each; then the approvals that aren't used yet.",
  example: "gates",
  options: { ...JSON_OPTION, ...JOURNAL_OPTIONS },
  async run(context, { options }) {
    const opened = await openExisting(context, options);
    const waiting = await waitingCalls(opened.journal, await opened.journal.waiting());
    const approved = await waitingCalls(opened.journal, await opened.journal.approved());
    const documents = (calls: typeof waiting) => calls.map(({ facts }) => actionDocument(facts));
    if (options.json) context.printJson({ waiting: documents(waiting), approved: documents(approved) });
    else context.print(gatesText(waiting, approved, viewOf(context, opened), styleOf(context)));
    return 0;
  },
});

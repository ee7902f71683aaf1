// Records changes and reads on a journal that others write to at the same time. Arguments: file, number of changes, how many at once.
import { openJournal } from "../../../src/journal/open.ts";
import { intended, newIntent, newRead, newRun } from "../calls.ts";

const [file = "", count = "0", parallel = "1"] = Bun.argv.slice(2);
const journal = await openJournal({ file, mode: "create" });
const run = await journal.openRun(newRun({ joinKey: "together" }));
let left = Number(count);
async function work(): Promise<void> {
  while (left > 0) {
    const args = { number: left-- };
    const action = await intended(journal, newIntent(run.id, { args }));
    await journal.settle(action, { status: "applied", reason: null, result: args });
    journal.recordFinished(newRead(run.id, { args }));
  }
}
await Promise.all(Array.from({ length: Number(parallel) }, work));
await journal.leaveRun(run.id);
await journal.close();
console.log(run.id);

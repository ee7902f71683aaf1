// Records intents until it is killed or its input ends, and prints each only once it is acknowledged. Arguments: file.
import { openJournal } from "../../../src/journal/open.ts";
import { intended, newIntent, newRead, newRun } from "../calls.ts";

void Bun.stdin.text().then(() => process.exit()); // whoever started it is gone
const [file = ""] = Bun.argv.slice(2);
const journal = await openJournal({ file, mode: "create" });
const run = await journal.openRun(newRun());
async function work(): Promise<never> {
  for (;;) {
    const action = await intended(journal, newIntent(run.id, { snapshot: { text: "x".repeat(5000), at: performance.now() } }));
    console.log(action);
    journal.recordFinished(newRead(run.id));
    await journal.settle(action, { status: "applied", reason: null, result: { done: action } });
  }
}
await Promise.all([work(), work(), work(), work()]);

// Reads a journal without a pause until it is killed or its input ends; prints a line once it has begun. Arguments: file, run.
import { openJournal } from "../../../src/journal/open.ts";

void Bun.stdin.text().then(() => process.exit()); // whoever started it is gone
const [file = "", run = ""] = Bun.argv.slice(2);
const journal = await openJournal({ file, mode: "existing" });
await journal.actions(run);
console.log("reading");
for (;;) {
  for (let count = 0; count < 20; count++) await journal.actions(run);
  await new Promise((resolve) => setImmediate(resolve));
}

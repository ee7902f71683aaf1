// Reads a journal without a pause until it is killed; prints a line once it has begun. Arguments: file, run.
import { openJournal } from "../../../src/journal/open.ts";

const [file = "", run = ""] = Bun.argv.slice(2);
const journal = await openJournal({ file, mode: "existing" });
await journal.actions(run);
console.log("reading");
for (;;) await journal.actions(run);

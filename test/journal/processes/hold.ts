// Holds the same call many times, or once; prints the ids of the holds. Arguments: file, run.
import { openJournal } from "../../../src/journal/open.ts";
import { newCall } from "../calls.ts";

const [file = "", run = ""] = Bun.argv.slice(2);
const journal = await openJournal({ file, mode: "existing" });
console.log((await journal.hold(newCall(run), "gate-always")).id);
await journal.close();

// Tries to run on one approval, once told to by a line. Arguments: file, run, approval.
import { openJournal } from "../../../src/journal/open.ts";
import { newIntent } from "../calls.ts";

const [file = "", run = "", approval = ""] = Bun.argv.slice(2);
const journal = await openJournal({ file, mode: "existing" });
console.log("ready");
await Bun.stdin.stream().getReader().read();
console.log((await journal.intend(newIntent(run, { approval }))).kind);
await journal.close();

// Holds a lease until it is killed. Arguments: file, key.
import { openJournal } from "../../../src/journal/open.ts";

const [file = "", key = ""] = Bun.argv.slice(2);
const journal = await openJournal({ file, mode: "existing" });
await journal.lease([key]);
console.log("leased");
await new Promise(() => setInterval(() => undefined, 1000));

// What is the files companion to whoever starts it? An MCP server over stdio, confined to the folders named. stdout is the protocol.
import { SynartesisError } from "../../errors.ts";
import { defineCommand } from "../command.ts";
import { sizeOf } from "../quantities.ts";

/** The largest file taken, in bytes, where nothing is said (64 MiB). */
const MAX_SIZE = 64 * 1024 * 1024;

export default defineCommand({
  name: "companion files",
  usage: "companion files --root DIR",
  about:
    "An MCP server over stdio for what a file server can't do itself: it reads files byte for byte, and writes, deletes or moves one only if it still\n" +
    "is what the caller says. It touches nothing outside of its roots. A manifest's rules use it as a `hidden` server (docs/companions.md);\n" +
    "it can be used alone as well, with any client.",
  example: "companion files --root ~/project",
  options: {
    root: { kind: "list", value: "DIR", about: "a folder that it may touch; several times for several" },
    "max-size": { kind: "text", value: "SIZE", about: "the largest file that it reads or writes (default 64MiB)" },
  },
  async run({ io }, { options }) {
    if (options.root.length === 0)
      throw new SynartesisError("usage", "companion files needs to know which folder it may touch", { hint: "name it with --root DIR" });
    const limit = sizeOf("--max-size", options["max-size"]) ?? MAX_SIZE;
    const { serveFiles } = await import("../../companion/files/tools.ts");
    await serveFiles({ roots: options.root, cwd: io.cwd, limit });
    return 0;
  },
});

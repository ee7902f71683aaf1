// What is the git companion to whoever starts it? An MCP server over stdio, confined to the repositories named. stdout is the protocol.
import { SynartesisError } from "../../errors.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  name: "companion git",
  usage: "companion git --repo DIR",
  about:
    "An MCP server over stdio for what a git server can't do itself: it shows where a repository stands, and puts HEAD, branches, tags, what is staged and\n" +
    "stashes back only if they still are what the caller says. It runs the git on your PATH, and no program that a repository names (hooks,\n" +
    "filters, drivers, transports). A manifest's rules use it as a `hidden` server (docs/companions.md); it can be used alone as well, with any client.",
  example: "companion git --repo ~/project",
  options: {
    repo: { kind: "list", value: "DIR", about: "a repository that it may change; several times for several" },
    root: { kind: "list", value: "DIR", about: "a folder: the repositories in it" },
  },
  async run({ io }, { options }) {
    const { repo: repositories, root } = options;
    if (repositories.length + root.length === 0)
      throw new SynartesisError("usage", "companion git needs to know which repository it may change", { hint: "name it with --repo DIR" });
    const { serveGit } = await import("../../companion/git/tools.ts");
    await serveGit({ repositories, folders: root, cwd: io.cwd, env: io.env });
    return 0;
  },
});

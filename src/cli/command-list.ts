// Which commands are there? Names and one line each, so that help needs to load none of them; the word that was typed loads its own file.
import type { Command } from "./command.ts";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly default: Command }>;
}

/** Every command, in the order of help. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: "init", summary: "draft or extend a manifest for one server", load: () => import("./commands/init.ts") },
  { name: "connect", summary: "put the proxy in front of the servers that a client has", load: () => import("./commands/connect.ts") },
  { name: "disconnect", summary: "take it out again, byte for byte", load: () => import("./commands/disconnect.ts") },
  { name: "check", summary: "check the manifest against the servers it names", load: () => import("./commands/check.ts") },
  { name: "drill", summary: "prove a policy: call, undo, compare, on a scratch server", load: () => import("./commands/drill.ts") },
  { name: "policies", summary: "list the policies that come with this program", load: () => import("./commands/policies.ts") },
  { name: "policies show", summary: "print one of them", load: () => import("./commands/policies-show.ts") },
  { name: "proxy", summary: "stand between a client and a server (what the client starts)", load: () => import("./commands/proxy.ts") },
  { name: "login", summary: "log in to a server that is reached by URL", load: () => import("./commands/login.ts") },
  { name: "list", summary: "list the runs, newest first", load: () => import("./commands/list.ts") },
  { name: "show", summary: "show one run: every call, and what would undo it", load: () => import("./commands/show.ts") },
  { name: "gates", summary: "show the calls that wait for a person", load: () => import("./commands/gates.ts") },
  { name: "approve", summary: "let a waiting call through, once", load: () => import("./commands/approve.ts") },
  { name: "deny", summary: "refuse a waiting call, with a reason", load: () => import("./commands/deny.ts") },
  { name: "undo", summary: "put back what a run changed", load: () => import("./commands/undo.ts") },
  { name: "redo", summary: "undo an undo", load: () => import("./commands/redo.ts") },
  { name: "resolve", summary: "say what became of a call whose reply was lost", load: () => import("./commands/resolve.ts") },
  { name: "watch", summary: "show the runs and what waits", load: () => import("./commands/watch.ts") },
  { name: "close", summary: "end a run that a killed proxy left open", load: () => import("./commands/close.ts") },
  { name: "audit verify", summary: "verify that the record is complete and unchanged", load: () => import("./commands/audit-verify.ts") },
  { name: "token create", summary: "make a token for a client that comes by HTTP", load: () => import("./commands/token-create.ts") },
  {
    name: "companion files",
    summary: "be a server for files whose every change can be put back",
    load: () => import("./commands/companion-files.ts"),
  },
  { name: "companion git", summary: "be a server that puts git repositories back", load: () => import("./commands/companion-git.ts") },
  { name: "doctor", summary: "look whether everything works together, and say what mends it", load: () => import("./commands/doctor.ts") },
  { name: "completions", summary: "print what makes a shell complete our commands", load: () => import("./commands/completions.ts") },
  { name: "demo", summary: "a guided tour in a temporary folder", load: () => import("./commands/demo.ts") },
];

// What does `synartesis demo` start? The guided tour; and, for the tour itself and for the walkthrough, its CRM or its agent alone.
import { SynartesisError } from "../../errors.ts";
import { type Context, defineCommand } from "../command.ts";
import { commandLine } from "../command-line.ts";

export default defineCommand({
  name: "demo",
  usage: "demo [--crm [--state FILE] | --agent SCRIPT]",
  about:
    "A guided tour with a small CRM that is built in: an agent does damage, and you see what undo does about it.\n" +
    "It works in a temporary folder and leaves nothing behind. With --crm it is that CRM alone, as an MCP server over stdio;\n" +
    "with --agent it is the agent alone, a client that makes a few fixed calls to the server `crm` of the manifest found here.",
  example: "demo",
  options: {
    crm: { kind: "flag", about: "be the tour's CRM, as an MCP server over stdio" },
    state: { kind: "text", value: "FILE", about: "where the CRM keeps its customers (default crm.json; made with a few customers)" },
    agent: { kind: "text", value: "SCRIPT", about: "be the tour's agent, in the current folder: cleanup, plans or letter" },
  },
  async run(context, { options }) {
    if (options.crm && options.agent !== undefined) throw new SynartesisError("usage", "either --crm or --agent, not both");
    if (options.state !== undefined && !options.crm) throw new SynartesisError("usage", "--state goes with --crm");
    if (options.crm) {
      const { startCrm } = await import("../../demo/crm/server.ts");
      await startCrm({ stateFile: options.state ?? "crm.json" });
      return 0;
    }
    return options.agent === undefined ? tour(context) : agent(context, options.agent);
  },
});

async function tour({ io, signal }: Context): Promise<number> {
  const { runTour } = await import("../../demo/tour.ts");
  const isTerminal = io.stdin.isTerminal && io.stdout.isTerminal;
  const end = await runTour({
    io: { write: (text) => io.stdout.write(text), isTerminal, nextKey: () => io.nextKey() },
    self: io.executable,
    // What the tour's commands print goes through a pipe, but is read on this terminal.
    env: { ...io.env, COLUMNS: String(io.stdout.columns) },
    typed: (words) => commandLine(io, words),
    signal,
  });
  return end === "interrupted" ? 130 : 0;
}

async function agent({ io }: Context, script: string): Promise<number> {
  const { isAgentScript, runAgent } = await import("../../demo/agent.ts");
  if (!isAgentScript(script))
    throw new SynartesisError("usage", `the tour has no agent script "${script}"`, { hint: "cleanup, plans or letter" });
  await runAgent({ script, self: io.executable, env: io.env, folder: io.cwd, write: (text) => io.stdout.write(text) });
  return 0;
}

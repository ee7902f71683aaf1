// What does `synartesis demo` start? The guided tour; and, with options that the tour itself uses, its CRM or its agent alone.
import { SynartesisError } from "../../errors.ts";
import { type Context, defineCommand } from "../command.ts";
import { commandLine } from "../command-line.ts";

export default defineCommand({
  name: "demo",
  usage: "demo [--crm --state FILE]",
  about:
    "A guided tour with a small CRM that is built in: an agent does damage, and you see what undo does about it.\nIt works in a temporary folder and leaves nothing behind. With --crm it is that CRM alone, as an MCP server over stdio.",
  example: "demo",
  options: {
    crm: { kind: "flag", about: "be the tour's CRM, as an MCP server over stdio" },
    state: { kind: "text", value: "FILE", about: "where the CRM keeps its customers (default crm.json; made with a few customers)" },
    agent: { kind: "text", value: "SCRIPT", about: "be the tour's agent, in the current folder", hidden: true },
  },
  async run(context, { options }) {
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
    env: io.env,
    typed: (words) => commandLine(io, words),
    signal,
  });
  return end === "interrupted" ? 130 : 0;
}

async function agent({ io }: Context, script: string): Promise<number> {
  const { isAgentScript, runAgent } = await import("../../demo/agent.ts");
  if (!isAgentScript(script)) throw new SynartesisError("usage", `the tour has no agent script "${script}"`);
  await runAgent({ script, self: io.executable, env: io.env, folder: io.cwd, write: (text) => io.stdout.write(text) });
  return 0;
}

// Who plays the agent in the guided tour? A scripted MCP client on the official SDK that starts the proxy as any client would.
// It stands in for a program outside: it only ever talks to the proxy.
import { proxyClient } from "../drill/proxy-client.ts";
import { SynartesisError } from "../errors.ts";

/** One tool call of a script, and the words in which the tour shows it. */
interface ScriptedCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
}

/** The renewal letter, which must be the same call, to the letter, before and after it is approved. */
const RENEWAL: ScriptedCall = {
  tool: "send_email",
  args: { to: "ada@byron.example", subject: "Your renewal", body: "Dear Ada, your plan renews in May. Shall we keep it as it is?" },
};

const INDENT = "         ";

/** What the agent does in each of its appearances. */
export const AGENT_SCRIPTS = {
  cleanup: [
    { tool: "list_customers", args: {} },
    { tool: "update_customer", args: { id: "c-1", plan: "free", notes: "" } },
    { tool: "update_customer", args: { id: "c-4", name: "K. Coleman", email: "info@coleman.example" } },
    { tool: "delete_customer", args: { id: "c-3" } },
    { tool: "create_customer", args: { name: "Ada Byron", email: "ada@byron.example" } },
  ],
  plans: [
    { tool: "update_customer", args: { id: "c-2", plan: "free" } },
    { tool: "update_customer", args: { id: "c-5", plan: "pro" } },
  ],
  letter: [RENEWAL],
} as const satisfies Record<string, readonly ScriptedCall[]>;
export type AgentScript = keyof typeof AGENT_SCRIPTS;

/** Tells whether there is a script of this name. */
export function isAgentScript(name: string): name is AgentScript {
  return Object.hasOwn(AGENT_SCRIPTS, name);
}

export interface AgentOptions {
  readonly script: AgentScript;
  /** How to run synartesis: the executable and what goes before its own arguments. */
  readonly self: readonly string[];
  /** The whole environment of the proxy. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the manifest lies. */
  readonly folder: string;
  write(text: string): void;
}

/**
 * Connects through the proxy, makes the script's calls one after the other, and tells what came back.
 * A call that is held or fails is an ordinary result here, as it is for an agent.
 * @throws SynartesisError server-unavailable, if the proxy can't be started or ends in the middle; its last words are the hint
 */
export async function runAgent(options: AgentOptions): Promise<void> {
  const { self, env, folder } = options;
  const { client, connect, lastWords } = await proxyClient({ name: "demo-agent", self, words: ["proxy", "--server", "crm"], env, folder });
  try {
    await connect();
    for (const call of AGENT_SCRIPTS[options.script]) {
      options.write(indented(shownCall(call), "  agent> "));
      const result = await client.callTool({ name: call.tool, arguments: call.args });
      options.write(shownResult(result));
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = lastWords();
    throw new SynartesisError("server-unavailable", `the demo's agent lost the proxy: ${reason}`, hint === "" ? {} : { hint });
  } finally {
    await client.close();
  }
}

/** `update_customer c-2 plan=free`: short enough for one line where the values are. */
function shownCall({ tool, args }: ScriptedCall): string {
  const { id, ...rest } = args;
  const members = Object.entries(rest).map(([name, value]) => `${name}=${/^[\w@.-]+$/.test(value) ? value : JSON.stringify(value)}`);
  return [tool, ...(id === undefined ? [] : [id]), ...members].join(" ");
}

/** What the agent was told, as far as a reader of the tour needs it: errors whole, results as a word. */
function shownResult(result: Record<string, unknown>): string {
  if (result["isError"] !== true) return `${INDENT}ok\n`;
  const blocks = Array.isArray(result["content"]) ? result["content"] : [];
  return indented(blocks.map((block: unknown) => textOf(block)).join("\n"), INDENT);
}

function textOf(block: unknown): string {
  return typeof block === "object" && block !== null && "text" in block && typeof block.text === "string" ? block.text : "";
}

/** Wraps a text to 80 columns; the first line begins with `first`, the others are indented as far as results are. */
function indented(text: string, first: string): string {
  const lines = Bun.wrapAnsi(text, 80 - INDENT.length, { hard: true }).split("\n");
  return lines.map((line, index) => `${index === 0 ? first : INDENT}${line}\n`).join("");
}

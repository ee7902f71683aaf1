// A real server in its own process, and one call of it done and undone as a policy says, without anything in between.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Json, JsonObject } from "../../src/core/json.ts";
import { ruleFor } from "../../src/core/match-rule.ts";
import type { ToolSchemas } from "../../src/core/path-check.ts";
import type { CallTemplate, Policy } from "../../src/core/policy.ts";
import { errorTextOf, isErrorResult, saysAbsent, valueOfResult } from "../../src/core/result-value.ts";
import { type Bindings, resolve } from "../../src/core/template.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { shippedPolicies } from "../../src/manifest/shipped.ts";

/** What one call came to: its result, and a way to send its inverse. */
export interface Done {
  readonly result: Json;
  /** Sends the inverse; resolves with its result. Throws where it can't be resolved. */
  undo(): Promise<Json>;
}

/** A shipped policy, loaded. */
export function shippedPolicy(name: string): Policy {
  const text = shippedPolicies().find((shipped) => shipped.name === name)?.text ?? "";
  const loading = loadManifestText(text, { directory: "/", env: {} });
  if (loading.kind === "invalid") throw new Error(loading.problems.map(({ line, message }) => `${name}:${line}: ${message}`).join("\n"));
  return loading.policy;
}

export class RealServer {
  readonly name: string;
  readonly policy: Policy;
  private readonly client = new Client({ name: "test", version: "1" });

  constructor(name: string) {
    this.name = name;
    this.policy = shippedPolicy(name);
  }

  async start(command: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<void> {
    const [program = "", ...args] = command;
    await this.client.connect(
      new StdioClientTransport({ command: program, args, cwd, env: { ...env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" }, stderr: "ignore" }),
    );
  }

  async tools(): Promise<readonly ToolSchemas[]> {
    return (await this.client.listTools()).tools as unknown as ToolSchemas[]; // schemas are JSON; the SDK says it in its own types
  }

  async call(tool: string, args: JsonObject): Promise<Json> {
    return (await this.client.callTool({ name: tool, arguments: { ...args } })) as Json;
  }

  /** Captures, calls, and gives the way back, as the tool's rule says. */
  async perform(tool: string, args: JsonObject): Promise<Done> {
    const { rule } = ruleFor(this.policy, this.name, tool);
    if (rule === "unmentioned" || rule.inverse === undefined) throw new Error(`${tool} has no inverse`);
    const { snapshot: read, inverse } = rule;
    if (read !== undefined && "reads" in read) throw new Error(`${tool} has several reads`);
    const snapshot = read === undefined ? undefined : await this.send(read, { args });
    if (snapshot !== undefined && isErrorResult(snapshot))
      throw new Error(saysAbsent(read?.absentWhen ?? [], errorTextOf(snapshot), args) === true ? "absent" : "unreadable");
    const result = await this.call(tool, args);
    const bindings = { args, result: valueOfResult(result), ...(snapshot === undefined ? {} : { snapshot: valueOfResult(snapshot) }) };
    const undo = async () => {
      let last: Json = null;
      for (const call of inverse) last = await this.send(call, bindings);
      return last;
    };
    return { result, undo };
  }

  stop(): Promise<void> {
    return this.client.close();
  }

  private send(call: CallTemplate, bindings: Bindings): Promise<Json> {
    const args = resolve(call.args, bindings);
    if (args.kind === "missing") throw new Error(`nothing at ${args.reference.text}`);
    // Arguments are an object wherever a shipped rule gives them.
    return this.call(call.tool, args.value as JsonObject);
  }
}

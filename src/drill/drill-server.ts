// What can be proven of the rules of one server? Every sample is tried, and a made-up call where no sample leads; a server that dies or hangs is started anew for
// the next one. What wasn't tried is never proven.
import { type DrillPart, type DrillTool, drillTools, partFor } from "../core/drill-parts.ts";
import { parseJson } from "../core/json.ts";
import type { Policy, Rule, Sample } from "../core/policy.ts";
import { sampleArguments, withArgument } from "../core/sample-arguments.ts";
import { type Outcome, unproven } from "./outcome.ts";
import { type DrilledTool, type DrillParts, DrillSession } from "./session.ts";
import { sampleOf, type Trial, tryOut } from "./try-out.ts";
import type { World } from "./world.ts";

/** A rule, or a part of it, and what came of it. */
export interface DrillRow extends DrillPart {
  readonly outcome: Outcome;
  /** How many calls were tried, made-up ones too. */
  readonly calls: number;
}

export interface DrillOptions {
  readonly policy: Policy;
  readonly server: string;
  /** Whether the data of a server may be lost, or only rules use it. */
  readonly mayChange: (server: string) => boolean;
  /** Whether this tool is asked for. */
  readonly isMeant: (tool: string) => boolean;
  /** Shows the companions' folders. */
  readonly look: () => World;
  /** Says how many tools there are to try, and then after each how many are done. */
  readonly onTools: (total: number) => (done: number) => void;
}

/** Drills one server; ends all that it started. */
export async function drillServer(parts: DrillParts, options: DrillOptions): Promise<readonly DrillRow[]> {
  const drill = new ServerDrill(parts, options);
  try {
    return await drill.run();
  } finally {
    await drill.close();
  }
}

class ServerDrill {
  readonly #parts: DrillParts;
  readonly #options: DrillOptions;
  #session: DrillSession | undefined;
  #made = 0;

  constructor(parts: DrillParts, options: DrillOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async run(): Promise<readonly DrillRow[]> {
    const { policy, server, isMeant, onTools } = this.#options;
    let listed: readonly DrilledTool[];
    try {
      listed = await (await this.#open()).tools();
    } catch (error) {
      return this.#notStarted(textOf(error));
    }
    const names = listed.map(({ name }) => name);
    const tools = drillTools(policy, server, names).filter(({ tool }) => isMeant(tool));
    const onDone = onTools(tools.length);
    const rows: DrillRow[] = [];
    for (const [at, tool] of tools.entries()) {
      if (this.#parts.signal.aborted) break;
      rows.push(...(await this.#tool(tool, listed.find(({ name }) => name === tool.tool)?.inputSchema ?? {})));
      onDone(at + 1);
    }
    return rows;
  }

  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  async #open(): Promise<DrillSession> {
    this.#session ??= await DrillSession.open(this.#options.server, this.#parts);
    return this.#session;
  }

  async #tool(tool: DrillTool, inputSchema: DrilledTool["inputSchema"]): Promise<readonly DrillRow[]> {
    const kept = changedServers(tool).find((server) => !this.#options.mayChange(server));
    if (kept !== undefined) return tool.parts.map((part) => ({ ...part, outcome: unproven("not-scratch", { said: kept }), calls: 0 }));
    const found = new Map<DrillPart, Outcome[]>(tool.parts.map((part) => [part, []]));
    const attempt = async (sample: Sample, base: Rule | undefined) => {
      if (this.#parts.signal.aborted) return;
      const { governed, outcome } = await this.#try(tool, sample);
      const part = partMeant(tool.parts, governed, base);
      if (part !== undefined) found.get(part)?.push(outcome);
    };
    for (const sample of tool.samples) await attempt(sample, undefined);
    for (const base of tool.bases) {
      const own = tool.parts.filter(({ rule }) => rule.case === base.case);
      if (own.every((part) => found.get(part)?.length === 0)) await attempt(this.#madeUp(tool, base, inputSchema), base);
    }
    return tool.parts.map((part) => ({ ...part, outcome: combined(found.get(part) ?? []), calls: found.get(part)?.length ?? 0 }));
  }

  async #try({ tool }: DrillTool, sample: Sample): Promise<Trial> {
    let session: DrillSession;
    try {
      session = await this.#open();
    } catch (error) {
      return { governed: undefined, outcome: unproven("no-server", { said: textOf(error) }), isLost: true };
    }
    const trial = await tryOut(session, tool, sample, this.#options.look);
    if (trial.isLost) await this.close();
    return trial;
  }

  #madeUp({ cases }: DrillTool, base: Rule, inputSchema: DrilledTool["inputSchema"]): Sample {
    const made = sampleArguments(inputSchema, () => `drill-${++this.#made}-${this.#parts.clock().toString(36)}`);
    const args = cases === undefined || base.case === undefined ? made : withArgument(made, cases.by.steps, caseValue(base.case));
    return sampleOf(args, base.position);
  }

  /** Which tools it has isn't known: what the rules name is all that can be said. */
  #notStarted(said: string): readonly DrillRow[] {
    const { policy, server, isMeant } = this.#options;
    const named = policy.rules.map(({ match }) => match).filter((match) => match.startsWith(`${server}.`));
    const tools = drillTools(
      policy,
      server,
      named.map((match) => match.slice(server.length + 1)),
    );
    const parts = tools.filter(({ tool }) => isMeant(tool)).flatMap((tool) => tool.parts);
    return parts.map((part) => ({ ...part, outcome: unproven("no-server", { said }), calls: 0 }));
  }
}

/** The servers on which something is changed where a tool is tried out. */
function changedServers({ server, parts, samples }: DrillTool): readonly string[] {
  const calls = [...parts.flatMap(({ rule }) => rule.inverse ?? []), ...samples.flatMap(({ before }) => before)];
  return [server, ...calls.map((call) => call.server)];
}

/** What isn't known to belong elsewhere belongs to what it was made for. */
function partMeant(parts: readonly DrillPart[], governed: Trial["governed"], base: Rule | undefined): DrillPart | undefined {
  const known = governed && partFor(parts, governed);
  const key = governed?.case ?? base?.case;
  return known ?? parts.find(({ rule }) => rule.case === key) ?? (key === undefined ? parts[0] : undefined);
}

/** `true`, `false` and numbers are cases of their own value only. */
function caseValue(name: string) {
  return /^(true|false|-?\d.*)$/.test(name) ? parseJson(name) : name;
}

/** Every call has to prove it. */
function combined(outcomes: readonly Outcome[]): Outcome {
  const worst = outcomes.find(({ kind }) => kind === "failed") ?? outcomes.find(({ kind }) => kind === "unproven");
  if (worst !== undefined) return worst;
  const by = outcomes.flatMap((outcome) => (outcome.kind === "proven" ? outcome.by : []));
  return by.length === 0 ? unproven("no-sample") : { kind: "proven", by: [...new Set(by)] };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// What can be proven of the rules of one server? Every sample is tried, and a made-up call where no sample leads; a server that dies or hangs is started anew for
// the next one. What wasn't tried is never proven.
import { type DrillPart, type DrillTool, drillTools, listingTools, partFor } from "../core/drill-parts.ts";
import { parseJson } from "../core/json.ts";
import { ruleFor } from "../core/match-rule.ts";
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
  /** The sample that the outcome is of, where it isn't proven; null: none, or a made-up call. */
  readonly sample: SampleName | null;
  /** The call after which nothing on the server is certainly as it should be, if that of this row came later. */
  readonly spoiledBy: Spoiler | null;
}

/** Which sample of a tool. */
export interface SampleName {
  /** From 1, in the order written. */
  readonly number: number;
  readonly note: string | null;
}

/** The first call of a drill that wasn't put back. */
export interface Spoiler {
  readonly tool: string;
  readonly sample: SampleName | null;
}

/** What came of one call. */
interface Tried {
  readonly outcome: Outcome;
  readonly sample: SampleName | null;
  readonly spoiledBy: Spoiler | null;
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
  #listings: readonly string[] = [];
  #spoiler: Spoiler | null = null;
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
    if (tools.length > 0) this.#listings = await this.#answering(listingTools(policy, server, listed));
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

  /** Those of the tools that answer. */
  async #answering(tools: readonly string[]): Promise<readonly string[]> {
    const answering: string[] = [];
    for (const tool of tools) {
      if (this.#parts.signal.aborted) break;
      const end = await (await this.#open()).call(this.#options.server, tool, {});
      if (end.kind === "result") answering.push(tool);
      if (end.kind === "lost") await this.close();
    }
    return answering;
  }

  async #tool(tool: DrillTool, inputSchema: DrilledTool["inputSchema"]): Promise<readonly DrillRow[]> {
    const kept = changedServers(tool, this.#options.policy).find((server) => !this.#options.mayChange(server));
    if (kept !== undefined) return tool.parts.map((part) => untried(part, unproven("not-scratch", { said: kept })));
    const found = new Map<DrillPart, Tried[]>(tool.parts.map((part) => [part, []]));
    const attempt = async (sample: Sample, name: SampleName | null, base: Rule | undefined) => {
      if (this.#parts.signal.aborted) return;
      const spoiledBy = this.#spoiler;
      const { governed, outcome } = await this.#try(tool, sample);
      if (outcome.kind === "failed") this.#spoiler ??= { tool: tool.tool, sample: name };
      const part = partMeant(tool.parts, governed, base);
      if (part !== undefined) found.get(part)?.push({ outcome, sample: name, spoiledBy });
    };
    for (const [at, sample] of tool.samples.entries()) await attempt(sample, { number: at + 1, note: sample.note ?? null }, undefined);
    for (const base of tool.bases) {
      const own = tool.parts.filter(({ rule }) => rule.case === base.case);
      if (own.every((part) => found.get(part)?.length === 0)) await attempt(this.#madeUp(tool, base, inputSchema), null, base);
    }
    return tool.parts.map((part) => {
      const tried = found.get(part) ?? [];
      return { ...part, ...combined(tried), calls: tried.length };
    });
  }

  async #try(tool: DrillTool, sample: Sample): Promise<Trial> {
    let session: DrillSession;
    try {
      session = await this.#open();
    } catch (error) {
      return { governed: undefined, outcome: unproven("no-server", { said: textOf(error) }), isLost: true };
    }
    const trial = await tryOut(session, tool, sample, { look: this.#options.look, listings: this.#listings });
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
    return parts.map((part) => untried(part, unproven("no-server", { said })));
  }
}

/** The servers on which something is changed where a tool is tried out; what a policy calls a read changes nothing. */
function changedServers({ server, parts, samples }: DrillTool, policy: Policy): readonly string[] {
  const checks = samples.flatMap(({ check = [] }) => check).filter(({ server: name, tool }) => !isRead(policy, name, tool));
  const calls = [...parts.flatMap(({ rule }) => rule.inverse ?? []), ...samples.flatMap(({ before }) => before), ...checks];
  return [server, ...calls.map((call) => call.server)];
}

function isRead(policy: Policy, server: string, tool: string): boolean {
  const { rule } = ruleFor(policy, server, tool);
  return rule !== "unmentioned" && rule.class === "readonly";
}

function untried(part: DrillPart, outcome: Outcome): DrillRow {
  return { ...part, outcome, calls: 0, sample: null, spoiledBy: null };
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

/** Every call has to prove it, but for those that the server refuses. */
function combined(tried: readonly Tried[]): Tried {
  const worst = tried.find(({ outcome }) => outcome.kind === "failed") ?? tried.find(({ outcome }) => outcome.kind === "unproven");
  if (worst !== undefined) return worst;
  const by = tried.flatMap(({ outcome }) => (outcome.kind === "proven" ? outcome.by : []));
  const [refused] = tried;
  if (by.length > 0) return { outcome: { kind: "proven", by: [...new Set(by)] }, sample: null, spoiledBy: null };
  return refused ?? { outcome: unproven("no-sample"), sample: null, spoiledBy: null };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Which servers can a rule use beside the one that was called? Those of the client's other sessions, and hidden ones, which are started when a rule first
// needs one. Their tools are nobody's but the rules': nothing of them reaches the client.
import type { Log } from "../core/log.ts";
import type { Policy, ToolName } from "../core/policy.ts";
import { calledTools, schemaMark } from "../core/schema-mark.ts";
import { SynartesisError } from "../errors.ts";
import type { Run } from "../journal/journal.ts";
import { identityOf } from "../journal/process-identity.ts";
import type { Reached, Sender } from "../recorder/recorder.ts";
import { openClientless } from "../upstream/open-clientless.ts";
import { helloOf } from "../upstream/open-session.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { RequestMeta } from "../wire/era.ts";
import type { ControlSocket } from "./control/control-socket.ts";
import type { GuardedServer, MissingServer } from "./guarded-server.ts";
import type { RunHandle } from "./run-handle.ts";

export interface OtherServersParts {
  readonly hidden: readonly (GuardedServer | MissingServer)[];
  readonly policy: Policy;
  readonly log: Log;
  /** Milliseconds. */
  readonly readTimeout: number;
  readonly runHandle: RunHandle;
  readonly control?: ControlSocket;
}

/** The client's other sessions, and the hidden servers. */
export class OtherServers {
  readonly #parts: OtherServersParts;
  readonly #joined = new Map<string, () => Omit<Sender, "meta">>();
  readonly #hidden = new Map<string, Promise<Reached>>();

  constructor(parts: OtherServersParts) {
    this.#parts = parts;
  }

  /** Adds the session of a server that the client sees. */
  join(server: string, sender: () => Omit<Sender, "meta">): void {
    this.#joined.set(server, sender);
  }

  /** Finds the connection for a call that a rule makes. `meta` is what the client's requests say of themselves. */
  async find({ server }: Pick<ToolName, "server">, run: Run, meta: RequestMeta | undefined): Promise<Reached> {
    const joined = this.#joined.get(server);
    if (joined !== undefined) return { kind: "reached", sender: { ...joined(), meta } };
    const declared = this.#parts.hidden.find(({ name }) => name === server);
    if (declared === undefined) return { kind: "failed", why: `the server ${server} is neither behind this entry nor \`hidden\`` };
    if ("missing" in declared) return { kind: "failed", why: declared.missing.message };
    const running = this.#hidden.get(server);
    const found = await running;
    if (found?.kind === "reached" && found.sender.upstream.alive) return found;
    // Somebody else may have started it meanwhile.
    const starting = this.#hidden.get(server);
    if (starting !== undefined && starting !== running) return starting;
    const started = this.#start(declared, run);
    this.#hidden.set(server, started);
    return started;
  }

  /** Gives the hidden servers that were started, to be ended. */
  async started(): Promise<readonly Upstream[]> {
    const found = await Promise.all(this.#hidden.values());
    return found.flatMap((one) => (one.kind === "reached" ? [one.sender.upstream] : []));
  }

  async #start({ name, start }: GuardedServer, run: Run): Promise<Reached> {
    const { log, policy, readTimeout, runHandle, control } = this.#parts;
    try {
      const { upstream, info, meta } = await openClientless({ ...start, log }, helloOf(run.clientHello), []);
      const listed = await upstream.listTools({ timeout: readTimeout, meta });
      const called = calledTools(policy, name);
      const tools = listed.kind === "tools" ? listed.tools.filter((tool) => called.has(tool.name)) : [];
      const schemas = Object.fromEntries(tools.map((tool) => [tool.name, schemaMark(tool.inputSchema)]));
      const process = upstream.pid === null ? null : (identityOf(upstream.pid) ?? null);
      await runHandle.describeServer(name, { info, process, schemas });
      control?.add({ server: name, upstream, policy, runHandle, readTimeout, roots: () => null, meta });
      return { kind: "reached", sender: { upstream, readTimeout, meta, roots: null } };
    } catch (error) {
      if (!(error instanceof SynartesisError)) throw error;
      log.log("error", error.message, { server: name, hint: error.hint });
      return { kind: "failed", why: error.message };
    }
  }
}

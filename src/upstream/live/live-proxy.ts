// How does an undo reach servers that a running proxy has? Over its control socket: the proxy makes the calls on the connection that the agent uses.
// Nothing is started here, and closing it ends no server.
import { isJsonObject, type JsonObject } from "../../core/json.ts";
import type { Log } from "../../core/log.ts";
import { connectLocally } from "../../wire/local-socket.ts";
import { readMessages } from "../../wire/peer.ts";
import { Connection } from "../connection.ts";
import { registerDoor } from "../door.ts";
import { actionOfKey, INVERSE_KEY } from "../inverse-key.ts";
import { readTool, type ToolList } from "../list-tools.ts";
import type { Answer, Upstream } from "../upstream.ts";
import { CONTROL, NOT_HERE, readAnswer } from "./control-words.ts";

/** How long a proxy may take until it has let a run's calls come to rest, in milliseconds. */
const OPEN_TIMEOUT = 20_000;

/** A server that a proxy has. */
export interface LiveUpstream extends Upstream {
  /** Asks whether no change of the run, and no step of an undo of it, is under way. */
  isAtRest(): Promise<boolean>;
}

/** A run's servers at one proxy. */
export interface LiveProxy {
  readonly servers: readonly LiveUpstream[];
  /** Lets the run go on. */
  close(): void;
}

/** Opens a run at the proxy whose control socket this is; undefined where it doesn't answer, or doesn't hold the run. `holds`: the run's changing calls are refused until `close`. */
export async function openLiveProxy(
  socket: string,
  run: string,
  { holds, log }: { holds: boolean; log: Log },
): Promise<LiveProxy | undefined> {
  const link = await Link.to(socket, run, log);
  const answer = await link?.ask(CONTROL.open, { holds }, OPEN_TIMEOUT);
  const servers = answer?.kind === "result" && isJsonObject(answer.result) ? answer.result["servers"] : undefined;
  if (link === undefined || !Array.isArray(servers)) {
    link?.close();
    return undefined;
  }
  const found = servers
    .filter(isJsonObject)
    .map(({ name, pid }) => new LiveServer(link, String(name), typeof pid === "number" ? pid : null));
  return { servers: found, close: () => link.close() };
}

/** The connection to one proxy, for one run. */
class Link {
  readonly #run: string;
  readonly #connection: Connection;
  readonly close: () => void;
  isOpen = true;

  private constructor(run: string, connection: Connection, close: () => void) {
    this.#run = run;
    this.#connection = connection;
    this.close = close;
  }

  static async to(socket: string, run: string, log: Log): Promise<Link | undefined> {
    const streams = await connectLocally(socket);
    if (streams === undefined) return undefined;
    const connection = new Connection({
      write: ({ bytes }) => link.isOpen && streams.output.write(bytes),
      onMessage: () => undefined, // a proxy asks nothing
      onTooLong: () => undefined,
      log,
    });
    const link: Link = new Link(run, connection, () => {
      link.isOpen = false;
      streams.close();
    });
    readMessages(streams.input, {
      maxMessage: Number.MAX_SAFE_INTEGER, // the proxy has its own limit for what a server says
      onMessage: (message) => connection.receive(message),
      onTooLong: () => undefined,
      onEnd: () => {
        link.isOpen = false;
        connection.end();
      },
    });
    return link;
  }

  async ask(method: string, params: JsonObject, timeout: number): Promise<Answer> {
    const answer = await this.#connection.request(method, { run: this.#run, ...params }, timeout);
    // The session has ended, although its proxy goes on with others.
    if (answer.kind === "error" && isJsonObject(answer.error) && answer.error["code"] === NOT_HERE) this.close();
    return answer;
  }
}

class LiveServer implements LiveUpstream {
  readonly name: string;
  readonly pid: number | null;
  readonly takesBatches = false;
  readonly #link: Link;

  constructor(link: Link, name: string, pid: number | null) {
    this.name = name;
    this.pid = pid;
    this.#link = link;
    registerDoor(this, {
      forward: () => false,
      request: (_method, params, { timeout }) => this.#call(params, timeout),
    });
  }

  get alive(): boolean {
    return this.#link.isOpen;
  }

  async listTools({ timeout = OPEN_TIMEOUT }: { timeout?: number } = {}): Promise<ToolList> {
    const answer = await this.#link.ask(CONTROL.tools, { server: this.name }, timeout);
    const tools = answer.kind === "result" && isJsonObject(answer.result) ? answer.result["tools"] : undefined;
    return Array.isArray(tools)
      ? { kind: "tools", tools: tools.flatMap(readTool) }
      : { kind: "failed", reason: "its proxy has no list of its tools" };
  }

  async isAtRest(): Promise<boolean> {
    const answer = await this.#link.ask(CONTROL.rest, { server: this.name }, OPEN_TIMEOUT);
    return answer.kind === "result" && isJsonObject(answer.result) && answer.result["atRest"] === true;
  }

  // Its session is the agent's: there is nothing of ours to be said in it.
  forward(): void {}
  notify(): void {}
  noteClientId(): void {}
  async request(): Promise<Answer> {
    return { kind: "ended", why: "an undo has only calls for a server that a proxy has", sent: false };
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  /** What it prints goes to the agent's client. */
  lastWords(): string {
    return "";
  }

  /** It is the agent's, and stays. */
  async close(): Promise<readonly number[]> {
    return [];
  }

  /** An inverse is named by the action that it puts back: what is sent is what the journal has. Anything else is a read. */
  async #call(params: JsonObject, timeout: number): Promise<Answer> {
    const meta = params["_meta"];
    const undoes = actionOfKey(isJsonObject(meta) ? meta[INVERSE_KEY] : undefined);
    const server = this.name;
    if (undoes !== undefined) return readAnswer(await this.#link.ask(CONTROL.inverse, { server, undoes }, timeout));
    const { name: tool = null, arguments: args = null } = params;
    return readAnswer(await this.#link.ask(CONTROL.read, { server, tool, arguments: args }, timeout));
  }
}

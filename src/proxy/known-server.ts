// What is known of the server in a session? Its tools, its version, who it is and what it was told of the roots: read from what passes, handed to the
// run. Adds our instructions where a server introduces itself, and changes nothing else.
import { type ToolHints, toolHints } from "../core/hints.ts";
import { isJsonObject, type Json } from "../core/json.ts";
import { calledTools, schemaMark } from "../core/schema-mark.ts";
import type { ProcessIdentity } from "../journal/journal.ts";
import { identityOf } from "../journal/process-identity.ts";
import type { Upstream } from "../upstream/upstream.ts";
import { serverInfoOf } from "../wire/era.ts";
import type { RequestMessage, ResponseMessage } from "../wire/message.ts";
import { withInstructions } from "./answers.ts";
import type { RunHandle } from "./run-handle.ts";
import { type ToolPage, toolPage } from "./server-words.ts";
import type { SessionParts } from "./session-state.ts";

/** Collects what a session's server says about itself. */
export class KnownServer {
  readonly #upstream: Upstream;
  readonly #runHandle: RunHandle;
  readonly #instructs: boolean;
  /** The tools whose schemas undo depends on. */
  readonly #called: ReadonlySet<string>;
  /** What it says of each tool that it has listed. */
  #listed: ReadonlyMap<string, ToolHints | undefined> | undefined;
  #schemas: Readonly<Record<string, string>> = {};
  #version: string | undefined;
  #info: Json = null;
  #roots: Json = null;

  constructor({ policy, server, upstream, runHandle, instructs }: SessionParts) {
    this.#called = calledTools(policy, server);
    this.#upstream = upstream;
    this.#runHandle = runHandle;
    this.#instructs = instructs;
  }

  /** The version that initialize agreed on; undefined before, and in the modern era. */
  get version(): string | undefined {
    return this.#version;
  }

  /** The roots that the client gave it last; null where it never asked. */
  get roots(): Json {
    return this.#roots;
  }

  /** False only if the server has listed its tools and this isn't one of them. */
  isListed(tool: string): boolean {
    return this.#listed?.has(tool) ?? true;
  }

  /** What the server says of a tool. */
  hintsOf(tool: string): ToolHints | undefined {
    return this.#listed?.get(tool);
  }

  /** Looks at the answer to a request of the client's and gives the bytes that go on. */
  answered(request: RequestMessage, response: ResponseMessage): Uint8Array {
    const { result } = response.value;
    if (request.method === "tools/list") this.#listedTools(toolPage(request, result));
    if (request.method !== "initialize" && request.method !== "server/discover") {
      this.introduced(result);
      return response.bytes;
    }
    if (!isJsonObject(result)) return response.bytes;
    if (request.method === "initialize" && typeof result["protocolVersion"] === "string") this.#version = result["protocolVersion"];
    this.introduced(result, request.method === "initialize");
    return this.#instructs ? withInstructions(response.bytes, response.value) : response.bytes;
  }

  /** Looks for who the server is: a modern one says so in any result. `always` tells the run even where that is nothing new. */
  introduced(result: Json | undefined, always = false): void {
    const isNews = this.#info === null && isJsonObject(result) && isJsonObject(result["_meta"]);
    const info = always || isNews ? serverInfoOf(result) : null;
    if (info === null && !always) return;
    this.#info = info;
    void this.#runHandle.describeServer(this.#upstream.name, { info, process: this.#process() });
  }

  /** The client has given it its roots: undo has to give it the same, since what it may touch depends on them. */
  rooted(roots: Json): void {
    this.#roots = roots;
    void this.#runHandle.describeServer(this.#upstream.name, { roots });
  }

  /** Another process serves from here on, or the first one. Resolves when that is on disk, as far as a run is open. */
  started(): Promise<void> {
    return this.#runHandle.describeServer(this.#upstream.name, { process: this.#process() });
  }

  #listedTools(page: ToolPage | undefined): void {
    if (page === undefined) return;
    const hints = page.tools.map(({ name, annotations }) => [name, toolHints(annotations)] as const);
    this.#listed = new Map([...(page.isFirst ? [] : (this.#listed ?? [])), ...hints]);
    const marks = page.tools.filter(({ name }) => this.#called.has(name)).map(({ name, inputSchema }) => [name, schemaMark(inputSchema)]);
    const isNews = marks.some(([name = "", mark]) => this.#schemas[name] !== mark);
    if (!isNews) return;
    this.#schemas = { ...this.#schemas, ...Object.fromEntries(marks) };
    void this.#runHandle.describeServer(this.#upstream.name, { schemas: this.#schemas });
  }

  #process(): ProcessIdentity | null {
    const { pid } = this.#upstream;
    return pid === null ? null : (identityOf(pid) ?? null);
  }
}

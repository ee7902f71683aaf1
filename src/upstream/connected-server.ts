// What do all servers do alike, however their messages travel? They send over a connection, and let no tools/call pass but through the door.
import type { JsonObject } from "../core/json.ts";
import { buildNotification, splitBatch } from "../wire/build.ts";
import type { BatchMessage, IdKey, RequestMessage } from "../wire/message.ts";
import type { Connection } from "./connection.ts";
import { listAllTools, type ToolList } from "./list-tools.ts";
import type { Answer, Outgoing, Upstream } from "./upstream.ts";

const READ_TIMEOUT = 30_000;

/** The part of an Upstream that its connection answers for. */
export abstract class ConnectedServer {
  protected abstract readonly connection: Connection;
  readonly #readTimeout: number;

  /** `readTimeout`: how long a request of ours may take, in milliseconds; 30,000 by default. */
  constructor(readTimeout: number = READ_TIMEOUT) {
    this.#readTimeout = readTimeout;
  }

  /** What only send-call.ts may use. */
  get door() {
    return {
      forward: (message: RequestMessage) => this.connection.forward(message),
      request: (method: string, params: JsonObject, options: { timeout: number }) =>
        this.connection.request(method, params, options.timeout),
    };
  }

  forward(message: Outgoing | BatchMessage): void {
    if (message.kind === "request" || message.kind === "notification") refuseCall(message.method);
    else if (message.kind === "batch") for (const member of splitBatch(message)) if ("method" in member) refuseCall(member.method);
    this.connection.forward(message);
  }

  async request(method: string, params: JsonObject, options: { timeout?: number } = {}): Promise<Answer> {
    refuseCall(method);
    return this.connection.request(method, params, options.timeout ?? this.#readTimeout);
  }

  notify(method: string, params?: JsonObject): void {
    refuseCall(method);
    this.connection.forward(buildNotification(method, params));
  }

  listTools({ meta, ...options }: Parameters<Upstream["listTools"]>[0] = {}): Promise<ToolList> {
    return listAllTools((params) => this.request("tools/list", params, options), meta);
  }

  noteClientId(id: IdKey): void {
    this.connection.noteClientId(id);
  }
}

function refuseCall(method: string): void {
  if (method === "tools/call") throw new Error("a tools/call may leave only through the recorder");
}

// What did a server do instead of answering? Notes it while nobody but us speaks to the server, for the reason of a failure.
import type { WireMessage } from "../wire/message.ts";
import type { ServerExit } from "./upstream.ts";
import { within } from "./within.ts";

/** How long the news of a server's end may take, in milliseconds. */
const NEWS = 2_000;
const PRINTED = 500;
const decoder = new TextDecoder();

/** Keeps how a server ended, what it printed on stdout that is no MCP, and whether it only sends back what it is sent. */
export class Witness {
  readonly #exited = Promise.withResolvers<ServerExit>();
  #exit: ServerExit | undefined;
  #printed = "";
  #echoes = false;

  /** Is told of each message of the server's. */
  noteMessage(message: WireMessage): void {
    if (message.kind === "strange" && this.#printed.length < PRINTED) this.#printed += `${decoder.decode(message.bytes).trim()}\n`;
    // Only a client ever sends this.
    if (message.kind === "request" && message.method === "initialize") this.#echoes = true;
  }

  /** Is told of the server's end. */
  noteExit(exit: ServerExit): void {
    this.#exit = exit;
    this.#exited.resolve(exit);
  }

  /** Says how the server ended; waits for the news of it. */
  async howItEnded(): Promise<string> {
    await within(NEWS, this.#exited.promise);
    if (this.#exit === undefined) return "the server ended";
    const { code, signal } = this.#exit;
    return signal === null ? `the server ended with exit code ${code}` : `the server was ended by ${signal}`;
  }

  /** Says what else is known: empty where nothing is. */
  whatItPrinted(): string {
    if (this.#echoes) return "; it sends back what it is sent, so it doesn't speak MCP";
    const printed = this.#printed.trim().slice(0, PRINTED);
    return printed === "" ? "" : `; on stdout it printed what is no MCP:\n${printed}\n`;
  }
}

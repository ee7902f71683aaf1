// How does a server of our own talk over stdio? As the SDK's own transport does, with messages of any size, and it also ends: once its input has
// closed and every request has its answer. Never writes anything but messages to stdout.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { LineSplitter } from "../wire/lines.ts";

/** The longest message taken, in bytes (256 MiB): a file as large as companions take, and its text. */
const MAX_MESSAGE = 256 * 1024 * 1024;

const decoder = new TextDecoder();

/** A transport over this process's stdin and stdout; `ended` resolves when the client is gone and everything is answered. */
export interface StdioTransport extends Transport {
  readonly ended: Promise<void>;
}

/** Makes the transport; it reads nothing before the SDK calls `start`. */
export function stdioTransport(): StdioTransport {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const output = Bun.stdout.writer();
  const unanswered = new Set<string | number>();
  let inputClosed = false;

  function receive(line: Uint8Array): void {
    // The SDK looks at its form.
    const message: JSONRPCMessage = JSON.parse(decoder.decode(line));
    if ("method" in message && "id" in message) unanswered.add(message.id);
    if ("method" in message && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"];
      // The SDK gives a cancelled request no answer.
      if (typeof id === "string" || typeof id === "number") unanswered.delete(id);
    }
    transport.onmessage?.(message);
  }

  function fail(error: unknown): void {
    transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }

  const lines = new LineSplitter(MAX_MESSAGE, {
    onLine(line) {
      try {
        receive(line);
      } catch (error) {
        // One line that is no message; the ones after it still count.
        fail(error);
      }
    },
    onTooLong: ({ length }) => fail(new Error(`a message of ${length} bytes was passed over`)),
  });

  async function readInput(): Promise<void> {
    try {
      for await (const chunk of Bun.stdin.stream()) lines.push(chunk);
      lines.end();
    } catch (error) {
      fail(error);
    }
    inputClosed = true;
    if (unanswered.size === 0) await transport.close();
  }

  const transport: StdioTransport = {
    ended,
    async start() {
      void readInput();
    },
    async send(message) {
      try {
        output.write(`${JSON.stringify(message)}\n`);
        await output.flush();
      } catch {
        // The client has closed its end: nobody is left to be told.
        return transport.close();
      }
      if (!("method" in message) && "id" in message && message.id !== undefined) unanswered.delete(message.id);
      if (inputClosed && unanswered.size === 0) await transport.close();
    },
    async close() {
      transport.onclose?.();
      end();
    },
  };
  return transport;
}

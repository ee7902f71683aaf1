// How does the demo CRM talk over stdio? As the SDK's own transport does, and it also ends: once its input has closed and every request
// has its answer. Never writes anything but messages to stdout.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/** The SDK's framing, handed in because the SDK is loaded only by who needs it. */
export type Framing = Pick<typeof import("@modelcontextprotocol/sdk/shared/stdio.js"), "ReadBuffer" | "serializeMessage">;

/** A transport over this process's stdin and stdout; `ended` resolves when the client is gone and everything is answered. */
export interface StdioTransport extends Transport {
  readonly ended: Promise<void>;
}

/** Makes the transport; it reads nothing before the SDK calls `start`. */
export function stdioTransport({ ReadBuffer, serializeMessage }: Framing): StdioTransport {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const buffer = new ReadBuffer();
  const output = Bun.stdout.writer();
  const unanswered = new Set<string | number>();
  let inputClosed = false;

  function receive(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) unanswered.add(message.id);
    if ("method" in message && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"];
      // The SDK gives a cancelled request no answer.
      if (typeof id === "string" || typeof id === "number") unanswered.delete(id);
    }
    transport.onmessage?.(message);
  }

  function readMessages(): void {
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        receive(message);
      } catch (error) {
        // One line that is no message; the ones after it still count.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  async function readInput(): Promise<void> {
    try {
      for await (const chunk of Bun.stdin.stream()) {
        buffer.append(Buffer.from(chunk));
        readMessages();
      }
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
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
        output.write(serializeMessage(message));
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

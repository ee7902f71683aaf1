// How does an agent of ours come to its tools? As any client does: it starts the proxy and speaks MCP to it over stdio, with the official SDK,
// which is loaded by startProxyClient only. It never speaks to a server past the proxy.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";

/** How the proxy is started. */
export interface ProxyStart {
  /** Who the client says it is. */
  readonly name: string;
  /** How to run synartesis: the executable and what goes before its own arguments. */
  readonly self: readonly string[];
  /** What follows: `proxy`, and its options. */
  readonly words: readonly string[];
  /** The whole environment of the proxy. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
}

/** A client whose proxy is yet to be started by `connect`. */
export interface ProxyClient {
  readonly client: Client;
  /** Starts the proxy, and resolves once it has answered. @throws Error where it can't, or doesn't */
  connect(): Promise<void>;
  /** What the proxy, or the server behind it, printed last on stderr. */
  lastWords(): string;
}

/** Prepares a client. */
export async function proxyClient({ name, self, words, env, folder }: ProxyStart): Promise<ProxyClient> {
  const [{ Client }, { StdioClientTransport }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/stdio.js"),
  ]);
  const [command = "", ...before] = self;
  const transport = new StdioClientTransport({
    command,
    args: [...before, ...words],
    env: definedOnly(env),
    cwd: folder,
    stderr: "pipe",
  });
  let lastWords = "";
  transport.stderr?.on("data", (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-2000);
  });
  const client = new Client({ name, version: "1.0.0" });
  return { client, connect: () => client.connect(transport), lastWords: () => lastWords.trim() };
}

function definedOnly(env: ProxyStart["env"]): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

// Which tools does a server have, when there is no client in front of it? Starts it, asks, and ends it with everything it started.
// Never calls a tool.
import { SynartesisError } from "../errors.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import type { Context } from "./command.ts";
import { createLog } from "./log.ts";
import { sayThatWeWait } from "./patience.ts";
import { VERSION } from "./version.ts";

/** What is run; variables are already expanded. */
export interface ServerCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

/** The tools; or why not, in lines for a person, with what the server printed last. */
export type ServerTools =
  | { readonly kind: "tools"; readonly tools: readonly ListedTool[] }
  | { readonly kind: "failed"; readonly reason: string; readonly hint?: string | undefined };

const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "synartesis", version: VERSION } };

/** Lists a server's tools. What it prints on stderr is kept for the reason of a failure, not shown. */
export async function listServer(context: Context, server: ServerCommand): Promise<ServerTools> {
  const { serverEnvironment } = await import("../upstream/environment.ts");
  const { clientlessEvents, openSession } = await import("../upstream/open-session.ts");
  const { Witness } = await import("../upstream/witness.ts");
  const { SILENT, startServer } = await import("../upstream/stdio.ts");
  const { io } = context;
  const log = createLog((line) => io.stderr.write(line), "error", io.now);
  const witness = new Witness();
  const patience = sayThatWeWait(context, `starting ${server.name}`);
  try {
    const env = serverEnvironment(io.env, server.env);
    const upstream = await startServer({ ...server, env, events: clientlessEvents([], witness), log, stderr: SILENT });
    context.defer(() => upstream.close());
    const session = await openSession(upstream, HELLO, { witness });
    const listed = session.kind === "opened" ? await upstream.listTools({ meta: session.meta }) : session;
    await upstream.close();
    return listed;
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "server-unavailable")
      return { kind: "failed", reason: error.message, hint: error.hint };
    throw error;
  } finally {
    patience.stop();
  }
}

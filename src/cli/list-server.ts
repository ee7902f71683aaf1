// Which tools does a server have, when there is no client in front of it? Starts it or connects to it, asks, and ends what it started.
// Never calls a tool.
import { withoutSecretsOf } from "../clients/mask.ts";
import { SynartesisError } from "../errors.ts";
import type { ExpandedCommand, ExpandedUrl } from "../manifest/expand-source.ts";
import type { ListedTool } from "../upstream/upstream.ts";
import type { Context } from "./command.ts";
import { createLog } from "./log.ts";
import { loginTo } from "./logins.ts";
import { sayThatWeWait } from "./patience.ts";
import { VERSION } from "./version.ts";

/** What is run, or where it is; variables are already expanded. */
export type ServerReach = { readonly name: string } & (ExpandedCommand | ExpandedUrl);

/** The tools; or why not, in lines for a person, with what the server printed last. */
export type ServerTools =
  | { readonly kind: "tools"; readonly tools: readonly ListedTool[] }
  | { readonly kind: "failed"; readonly reason: string; readonly hint?: string | undefined };

const HELLO = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "synartesis", version: VERSION } };

/** Lists a server's tools. What it prints on stderr is kept for the reason of a failure, not shown. */
export async function listServer(context: Context, server: ServerReach): Promise<ServerTools> {
  const { serverEnvironment } = await import("../upstream/environment.ts");
  const { ownProgram } = await import("../manifest/expand-source.ts");
  const { clientlessEvents, openSession } = await import("../upstream/open-session.ts");
  const { openUpstream } = await import("../upstream/open-upstream.ts");
  const { SILENT } = await import("../upstream/stdio.ts");
  const { Witness } = await import("../upstream/witness.ts");
  const { io } = context;
  const log = createLog((line) => io.stderr.write(line), "error", io.now);
  const witness = new Witness();
  const patience = sayThatWeWait(context, `starting ${server.name}`);
  try {
    const listener = { name: server.name, events: clientlessEvents([], witness), log };
    const upstream = await openUpstream(
      "url" in server
        ? { ...listener, place: { ...server, login: loginTo(io, server.name, server.url) } }
        : { ...ownProgram(server, io.executable), ...listener, env: serverEnvironment(io.env, server.env), stderr: SILENT },
    );
    context.defer(() => upstream.close());
    const session = await openSession(upstream, HELLO, { witness });
    const listed = session.kind === "opened" ? await upstream.listTools({ meta: session.meta }) : session;
    await upstream.close();
    return listed.kind === "failed" ? { ...listed, reason: withoutSecrets(listed.reason, server) } : listed;
  } catch (error) {
    if (error instanceof SynartesisError && error.code === "server-unavailable")
      return { kind: "failed", reason: withoutSecrets(error.message, server), hint: error.hint };
    throw error;
  } finally {
    patience.stop();
  }
}

/** What a server prints in its last moments may be what it was given. */
function withoutSecrets(text: string, server: ServerReach): string {
  return withoutSecretsOf("url" in server ? { headers: server.headers } : { args: server.args, env: server.env }, text);
}

// A sandbox whose manifest guards the notes at a URL: a small server in the test's own process, so that a test sees and changes all of it.
import { join } from "node:path";
import { type Answer, json, mannered, type Seen, serveHttp, stream, type TestHttp } from "./http-server.ts";
import { makeSandbox, type Sandbox } from "./sandbox.ts";

export interface HttpNotes extends Sandbox {
  readonly server: TestHttp;
  readonly notes: Map<string, string>;
  readonly sent: string[];
  /** Ends every session that the server knows; each `initialize` begins one more. */
  forget(): void;
  /** The sessions that were ended by DELETE. */
  readonly ended: string[];
  /** Answers before the notes do. */
  first: Answer;
}

const RULES = `
  - { match: "notes.get", class: readonly }
  - match: "notes.set"
    class: reversible
    snapshot: { tool: "notes.get", args: { key: "$.key" }, absent_when: ["no such note"] }
    inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }
  - { match: "notes.send", class: irreversible }
`;

const schema = { type: "object", properties: { key: { type: "string" }, value: { type: "string" } } };
const TOOLS = ["get", "set", "send"].map((name) => ({ name, inputSchema: schema, annotations: { readOnlyHint: name === "get" } }));

/** Makes the sandbox, with notes a and b. `headers` go into the manifest as they are; `more` are further lines of `servers:`. */
export function makeHttpNotes(
  headers: Record<string, string> = {},
  server: TestHttp = serveHttp(),
  more: readonly string[] = [],
): HttpNotes {
  const sandbox = makeSandbox();
  sandbox.env["SYNARTESIS_KEYCHAIN"] = "off";
  const notes = new Map([
    ["a", "first"],
    ["b", "second"],
  ]);
  const sent: string[] = [];
  const ended: string[] = [];
  let begun = 0;
  const sessions = new Set<string>();
  const world: HttpNotes = {
    ...sandbox,
    server,
    notes,
    sent,
    ended,
    first: () => undefined,
    forget() {
      sessions.clear();
    },
    [Symbol.dispose]() {
      server[Symbol.dispose]();
      sandbox[Symbol.dispose]();
    },
  };
  server.answer = (seen) => world.first(seen) ?? answer(seen);
  const answer = (seen: Seen): Response | undefined => {
    const { message, method, headers: sentHeaders } = seen;
    if (message?.method === "initialize") {
      const session = `s${++begun}`;
      sessions.add(session);
      const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "http-notes", version: "1" } };
      return json({ jsonrpc: "2.0", id: message.id, result }, { headers: { "mcp-session-id": session } });
    }
    const session = sentHeaders.get("mcp-session-id") ?? "";
    if (!sessions.has(session)) return json({ jsonrpc: "2.0", id: null, error: { code: -32001, message: "no session" } }, { status: 404 });
    if (method === "DELETE" && sessions.delete(session)) ended.push(session);
    if (message?.method === "tools/list") return json({ jsonrpc: "2.0", id: message.id, result: { tools: TOOLS } });
    if (message?.method === "tools/call") return json({ jsonrpc: "2.0", id: message.id, result: call(message.params) });
    return mannered(seen);
  };
  const call = ({ name, arguments: args }: { name: string; arguments: { key: string; value: string } }) => {
    const { key, value } = args;
    if (name === "send") sent.push(value);
    if (name === "set") notes.set(key, value);
    const text = name === "get" && !notes.has(key) ? "no such note" : JSON.stringify({ key, value: notes.get(key) ?? value });
    return { content: [{ type: "text", text }], ...(text === "no such note" ? { isError: true } : {}) };
  };
  const lines = Object.entries(headers).map(([name, value]) => `      ${name}: ${JSON.stringify(value)}\n`);
  const written = lines.length === 0 ? "" : `    headers:\n${lines.join("")}`;
  sandbox.write(
    "synartesis.yaml",
    `version: 1\nservers:\n  notes:\n    url: "${server.url}"\n${written}${more.map((line) => `  ${line}\n`).join("")}tools:${RULES}`,
  );
  return world;
}

/** The journal of such a sandbox. */
export function journalOf(world: HttpNotes): string {
  return join(world.folder, ".synartesis", "journal.db");
}

/** Makes the next writes happen, with this value in note a, and their replies break off. */
export function breakWrites(notes: Pick<HttpNotes, "first" | "notes">, value: string): void {
  notes.first = ({ message }) => {
    if (message?.params?.name !== "set") return undefined;
    notes.notes.set("a", value);
    const cut = stream();
    cut.close();
    return cut.response;
  };
}

// A server for tests of the ordinary kind, of which no policy of ours knows: create_ticket{title, body}->{id}, get_ticket{id}, update_ticket{id, title, body},
// delete_ticket{id}. Tickets are kept in a file that it reads anew on every call; ids are never used twice.
//   bun tickets-server.ts --state FILE [--gone WORDS]   (WORDS before the id: how it says that there is no such ticket)
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

interface Ticket {
  title: string;
  body: string;
}
interface Store {
  next: number;
  tickets: Record<string, Ticket>;
}

const { values } = parseArgs({ options: { state: { type: "string", default: "" }, gone: { type: "string", default: "no such ticket" } } });
const load = (): Store => (existsSync(values.state) ? JSON.parse(readFileSync(values.state, "utf8")) : { next: 1, tickets: {} });
const TEXT = { type: "string" };

function tool(name: string, description: string, ...required: string[]) {
  const properties = Object.fromEntries(required.map((input) => [input, TEXT]));
  return { name, description, inputSchema: { type: "object", properties, required } };
}

const TOOLS = [
  tool("create_ticket", "Creates a ticket", "title", "body"),
  tool("get_ticket", "Shows a ticket", "id"),
  tool("update_ticket", "Changes a ticket", "id", "title", "body"),
  tool("delete_ticket", "Deletes a ticket", "id"),
];

function call(name: string, { id = "", title = "", body = "" }: Record<string, string>): object {
  const store = load();
  const key = name === "create_ticket" ? `T-${store.next++}` : id;
  const ticket = name === "create_ticket" ? { title, body } : store.tickets[key];
  if (ticket === undefined) return { content: [{ type: "text", text: `${values.gone}: ${key}` }], isError: true };
  if (name === "update_ticket") Object.assign(ticket, { title, body });
  store.tickets[key] = ticket;
  if (name === "delete_ticket") delete store.tickets[key];
  if (name !== "get_ticket") writeFileSync(values.state, JSON.stringify(store));
  return { content: [{ type: "text", text: JSON.stringify({ id: key, ...ticket }) }] };
}

for await (const line of console) {
  const { id, method, params } = JSON.parse(line);
  const results: Record<string, () => object> = {
    initialize: () => ({
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "tickets", version: "1" },
    }),
    "tools/list": () => ({ tools: TOOLS }),
    "tools/call": () => call(params.name, params.arguments ?? {}),
  };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.() ?? {} }));
}

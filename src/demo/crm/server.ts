// What does the demo CRM offer to an MCP client? Eight tools over the state file, as a stdio server on the official SDK.
// The SDK and zod are loaded by startCrm only. Never crashes on what a person wrote into the state file.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { stdioTransport } from "../../companion/stdio-transport.ts";
import type { JsonObject } from "../../core/json.ts";
import * as crm from "./customers.ts";
import { openStateFile, type StateFile } from "./state-file.ts";

/** Where the CRM keeps its state. */
export interface CrmOptions {
  /** A path to a JSON file; created if there is none. */
  readonly stateFile: string;
  /** Whether a new file starts with the demo's customers. Default: true. */
  readonly seed?: boolean;
}

/**
 * Serves the demo CRM on stdin and stdout until the client closes its end.
 * @throws SynartesisError usage, if the state file can't be created
 */
export async function startCrm(options: CrmOptions): Promise<void> {
  const file = await openStateFile(options.stateFile, { seed: options.seed ?? true });
  const [{ McpServer }, { z }] = await Promise.all([import("@modelcontextprotocol/sdk/server/mcp.js"), import("zod")]);
  const server = new McpServer(
    { name: "synartesis-demo-crm", title: "Demo CRM", version: "1.0.0" },
    { instructions: "A small CRM. Customers have ids such as c-1; look one up before changing it." },
  );
  registerReads(server, z, file);
  registerChanges(server, z, file);
  registerReturns(server, z, file);
  const transport = stdioTransport();
  await server.connect(transport);
  await transport.ended;
}

type McpServer = import("@modelcontextprotocol/sdk/server/mcp.js").McpServer;
type Zod = typeof import("zod").z;

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
const CHANGES = { readOnlyHint: false, openWorldHint: false };

function fields(z: Zod) {
  return {
    name: z.string().describe("Full name"),
    email: z.string().describe("E-mail address"),
    plan: z.enum(crm.PLANS).describe("What the customer pays for"),
    notes: z.string().describe("Free text"),
  };
}

function customerShape(z: Zod) {
  return { id: z.string().describe("Such as c-1"), ...fields(z), updated_at: z.string().describe("ISO 8601, UTC") };
}

function registerReads(server: McpServer, z: Zod, file: StateFile): void {
  const listed = { customers: z.array(z.object(customerShape(z))) };
  server.registerTool(
    "get_customer",
    {
      title: "Get a customer",
      description: "Shows one customer.",
      inputSchema: { id: z.string().describe("Such as c-1") },
      outputSchema: customerShape(z),
      annotations: READS,
    },
    async ({ id }) => answer(await file.run((state) => crm.getCustomer(state, id)), shown),
  );
  server.registerTool(
    "list_customers",
    { title: "List customers", description: "Lists all customers.", inputSchema: {}, outputSchema: listed, annotations: READS },
    async () => answer(await file.run((state) => ({ kind: "done", value: state.customers })), shownList),
  );
  server.registerTool(
    "search_customers",
    {
      title: "Search customers",
      description: "Finds customers whose id, name, e-mail address or notes contain a text.",
      inputSchema: { query: z.string().describe("The text to look for; case doesn't matter") },
      outputSchema: listed,
      annotations: READS,
    },
    async ({ query }) => answer(await file.run((state) => crm.searchCustomers(state, query)), shownList),
  );
}

function registerChanges(server: McpServer, z: Zod, file: StateFile): void {
  const { name, email, plan, notes } = fields(z);
  server.registerTool(
    "create_customer",
    {
      title: "Create a customer",
      description: "Adds a customer; the CRM gives the id.",
      inputSchema: { name, email, plan: plan.default("free"), notes: notes.default("") },
      outputSchema: customerShape(z),
      annotations: { ...CHANGES, destructiveHint: false, idempotentHint: false },
    },
    async (args) => answer(await file.run((state) => crm.createCustomer(state, args, timestamp())), shown),
  );
  server.registerTool(
    "update_customer",
    {
      title: "Update a customer",
      description: "Changes the fields that are given and leaves the others.",
      inputSchema: { id: z.string(), name: name.optional(), email: email.optional(), plan: plan.optional(), notes: notes.optional() },
      outputSchema: customerShape(z),
      annotations: { ...CHANGES, destructiveHint: true, idempotentHint: true },
    },
    async ({ id, ...changes }) => answer(await file.run((state) => crm.updateCustomer(state, id, given(changes), timestamp())), shown),
  );
  server.registerTool(
    "delete_customer",
    {
      title: "Delete a customer",
      description: "Removes a customer and shows what was removed.",
      inputSchema: { id: z.string() },
      outputSchema: customerShape(z),
      annotations: { ...CHANGES, destructiveHint: true, idempotentHint: false },
    },
    async ({ id }) => answer(await file.run((state) => crm.deleteCustomer(state, id)), shown),
  );
}

function registerReturns(server: McpServer, z: Zod, file: StateFile): void {
  server.registerTool(
    "restore_customer",
    {
      title: "Restore a customer",
      description: "Puts a deleted customer back under its own id. Refused if the id is in use.",
      inputSchema: { id: z.string(), ...fields(z) },
      outputSchema: customerShape(z),
      annotations: { ...CHANGES, destructiveHint: false, idempotentHint: false },
    },
    async ({ id, ...rest }) => answer(await file.run((state) => crm.restoreCustomer(state, id, rest, timestamp())), shown),
  );
  const email = { to: z.string().describe("E-mail address"), subject: z.string(), body: z.string() };
  server.registerTool(
    "send_email",
    {
      title: "Send an e-mail",
      description: "Sends an e-mail to a customer. It can't be taken back. (This demo only writes it to the outbox in its state file.)",
      inputSchema: email,
      outputSchema: { ...email, sent_at: z.string().describe("ISO 8601, UTC") },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    async (args) => answer(await file.run((state) => crm.sendEmail(state, args, timestamp())), (sent) => sent),
  );
}

function answer<Value>(outcome: crm.Operation<Value>, show: (value: Value) => JsonObject): CallToolResult {
  if (outcome.kind === "refused") return { isError: true, content: [{ type: "text", text: outcome.message }] };
  const structuredContent = show(outcome.value);
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

/** Only the members that the output schema names: a person may have written others into the file. */
function shown({ id, name, email, plan, notes, updated_at }: crm.Customer): JsonObject {
  return { id, name, email, plan, notes, updated_at };
}

function shownList(customers: readonly crm.Customer[]): JsonObject {
  return { customers: customers.map(shown) };
}

/** Leaves out what wasn't given, so that it doesn't replace what is there. */
function given<Fields extends object>(changes: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  // The entries are those of `changes` without the undefined ones, which is what the return type says.
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as ReturnType<typeof given<Fields>>;
}

function timestamp(): string {
  return new Date().toISOString();
}

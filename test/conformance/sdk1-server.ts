// The conformance fixture on the TypeScript SDK v1: the sessions of 2025-11-25 and before, over stdio, or with --http over Streamable HTTP.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { type EventStore, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  type ElicitRequestFormParams,
  ElicitResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  type JSONRPCMessage,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import {
  CAPABILITIES,
  COMPLETIONS,
  contentsOf,
  INFO,
  NO_ARGUMENTS,
  PLAIN_TOOLS,
  PROMPTS,
  RESOURCES,
  type Schema,
  schemaOf,
  TEMPLATE,
  text,
} from "./content.ts";
import { isHttp, serveFixture } from "./serve-fixture.ts";

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Args = Readonly<Record<string, unknown>>;

/** Tools that say something to the client before they answer. */
const TALKING_TOOLS: readonly {
  readonly name: string;
  readonly inputSchema?: Schema;
  call(args: Args, extra: Extra): Promise<string>;
}[] = [
  {
    name: "test_tool_with_logging",
    async call(_, { sendNotification }) {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        await sendNotification({ method: "notifications/message", params: { level: "info", data } });
        await Bun.sleep(50);
      }
      return "logged";
    },
  },
  {
    name: "test_tool_with_progress",
    async call(_, { sendNotification, _meta }) {
      for (const progress of [0, 50, 100]) {
        const progressToken = _meta?.progressToken;
        if (progressToken !== undefined)
          await sendNotification({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await Bun.sleep(50);
      }
      return "done";
    },
  },
  {
    name: "test_reconnection",
    async call(_, { closeSSEStream }) {
      closeSSEStream?.();
      await Bun.sleep(100);
      return "answered after the stream was closed";
    },
  },
  {
    name: "test_sampling",
    inputSchema: schemaOf("prompt"),
    async call({ prompt }, { sendRequest }) {
      const messages = [{ role: "user" as const, content: text(String(prompt)) }];
      const { content } = await sendRequest(
        { method: "sampling/createMessage", params: { messages, maxTokens: 100 } },
        CreateMessageResultSchema,
      );
      return `LLM response: ${content.type === "text" ? content.text : content.type}`;
    },
  },
  {
    name: "test_elicitation",
    inputSchema: schemaOf("message"),
    call: async ({ message }, extra) => `User response: ${await elicit(extra, String(message), schemaOf("username", "email"))}`,
  },
  {
    name: "test_elicitation_sep1034_defaults",
    call: async (_, extra) => `Elicitation completed: ${await elicit(extra, "Are these right?", { type: "object", properties: DEFAULTS })}`,
  },
  {
    name: "test_elicitation_sep1330_enums",
    call: async (_, extra) => `Elicitation completed: ${await elicit(extra, "Which ones?", { type: "object", properties: ENUMS })}`,
  },
];

const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};
const titled = ["First", "Second", "Third"].map((title, at) => ({ const: `value${at + 1}`, title: `${title} Option` }));
const OPTIONS = ["option1", "option2", "option3"];
const ENUMS = {
  untitledSingle: { type: "string", enum: OPTIONS },
  titledSingle: { type: "string", oneOf: titled },
  legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
  untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
  titledMulti: { type: "array", items: { anyOf: titled } },
};

async function elicit({ sendRequest }: Extra, message: string, schema: Schema): Promise<string> {
  // The schemas above are literals that the SDK's type for them is too narrow to infer.
  const params: ElicitRequestFormParams = { message, requestedSchema: schema as unknown as ElicitRequestFormParams["requestedSchema"] };
  const { action, content } = await sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
}

async function callTool(name: string, args: Args, extra: Extra): Promise<CallToolResult> {
  const plain = PLAIN_TOOLS.find((tool) => tool.name === name);
  if (plain !== undefined) return { content: plain.content, isError: plain.isError };
  const talking = TALKING_TOOLS.find((tool) => tool.name === name);
  if (talking === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${name}`);
  try {
    return { content: [text(await talking.call(args, extra))] };
  } catch (cause) {
    return { content: [text(String(cause))], isError: true };
  }
}

function makeServer(): Server {
  const server = new Server(INFO, { capabilities: CAPABILITIES });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      ...PLAIN_TOOLS.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      ...TALKING_TOOLS.map(({ name, inputSchema = NO_ARGUMENTS }) => ({ name, description: "talks to the client", inputSchema })),
    ],
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => callTool(params.name, params.arguments ?? {}, extra));
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: RESOURCES }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [TEMPLATE] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const contents = contentsOf(uri);
    if (contents === undefined) throw new McpError(-32002, "there is no such resource", { uri });
    return { contents: [contents] };
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: PROMPTS.map(({ name, description, args }) => ({
      name,
      description,
      arguments: args.map((arg) => ({ name: arg, required: true })),
    })),
  }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    if (prompt === undefined) throw new McpError(ErrorCode.InvalidParams, `there is no prompt ${params.name}`);
    return { messages: prompt.messages(params.arguments ?? {}) };
  });
  server.setRequestHandler(CompleteRequestSchema, () => ({ completion: { values: COMPLETIONS } }));
  return server;
}

/** Keeps every message, in order; an id says which stream it was for. */
class Events implements EventStore {
  readonly #kept: { readonly stream: string; readonly message: JSONRPCMessage }[] = [];

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    this.#kept.push({ stream, message });
    return String(this.#kept.length - 1);
  }

  async replayEventsAfter(id: string, { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> }): Promise<string> {
    const { stream } = this.#kept[Number(id)] ?? { stream: "" };
    // A priming event carries no message.
    for (const [at, event] of this.#kept.entries())
      if (at > Number(id) && event.stream === stream && "jsonrpc" in event.message) await send(String(at), event.message);
    return stream;
  }
}

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();

async function answer(request: Request): Promise<Response> {
  const id = request.headers.get("mcp-session-id");
  if (id !== null) return sessions.get(id)?.handleRequest(request) ?? new Response("no such session", { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
    eventStore: new Events(),
    retryInterval: 500,
  });
  await makeServer().connect(transport);
  return transport.handleRequest(request);
}

if (isHttp) serveFixture(answer);
else await makeServer().connect(new StdioServerTransport());

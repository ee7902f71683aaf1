// The conformance fixture on the TypeScript SDK v2: 2026-07-28, over stdio, or with --http over Streamable HTTP.
import {
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { CAPABILITIES, COMPLETIONS, contentsOf, INFO, PLAIN_TOOLS, PROMPTS, RESOURCES, type Schema, TEMPLATE } from "./content.ts";
import { ASKING_TOOLS, type AskingTool, askingPrompt, type Notices, type World } from "./sdk2-tools.ts";
import { isHttp, serveFixture } from "./serve-fixture.ts";

const codec = createRequestStateCodec<number>({ key: crypto.getRandomValues(new Uint8Array(32)) });

function makeServer(notices: (server: McpServer) => Notices): McpServer {
  const server = new McpServer(INFO, { capabilities: CAPABILITIES, requestState: { verify: codec.verify } });
  registerTools(server, { mint: codec.mint, notices: notices(server) });
  for (const { uri, name, ...rest } of RESOURCES) server.registerResource(name, uri, rest, ({ href }) => ({ contents: held(href) }));
  const { uriTemplate, name, ...rest } = TEMPLATE;
  server.registerResource(name, new ResourceTemplate(uriTemplate, { list: undefined }), rest, ({ href }) => ({ contents: held(href) }));
  for (const { name, description, args, messages } of PROMPTS) {
    const argsSchema = z.object(Object.fromEntries(args.map((arg) => [arg, completable(z.string(), () => COMPLETIONS)])));
    server.registerPrompt(name, { description, argsSchema }, (given) => ({ messages: messages(given) }));
  }
  server.registerPrompt(askingPrompt.name, { description: "asks for its context" }, askingPrompt.get);
  return server;
}

function registerTools(server: McpServer, world: World): void {
  const calls = new Map<string, AskingTool["call"]>();
  const register = (name: string, description: string, inputSchema: Schema, call: AskingTool["call"]) => {
    calls.set(name, call);
    server.registerTool(name, { description, inputSchema: fromJsonSchema(inputSchema) }, (args, context) => call(args, context, world));
  };
  for (const { name, description, inputSchema, content, isError } of PLAIN_TOOLS)
    register(name, description, inputSchema, () => ({ content, isError }));
  for (const { name, inputSchema, call } of ASKING_TOOLS) register(name, "asks or tells the client something", inputSchema, call);
  // McpServer makes a result of whatever a tool throws; a missing capability is an error.
  server.server.setRequestHandler("tools/call", ({ params }, context) => {
    const call = calls.get(params.name);
    if (call === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${params.name}`);
    return call(params.arguments, context, world);
  });
}

function held(uri: string) {
  const contents = contentsOf(uri);
  return contents === undefined ? [] : [contents];
}

if (isHttp) {
  const handler = createMcpHandler(() => makeServer(() => handler.notify));
  serveFixture(handler.fetch);
} else {
  serveStdio(() =>
    makeServer((server) => ({ toolsChanged: () => server.sendToolListChanged(), promptsChanged: () => server.sendPromptListChanged() })),
  );
}

// What does an official client see of a server? It connects, answers what it is asked, and puts questions; all that it was given is kept as its
// own types have it, so that a visit through the proxy can be compared with one without.
import { join } from "node:path";
import { StreamableHTTPClientTransport as ModernHttp, Client as SecondClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { until } from "../support/documents.ts";
import { TOKEN } from "../support/http.ts";
import { installed } from "./installed.ts";

/** Where a client connects: a program that it starts, or an address; and in which folder and environment it runs itself. */
export type Target = { readonly cwd: string; readonly env: Record<string, string> } & (
  | { readonly kind: "program"; readonly command: readonly [string, ...string[]] }
  | { readonly kind: "address"; readonly url: string }
);

/** A request by its method. With `until` it is put again and again until the answer holds that text: for what a server does by itself. */
export interface Question {
  readonly method: keyof typeof METHODS;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly until?: string;
}

/** What a client puts and answers with. */
export interface Errand {
  readonly questions: readonly Question[];
  /** The folder that it names as its only root. */
  readonly root: string;
}

/** What a client was given. Where it doesn't show something, that is undefined. */
export interface Visit {
  readonly server?: unknown;
  readonly capabilities?: unknown;
  readonly instructions?: string | null | undefined;
  /** One per question: the result, or `{ error }`. */
  readonly answers: readonly unknown[];
  /** What the server asked meanwhile: input, sampling. */
  readonly heard?: readonly unknown[];
}

/** A client by what it does on a visit. */
export type Visitor = (target: Target, errand: Errand) => Promise<Visit>;

const METHODS = {
  "tools/list": "listTools",
  "tools/call": "callTool",
  "prompts/list": "listPrompts",
  "prompts/get": "getPrompt",
  "resources/list": "listResources",
  "resources/read": "readResource",
  "resources/templates/list": "listResourceTemplates",
} as const;

type Method = (typeof METHODS)[keyof typeof METHODS];
/** What both SDK lines have. */
type AnyClient = Record<Method, (params: object) => Promise<unknown>> & {
  getServerVersion(): unknown;
  getServerCapabilities(): unknown;
  getInstructions(): string | undefined;
  close(): Promise<void>;
};

const VERSION = { name: "visitor", version: "1" };
const CAPABILITIES = { capabilities: { sampling: {}, elicitation: { form: {} }, roots: {} } };
const SAMPLED = { model: "m", role: "assistant" as const, content: { type: "text" as const, text: "sampled é" } };
const AGREED = { action: "accept" as const, content: { name: "Ada é", sure: true } };
const HEADERS = { authorization: `Bearer ${TOKEN}` };
const asRoots = (root: string) => ({ roots: [{ uri: `file://${root}`, name: "R" }] });

/** Gives what keeps the parameters of a request before it answers. */
const listener =
  (heard: unknown[]) =>
  async <T>(params: unknown, answer: T): Promise<T> => {
    heard.push(params);
    return answer;
  };

/** Puts the questions with a client of either SDK line. */
async function ask(client: AnyClient, errand: Errand, heard: unknown[]): Promise<Visit> {
  const answers: unknown[] = [];
  for (const { method, params = {}, until: text } of errand.questions) {
    const put = () => client[METHODS[method]](params).catch((error) => ({ error: { code: error.code, message: error.message } }));
    let answer = await put();
    if (text !== undefined)
      await until(`${method} says ${text}`, async () => {
        if (JSON.stringify(answer).includes(text)) return true;
        answer = await put();
        return false;
      });
    answers.push(answer);
  }
  const visit = { server: client.getServerVersion(), capabilities: client.getServerCapabilities(), instructions: client.getInstructions() };
  await client.close();
  return { ...visit, answers, heard };
}

/** The first SDK line. */
export const visitFirst: Visitor = async (target, errand) => {
  const client = new FirstClient(VERSION, CAPABILITIES);
  const heard: unknown[] = [];
  const hear = listener(heard);
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => hear(params, SAMPLED));
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => hear(params, AGREED));
  client.setRequestHandler(ListRootsRequestSchema, async () => asRoots(errand.root));
  const transport =
    target.kind === "address"
      ? new StreamableHTTPClientTransport(new URL(target.url), { requestInit: { headers: HEADERS } })
      : new StdioClientTransport(programOf(target));
  await client.connect(transport);
  // its results are wider than what is used here
  return ask(client as unknown as AnyClient, errand, heard);
};

/** The second SDK line, in an era. */
export const visitSecond =
  (mode: "legacy" | "auto" | "modern"): Visitor =>
  async (target, errand) => {
    const client = new SecondClient(VERSION, {
      ...CAPABILITIES,
      versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : mode },
    });
    const heard: unknown[] = [];
    const hear = listener(heard);
    client.setRequestHandler("sampling/createMessage", ({ params }) => hear(params, SAMPLED));
    client.setRequestHandler("elicitation/create", ({ params }) => hear(params, AGREED));
    client.setRequestHandler("roots/list", async () => asRoots(errand.root));
    const transport =
      target.kind === "address"
        ? new ModernHttp(new URL(target.url), { requestInit: { headers: HEADERS } })
        : new ModernStdio(programOf(target));
    await client.connect(transport);
    // its results are wider than what is used here
    return ask(client as unknown as AnyClient, errand, heard);
  };

function programOf({ command: [command, ...args], cwd, env }: Target & { kind: "program" }) {
  return { command, args, cwd, env, stderr: "ignore" as const };
}

const INSPECTOR = installed("inspector", "node/node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js");
const PYTHON = installed("python", "python/bin/python");
const PLAYWRIGHT_SERVER = installed("playwright", "node/node_modules/@playwright/mcp/cli.js");
/** The server of Playwright, which is only listed: no browser is there. */
export const PLAYWRIGHT = PLAYWRIGHT_SERVER.path;

/** What install.sh installs for these tests, by the word that stands for it in their names. */
export const NEEDED = { inspector: INSPECTOR, python: PYTHON, playwright: PLAYWRIGHT_SERVER } as const;

/** The Inspector's command line, in an era: one process per question, which shows the answer alone. */
export const visitInspector =
  (era: "legacy" | "auto" | "modern"): Visitor =>
  async (target, { questions }) => {
    const where =
      target.kind === "program"
        ? [...target.command]
        : ["--server-url", target.url, "--transport", "http", "--header", `Authorization: ${HEADERS.authorization}`];
    const answers: unknown[] = [];
    for (const { method, params = {} } of questions) {
      const { name, arguments: args, uri } = params;
      const about = { "tools/call": ["--tool-name", name, "--tool-args-json", JSON.stringify(args)], "resources/read": ["--uri", uri] }[
        method as string
      ];
      const words = ["--protocol-era", era, "--format", "json", "-q", "--method", method, ...(about ?? [])].map(String);
      answers.push(JSON.parse(await run(["node", INSPECTOR.path, ...where, ...words], target)));
    }
    return { answers };
  };

/** The Python client, in an era: visit.py. */
export const visitPython =
  (mode: "legacy" | "auto" | "modern"): Visitor =>
  async (target, errand) => {
    const told = JSON.stringify({ target, errand, mode: mode === "modern" ? "2026-07-28" : mode, headers: HEADERS });
    return JSON.parse(await run([PYTHON.path, join(import.meta.dir, "visit.py"), told], target)) as Visit;
  };

/** Runs a program to its end, where a target says, and gives what it prints. @throws where it fails */
async function run(command: string[], { cwd, env }: Target): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0 && out === "") throw new Error(`${command.join(" ")}: ${code} ${err}`);
  return out;
}

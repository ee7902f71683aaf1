// What do the v2 fixture's tools ask of the client, or tell it, before they answer? Input over several rounds, with state that can't be forged.
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type GetPromptResult,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { NO_ARGUMENTS, type Schema, text } from "./content.ts";

/** Tells those who listen that a list has changed. */
export interface Notices {
  toolsChanged(): void;
  promptsChanged(): void;
}

/** What a tool needs besides the call. */
export interface World {
  /** Seals the number of a round. */
  mint(round: number): Promise<string>;
  readonly notices: Notices;
}

type Answer = CallToolResult | InputRequiredResult;

/** A tool that needs the client for its answer. */
export interface AskingTool {
  readonly name: string;
  readonly inputSchema: Schema;
  call(args: unknown, context: ServerContext, world: World): Promise<Answer> | Answer;
}

const says = (words: string): CallToolResult => ({ content: [text(words)] });
const ask = (message: string, key: string) =>
  inputRequired.elicit({ message, requestedSchema: { type: "object", properties: { [key]: { type: "string" } }, required: [key] } });
const confirm = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});
const sample = (question: string) => inputRequired.createMessage({ messages: [{ role: "user", content: text(question) }], maxTokens: 100 });

/** Whether every one of these keys has an answer of some kind. */
const isAnswered = ({ mcpReq }: ServerContext, requests: InputRequests) =>
  Object.keys(requests).every((key) => inputResponse(mcpReq.inputResponses, key).kind !== "missing");

/** A tool of two rounds: what it asks for, and what it says then. */
function twoRounds(name: string, inputRequests: InputRequests, end: (context: ServerContext) => string): AskingTool {
  const call = (_: unknown, context: ServerContext) =>
    isAnswered(context, inputRequests) ? says(end(context)) : inputRequired({ inputRequests });
  return { name, inputSchema: NO_ARGUMENTS, call };
}

/** A tool of several rounds, each of which must bring back the state of the one before. */
function statefulRounds(name: string, rounds: readonly InputRequests[], end: string): AskingTool {
  const call = async (_: unknown, context: ServerContext, { mint }: World) => {
    const done = context.mcpReq.requestState<number>() ?? 0;
    const asked = rounds[done - 1];
    const at = asked === undefined || isAnswered(context, asked) ? done : done - 1;
    const inputRequests = rounds[at];
    return inputRequests === undefined ? says(end) : inputRequired({ inputRequests, requestState: await mint(at + 1) });
  };
  return { name, inputSchema: NO_ARGUMENTS, call };
}

const nameOf = ({ mcpReq }: ServerContext, key: string) => acceptedContent<{ name: string }>(mcpReq.inputResponses, key)?.name;

/** All of them. */
export const ASKING_TOOLS: readonly AskingTool[] = [
  twoRounds(
    "test_input_required_result_elicitation",
    { user_name: ask("What is your name?", "name") },
    (context) => `Hello, ${nameOf(context, "user_name")}!`,
  ),
  twoRounds("test_input_required_result_sampling", { capital_question: sample("What is the capital of France?") }, ({ mcpReq }) =>
    JSON.stringify(inputResponse(mcpReq.inputResponses, "capital_question")),
  ),
  twoRounds("test_input_required_result_list_roots", { client_roots: inputRequired.listRoots() }, ({ mcpReq }) =>
    JSON.stringify(inputResponse(mcpReq.inputResponses, "client_roots")),
  ),
  statefulRounds("test_input_required_result_request_state", [{ confirm }], "state-ok"),
  statefulRounds("test_input_required_result_tampered_state", [{ confirm }], "state-ok"),
  statefulRounds(
    "test_input_required_result_multiple_inputs",
    [{ user_name: ask("What is your name?", "name"), greeting: sample("Generate a greeting"), client_roots: inputRequired.listRoots() }],
    "all answered",
  ),
  statefulRounds(
    "test_input_required_result_multi_round",
    [{ step1: ask("Step 1: What is your name?", "name") }, { step2: ask("Step 2: What is your favorite color?", "color") }],
    "both answered",
  ),
  {
    name: "test_input_required_result_capabilities",
    inputSchema: NO_ARGUMENTS,
    call(_, context) {
      const { sampling, elicitation } = capabilitiesOf(context);
      const inputRequests = {
        ...(sampling ? { greeting: sample("Generate a greeting") } : {}),
        ...(elicitation ? { user_name: ask("What is your name?", "name") } : {}),
      };
      return isAnswered(context, inputRequests) ? says("nothing to ask for") : inputRequired({ inputRequests });
    },
  },
  {
    name: "test_missing_capability",
    inputSchema: NO_ARGUMENTS,
    call(_, context) {
      if (!capabilitiesOf(context).sampling) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
      return says("the client can sample");
    },
  },
  twoRounds("test_streaming_elicitation", { user_name: ask("What is your name?", "name") }, () => "answered"),
  {
    name: "test_logging_tool",
    inputSchema: NO_ARGUMENTS,
    async call(_, { mcpReq }) {
      await mcpReq.log("info", "only for those who asked for it");
      return says("logged");
    },
  },
  {
    name: "test_tool_with_progress",
    inputSchema: NO_ARGUMENTS,
    async call(_, { mcpReq }) {
      for (const progress of [0, 50, 100]) {
        const progressToken = mcpReq._meta?.progressToken;
        if (progressToken !== undefined)
          await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
        await Bun.sleep(50);
      }
      return says("done");
    },
  },
  {
    name: "test_header_parameter",
    inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
    call: (args) => says(JSON.stringify(args)),
  },
  {
    name: "test_trigger_tool_change",
    inputSchema: NO_ARGUMENTS,
    call(_, __, { notices }) {
      notices.toolsChanged();
      return says("told");
    },
  },
  {
    name: "test_trigger_prompt_change",
    inputSchema: NO_ARGUMENTS,
    call(_, __, { notices }) {
      notices.promptsChanged();
      return says("told");
    },
  },
];

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  // The SDK's type of the envelope says nothing of its members.
  const envelope = mcpReq.envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

/** The prompt that needs input. */
export const askingPrompt = {
  name: "test_input_required_result_prompt",
  get(context: ServerContext): GetPromptResult | InputRequiredResult {
    const answer = acceptedContent<{ context: string }>(context.mcpReq.inputResponses, "user_context");
    if (answer === undefined)
      return inputRequired({ inputRequests: { user_context: ask("What context should the prompt use?", "context") } });
    return { messages: [{ role: "user", content: text(`In the context of ${answer.context}`) }] };
  },
};

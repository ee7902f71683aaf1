// What does the conformance suite expect a server to have? The parts that both fixtures say alike: tools that only answer, resources, prompts.

/** A 1x1 PNG and an empty WAV, in Base64. */
const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mNQSFgAAAHEASFcollRAAAAAElFTkSuQmCC";
const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

/** The name of both. */
export const INFO = { name: "conformance-fixture", version: "1.0.0" };
/** What both can do. */
export const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

/** A JSON Schema of arguments. */
export type Schema = { readonly type: "object"; readonly [keyword: string]: unknown };

/** A schema without arguments, and one with these, all of them texts. */
export const NO_ARGUMENTS: Schema = { type: "object", properties: {} };
export const schemaOf = (...names: string[]): Schema => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
});

/** A text as content. */
export const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: IMAGE, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: words },
});

/** Tools that answer always the same. */
export const PLAIN_TOOLS = [
  tool("test_simple_text", "answers with a text", [text("This is a simple text response for testing.")]),
  tool("test_image_content", "answers with an image", [image]),
  tool("test_audio_content", "answers with a sound", [{ type: "audio" as const, data: AUDIO, mimeType: "audio/wav" }]),
  tool("test_embedded_resource", "answers with a resource", [
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ]),
  tool("test_multiple_content_types", "answers with several kinds of content", [
    text("Multiple content types test:"),
    image,
    embedded("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 })),
  ]),
  { ...tool("test_error_handling", "always fails", [text("This tool intentionally returns an error for testing")]), isError: true },
  tool("json_schema_2020_12_tool", "has a schema with the keywords that are easily lost", [text("seen")], {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: {
      address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
];

function tool(name: string, description: string, content: readonly Content[], inputSchema: Schema = NO_ARGUMENTS) {
  return { name, description, inputSchema, content: [...content], isError: false };
}
type Content = ReturnType<typeof text> | typeof image | ReturnType<typeof embedded> | { type: "audio"; data: string; mimeType: string };

/** The resources, without their contents. */
export const RESOURCES = [
  { uri: "test://static-text", name: "static-text", description: "a text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "an image", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched-resource", description: "a text to subscribe to", mimeType: "text/plain" },
];
/** The one template. */
export const TEMPLATE = {
  uriTemplate: "test://template/{id}/data",
  name: "template",
  description: "some data by id",
  mimeType: "application/json",
};

/** Gives what a resource holds; undefined for one that isn't there. */
export function contentsOf(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined)
    return { uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: IMAGE };
  if (uri === "test://static-text") return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  return uri === "test://watched-resource" ? { uri, mimeType: "text/plain", text: "watched" } : undefined;
}

const user = <C>(content: C) => ({ role: "user" as const, content });

/** The prompts; `messages` takes the arguments. */
export const PROMPTS = [
  {
    name: "test_simple_prompt",
    description: "a text",
    args: [],
    messages: () => [user(text("This is a simple prompt for testing."))],
  },
  {
    name: "test_prompt_with_arguments",
    description: "a text with two arguments",
    args: ["arg1", "arg2"],
    messages: ({ arg1 = "", arg2 = "" }: Args) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "a resource",
    args: ["resourceUri"],
    messages: ({ resourceUri = "" }: Args) => [
      user(embedded(resourceUri, "text/plain", "Embedded resource content for testing.")),
      user(text("Please process the embedded resource above.")),
    ],
  },
  {
    name: "test_prompt_with_image",
    description: "an image",
    args: [],
    messages: () => [user(image), user(text("Please analyze the image above."))],
  },
];
type Args = Readonly<Record<string, string>>;

/** What an argument may be completed to. */
export const COMPLETIONS = ["paris", "park", "party"];

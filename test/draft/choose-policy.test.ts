import { beforeAll, expect, test } from "bun:test";
import { isJsonObject, type JsonObject } from "../../src/core/json.ts";
import { ruleFor } from "../../src/core/match-rule.ts";
import { choosePolicy, type PolicyChoice } from "../../src/draft/choose-policy.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { newManifest } from "../../src/manifest/new-manifest.ts";
import { companionsFor, shippedPolicies } from "../../src/manifest/shipped.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";
import { type RealServer, realTools } from "./real-tools.ts";

const SERVERS: readonly RealServer[] = ["crm", "filesystem", "memory"];
const listed = new Map<RealServer, readonly ListedTool[]>();
beforeAll(async () => {
  for (const server of SERVERS) listed.set(server, await realTools(server));
});

function toolsOf(server: RealServer): readonly ListedTool[] {
  return listed.get(server) ?? [];
}

function choose(tools: readonly ListedTool[]): PolicyChoice {
  return choosePolicy("mine", tools, shippedPolicies());
}

/** The CRM's tools with one of them changed. */
function crmWith(name: string, change: (tool: ListedTool) => ListedTool | undefined): readonly ListedTool[] {
  return toolsOf("crm").flatMap((tool) => (tool.name === name ? (change(tool) ?? []) : tool));
}

/** A tool whose input schema has these properties, all of them required. */
function takes(tool: ListedTool, properties: readonly string[]): ListedTool {
  return {
    ...tool,
    inputSchema: { type: "object", properties: Object.fromEntries(properties.map((each) => [each, {}])), required: properties },
  };
}

test("each real server is recognised by its tools, under any name, and its policy loads with every rule", () => {
  for (const server of SERVERS) {
    const choice = choose(toolsOf(server));
    expect(choice).toMatchObject({ kind: "shipped", policy: { name: server }, beside: { rulesYaml: [] } });
    if (choice.kind !== "shipped") continue;
    const companions = companionsFor(choice.policy, "mine", ["."]);
    const text = newManifest({ server: { name: "mine", command: "x", args: [] }, companions, rulesYaml: choice.rulesYaml });
    const loading = loadManifestText(text, { directory: "/", env: "any" });
    if (loading.kind === "invalid") throw new Error(JSON.stringify(loading.problems));
    for (const { name } of toolsOf(server)) expect([name, ruleFor(loading.policy, "mine", name).rule]).not.toEqual([name, "unmentioned"]);
  }
});

test("P5: a tool that the shipped policy doesn't mention is drafted beside it", () => {
  const more: ListedTool = { name: "merge_customers", inputSchema: { type: "object" }, raw: {} };
  const choice = choose([...toolsOf("crm"), more]);
  expect(choice).toMatchObject({ kind: "shipped", beside: { summary: { reads: 0, held: 1 } } });
  expect(choice.rulesYaml.at(-1)).toMatch(/^- match: "mine.merge_customers"\n(.*\n)+ {2}class: irreversible\n {2}gate: always$/);
});

test("P3: a shipped policy isn't used where one thing that it relies on is different", () => {
  const different: Record<string, readonly ListedTool[]> = {
    "a tool is missing, and another is one that the policy doesn't know": crmWith("send_email", (tool) => ({
      ...tool,
      name: "send_letter",
    })),
    "hardly a tool of it is there": toolsOf("crm").filter(({ name }) => name === "list_customers" || name === "get_customer"),
    "the way back is missing": crmWith("restore_customer", () => undefined),
    "an argument that the inverse sends isn't taken": crmWith("update_customer", (tool) => takes(tool, ["id", "name", "email", "plan"])),
    "the inverse needs an argument that isn't sent": crmWith("restore_customer", (tool) =>
      takes(tool, ["id", "name", "email", "plan", "notes", "owner"]),
    ),
    "the snapshot takes the id under another name": crmWith("get_customer", (tool) => takes(tool, ["customer_id"])),
    "the call has no id to look up": crmWith("delete_customer", (tool) => takes(tool, ["key"])),
    "the snapshot lacks a field that is put back": crmWith("get_customer", (tool) => ({
      ...tool,
      outputSchema: without(tool.outputSchema, "email"),
    })),
    "the result lacks the new id": crmWith("create_customer", (tool) => ({ ...tool, outputSchema: without(tool.outputSchema, "id") })),
    "a read isn't one by the server's own account": crmWith("list_customers", (tool) => ({
      ...tool,
      annotations: { destructiveHint: true },
    })),
  };
  for (const [what, tools] of Object.entries(different)) expect([what, choose(tools).kind]).toEqual([what, "drafted"]);
});

test("of a server that lists only some of its tools, the rules for these are taken", () => {
  const choice = choose(crmWith("send_email", () => undefined));
  expect(choice).toMatchObject({ kind: "shipped", policy: { name: "crm" }, beside: { rulesYaml: [] } });
  const matched = choice.rulesYaml.map((rule) => /^- match: "mine\.(\w+)"/m.exec(rule)?.[1] ?? "");
  expect(matched.toSorted()).toEqual(
    toolsOf("crm")
      .map(({ name }) => name)
      .filter((name) => name !== "send_email")
      .toSorted(),
  );
});

test("a server without tools gets an empty draft", () => {
  expect(choose([])).toEqual({ kind: "drafted", rulesYaml: [], draft: { rulesYaml: [], tools: [], summary: { reads: 0, held: 0 } } });
});

function without(schema: ListedTool["outputSchema"], name: string): JsonObject {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) throw new Error("the CRM has no output schema any more");
  const { [name]: _, ...properties } = schema["properties"];
  return { ...schema, properties };
}

import { expect, test } from "bun:test";
import fc from "fast-check";
import { parse } from "yaml";
import type { JsonObject } from "../../src/core/json.ts";
import { draftRules } from "../../src/draft/draft-rules.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";
import { realTools } from "./real-tools.ts";

/** A tool with just what a test is about. */
function tool(name: string, rest: Partial<ListedTool> & { inputs?: readonly string[] } = {}): ListedTool {
  const { inputs = [], ...given } = rest;
  const properties: JsonObject = Object.fromEntries(inputs.map((input) => [input, { type: "string" }]));
  return { name, inputSchema: { type: "object", properties, required: inputs }, raw: { name }, ...given };
}

interface ParsedRule {
  readonly match: string;
  readonly class: string;
  readonly gate?: string;
}

/** The rules as a manifest would hold them. */
function rulesOf(tools: readonly ListedTool[]): readonly ParsedRule[] {
  const { rulesYaml } = draftRules("srv", tools);
  const text = rulesYaml.join("\n").replace(/^/gm, "  ");
  return (parse(`tools:\n${text}\n`) as { tools: ParsedRule[] | null }).tools ?? [];
}

function classOf(one: ListedTool): string {
  return rulesOf([one])[0]?.class ?? "none";
}

test("a tool that is unmistakably named like a read, or that the server calls one, is readonly", () => {
  for (const name of [
    "get_customer",
    "list-customers",
    "searchCustomers",
    "read.file",
    "DescribeTable",
    "find_all",
    "count_rows",
    "get_run",
    "list_commits",
  ]) {
    expect([name, classOf(tool(name))]).toEqual([name, "readonly"]);
  }
  expect(classOf(tool("git_status", { annotations: { readOnlyHint: true } }))).toBe("readonly");
  expect(classOf(tool("search_customers", { inputs: ["query"] }))).toBe("readonly");
});

test("P5: everything else is irreversible and held", () => {
  for (const name of [
    "update_customer",
    "getaway",
    "listen",
    "readme",
    "get",
    "query",
    "fetch_page",
    "forget_me",
    "target_list",
    "",
    "_",
    "customer",
  ]) {
    const rules = rulesOf([tool(name)]);
    for (const rule of rules) expect(rule).toEqual({ match: `srv.${name}`, class: "irreversible", gate: "always" });
  }
});

test("P5: a read that something contradicts is held", () => {
  const readOnlyHint = true;
  const contradicted: readonly ListedTool[] = [
    tool("get_customer", { annotations: { readOnlyHint: false } }),
    tool("get_customer", { annotations: { readOnlyHint, destructiveHint: true } }),
    tool("get_customer", { annotations: { readOnlyHint: "true" }, inputs: ["sql"] }),
    tool("find_or_create_user"),
    tool("list_and_clear"),
    tool("get_or_set"),
    tool("delete_customer", { annotations: { readOnlyHint } }),
    tool("sendMail", { annotations: { readOnlyHint } }),
    tool("run_report", { annotations: { readOnlyHint } }),
    tool("git_commit", { annotations: { readOnlyHint } }),
    tool("read_query", { annotations: { readOnlyHint }, inputs: ["query"] }),
    tool("analyze", { annotations: { readOnlyHint }, inputs: ["query"] }),
    tool("search_logs", { annotations: { readOnlyHint }, inputs: ["sqlText"] }),
    tool("list_files", { annotations: { readOnlyHint }, inputs: ["command"] }),
    tool("get_result", { annotations: { readOnlyHint }, inputs: ["code"] }),
    tool("get_page", { inputs: ["url"] }),
    tool("list_files", {
      inputSchema: { type: "object", properties: { params: { anyOf: [{ type: "object", properties: { shell_command: {} } }] } } },
    }),
  ];
  for (const one of contradicted) expect([one.name, classOf(one)]).toEqual([one.name, "irreversible"]);
});

test("P5: a name that is listed twice is judged by its stricter entry, and ruled once", () => {
  const twice = [tool("get_rules"), tool("get_rules", { annotations: { destructiveHint: true } }), tool("get_rules")];
  expect(rulesOf(twice)).toEqual([{ match: "srv.get_rules", class: "irreversible", gate: "always" }]);
  expect(draftRules("srv", twice).summary).toEqual({ reads: 0, held: 1 });
});

test("P5: a tool that no pattern matches exactly has no rule, since one would let others through", () => {
  const draft = draftRules("srv", [tool("get_*"), tool("get_a")]);
  expect(draft.rulesYaml[0]).toStartWith('# "get_*"');
  expect(draft.summary).toEqual({ reads: 1, held: 1 });
  expect(rulesOf([tool("get_*"), tool("get_a")])).toEqual([{ match: "srv.get_a", class: "readonly" }]);
});

test("P5: what seems to undo a held tool stands in its comment, and nothing of it is in force", () => {
  const id = { inputs: ["id"] };
  const tools = [
    tool("get_customer", id),
    tool("update_customer", { inputs: ["id", "name"] }),
    tool("create_customer", { inputs: ["name"] }),
    tool("delete_customer", id),
    tool("send_email", { inputs: ["to"] }),
    tool("frobnicate"),
  ];
  const rules = draftRules("crm", tools).rulesYaml;
  const [, update, create, remove, send, unknown] = rules;
  expect(update).toContain(
    '#   snapshot: { tool: "crm.get_customer", args: { "id": "$.id" }, absent_when: ["not found", "no such", "does not exist", "doesn\'t exist"] }',
  );
  expect(update).toContain('#   inverse: { tool: "crm.update_customer", args: { "id": "$.id", "name": "$snapshot.name" } }');
  expect(create).toContain('#   inverse: { tool: "crm.delete_customer", args: { "id": "$result.id" } }');
  expect(remove).toContain('#   inverse: { tool: "crm.create_customer", args: { "name": "$snapshot.name" } }');
  expect(send).toContain('# TODO: held, because its name says "send", which nothing takes back');
  expect(unknown).toContain("# TODO: held, because nothing in its name says what it changes");
  for (const rule of rules.slice(1)) expect(rule).toEndWith("  class: irreversible\n  gate: always");
});

test("P5: whatever a hostile server calls and describes its tools, each rule is for that very tool and says nothing more", () => {
  const nasty = fc.array(
    fc.oneof(
      fc.constantFrom(
        "get_",
        "list",
        "\n",
        "\r",
        "\u2028",
        "\u0085",
        "\u0000",
        "#",
        "*",
        '"',
        "'",
        ".",
        ": ",
        "- match: ",
        "  class: readonly\n",
        "\\",
        "&a",
        "!!",
        "\u202e",
        "\ud800",
        "\u{1f600}",
        "\ufeff",
      ),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 6 },
  );
  const text = nasty.map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.uniqueArray(fc.record({ name: text, description: text }), { selector: ({ name }) => name, maxLength: 5 }), (given) => {
      const tools = given.map(({ name, description }) => tool(name, { description }));
      const allowed = new Map(given.map(({ name }) => [`srv.${name}`, classOf(tool(name))]));
      const rules = rulesOf(tools);
      for (const rule of rules) {
        expect(allowed.get(rule.match)).toBe(rule.class);
        expect(rule).toEqual(
          rule.class === "readonly" ? { match: rule.match, class: "readonly" } : { ...rule, class: "irreversible", gate: "always" },
        );
        expect(rule.match).not.toContain("*");
      }
      expect(new Set(rules.map(({ match }) => match)).size).toBe(rules.length);
      for (const line of draftRules("srv", tools).rulesYaml.flatMap((rule) => rule.split("\n"))) {
        expect(line).toMatch(/^(- match: "|# "| {2}# | {2}class: (readonly # |irreversible$)| {2}gate: always$)/);
        expect(line).not.toMatch(/[^\P{C}]|[\p{Zl}\p{Zp}]/u);
      }
    }),
    { numRuns: 300 },
  );
});

test("the real filesystem and memory servers: reads are readonly, and every tool that changes something is held", async () => {
  const changing: Record<"filesystem" | "memory", readonly string[]> = {
    filesystem: ["write_file", "edit_file", "create_directory", "move_file"],
    memory: ["create_entities", "create_relations", "add_observations", "delete_entities", "delete_observations", "delete_relations"],
  };
  for (const name of ["filesystem", "memory"] as const) {
    const held = changing[name];
    const rules = rulesOf(await realTools(name));
    expect(rules.length).toBeGreaterThan(held.length);
    for (const rule of rules) {
      expect([rule.match, rule.class]).toEqual([rule.match, held.includes(rule.match.slice(4)) ? "irreversible" : "readonly"]);
    }
  }
});

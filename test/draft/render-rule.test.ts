import { expect, test } from "bun:test";
import fc from "fast-check";
import { checkHints } from "../../src/core/hint-check.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { checkPaths } from "../../src/core/path-check.ts";
import type { Policy } from "../../src/core/policy.ts";
import { checkPolicy } from "../../src/core/policy-check.ts";
import { draftTools } from "../../src/draft/draft-tools.ts";
import { isAcceptable, renderRule } from "../../src/draft/render-rule.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { newManifest } from "../../src/manifest/new-manifest.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";
import { madeUp, shows } from "./made-up.ts";
import { realTools } from "./real-tools.ts";

/** The policy of a manifest with a rule for each tool. Throws with what is wrong, also by what `check` says. */
function policyOf(tools: readonly ListedTool[], accepted: boolean): Policy {
  const rulesYaml = draftTools(tools).map((draft) => renderRule("srv", draft, accepted));
  const text = newManifest({ server: { name: "srv", command: "unused", args: [] }, rulesYaml });
  const loading = loadManifestText(text, { directory: "/", env: "any" });
  if (loading.kind === "invalid") throw new Error(`${JSON.stringify(loading.problems)}\n${text}`);
  const { policy } = loading;
  const listed = new Map([["srv", tools]]);
  const names = new Map([["srv", tools.map(({ name }) => name)]]);
  const found = [...checkPolicy(policy, names), ...checkPaths(policy, listed), ...checkHints(policy, listed)];
  const errors = found.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(`${JSON.stringify(errors)}\n${text}`);
  return policy;
}

/** What each rule lets pass without a person, as the names of tools. */
function inForce(policy: Policy): readonly string[] {
  return policy.rules.filter((rule) => rule.class !== "irreversible").map(({ match }) => match.slice("srv.".length));
}

const NOTES = [
  madeUp("get_note", "id", { outputSchema: shows("text") }),
  madeUp("update_note", "id text"),
  madeUp("send_note", "id"),
  madeUp("note_tag_write", "method=add|remove note_id tag_id"),
];

test("P5: until a person accepts a proposal only certain reads are in force", () => {
  expect(inForce(policyOf(NOTES, false))).toEqual(["get_note"]);
});

test("a proposal that a person accepts is in force as it is, mode by mode, and nothing asks any more", () => {
  const policy = policyOf(NOTES, true);
  const [, update, send, tag] = policy.rules;
  expect(update).toMatchObject({ class: "reversible", gate: "never", snapshot: { tool: "get_note" } });
  expect(send).toMatchObject({ class: "irreversible", gate: "always" });
  expect([...(tag?.cases?.rules ?? [])].map(([mode, rule]) => [mode, rule.class])).toEqual([
    ["add", "compensable"],
    ["remove", "compensable"],
  ]);
  const texts = draftTools(NOTES).map((draft) => renderRule("srv", draft, true));
  for (const text of texts) expect(text).not.toContain("TODO");
});

test("P5: a proposal that lacks an argument stays held, although a person accepts it", () => {
  const [draft] = draftTools([madeUp("update_note", "id text"), madeUp("list_notes", "")]);
  if (draft === undefined) throw new Error("no draft");
  expect(draft).toMatchObject({ class: "reversible", confidence: "low" });
  expect(isAcceptable(draft)).toBe(false);
  expect(renderRule("srv", draft, true)).toEndWith("  class: irreversible\n  gate: always");
  expect(renderRule("srv", draft, false)).toContain("  # Suggested, but incomplete:");
});

const word = fc.constantFrom(
  "note",
  "notes",
  "tag",
  "file",
  "workspace",
  "id",
  "all",
  "in",
  "or",
  "to",
  "$",
  "$$x",
  "__proto__",
  "ä",
  "a.b",
  "",
  "*",
);
const verb = fc.constantFrom(
  "get",
  "list",
  "create",
  "update",
  "delete",
  "add",
  "remove",
  "move",
  "write",
  "set",
  "enable",
  "disable",
  "send",
  "toggle",
);
const inputName = fc.constantFrom(
  "id",
  "note_id",
  "noteId",
  "path",
  "content",
  "title",
  "old_name",
  "new_name",
  "source",
  "destination",
  "method",
  "archived",
  "__proto__",
  "constructor",
  "a.b",
  "$x",
  'q"',
  "x y",
  "[0]",
  "body",
  "tags",
  "\u202e",
);
const member: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  {},
  { type: "string" },
  { type: "number" },
  { type: "boolean" },
  { type: "array", items: { type: "object", properties: { id: {} } } },
  { type: "object", properties: { title: {}, __proto__: null, 'a"': {} } },
  { type: "string", enum: ["create", "delete", "$result.id", "no", "get"] },
  { type: "string", enum: ["add", "remove"], default: "$.add" },
  { type: "string", const: "$" },
);
const schema = fc
  .record({
    members: fc.dictionary(inputName, member, { maxKeys: 5, noNullPrototype: true }),
    closed: fc.boolean(),
    needs: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ members, closed, needs }): JsonObject => {
    const required = Object.keys(members).slice(0, needs);
    return { type: "object", properties: members, required, ...(closed && { additionalProperties: false }) };
  });
const anyTool = fc
  .record({
    verb,
    words: fc.array(word, { maxLength: 3 }),
    inputSchema: schema,
    output: fc.option(schema),
    description: fc.string({ unit: "binary", maxLength: 20 }),
  })
  .map(
    ({ verb: first, words, inputSchema, output, description }): ListedTool => ({
      ...madeUp([first, ...words].join("_")),
      inputSchema,
      description,
      ...(output !== null && { outputSchema: output }),
    }),
  );

test("P5: whatever tools a server lists, the rules load and check without an error, accepted or not, and an accepted rule is for that very tool", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyTool, { selector: ({ name }) => name, maxLength: 8 }), fc.boolean(), (tools, accepted) => {
      const names = new Set(tools.map(({ name }) => name));
      for (const name of inForce(policyOf(tools, accepted))) expect(names.has(name)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test("the drafts for real servers load and check without an error, accepted or not", async () => {
  for (const server of ["everything", "filesystem", "memory", "sequential-thinking"] as const) {
    const tools = await realTools(server);
    for (const accepted of [false, true]) expect(policyOf(tools, accepted).rules).toHaveLength(tools.length);
  }
});

// Are the rules that a draft left open replaced alone, with everything that a person wrote kept?
import { describe, expect, test } from "bun:test";
import { draftRules } from "../../src/draft/draft-rules.ts";
import { renderRule } from "../../src/draft/render-rule.ts";
import { newManifest } from "../../src/manifest/new-manifest.ts";
import { openTools, settleRules } from "../../src/manifest/open-rules.ts";

const MANIFEST = `# mine
version: 1
servers:
  kv: { command: node }
  kv2: { command: node }
tools:
    # about the next one
    - match: "kv.put"
      # The server says: "Puts"
      # TODO: held until you say otherwise: it writes.
      # ask Ann about this
      # Suggested:
      #   class: compensable
      class: irreversible
      gate: always # for now

    - match: "kv.drop"
      # TODO: held, because nothing puts it back.
      class: irreversible
      gate: always
    # behind it
    - match: "kv.mine"
      # TODO: held, but I have said more
      class: irreversible
      gate: always
      undo: { remedy: "ask" }
    - match: "kv.said"
      class: irreversible
      gate: always
    - { match: "kv.flow", class: irreversible, gate: always } # TODO: no
    - match: "kv2.put"
      # TODO: held, because nothing puts it back.
      class: irreversible
      gate: always
`;

function settled(text: string, rules: Readonly<Record<string, string>>): string {
  const done = settleRules(text, "kv", new Map(Object.entries(rules)));
  return done.kind === "extended" ? done.text : done.reason;
}

describe("open rules", () => {
  test("are those of this server that stand as a draft wrote them", () => {
    expect(openTools(MANIFEST, "kv")).toEqual(["put", "drop"]);
    expect(openTools(MANIFEST, "kv2")).toEqual(["put"]);
    expect(openTools('version: 1\nservers: { kv: { command: "a" } }\n', "kv")).toEqual([]);
  });

  test("are all that a draft holds, however the tools are described", () => {
    const odd = ["a.b", "say TODO: now", "Suggested:", "'\"", "update_page"];
    const listed = odd.map((name) => ({ name, description: `# TODO: ${name}`, inputSchema: { type: "object" }, raw: {} }));
    const id = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    const more = ["get_page", "delete_page", "create_page"].map((name) => ({ name, inputSchema: id, raw: {} }));
    const { rulesYaml } = draftRules("kv", [...listed, ...more]);
    const text = newManifest({ server: { name: "kv", command: "a", args: [] }, rulesYaml });
    const open = [...odd, "delete_page", "create_page"];
    expect(text).toContain("# A guess: ");
    expect(openTools(text, "kv")).toEqual(open);
    const gated = Object.fromEntries(open.map((name) => [name, `- match: ${JSON.stringify(`kv.${name}`)}\n  class: readonly`]));
    expect(settled(text, gated)).not.toMatch(/^ *#/m);
  });

  for (const [kind, form] of Object.entries({
    "LF line ends": (text: string) => text,
    "CRLF line ends and a byte order mark": (text: string) => `\uFEFF${text.replaceAll("\n", "\r\n")}`,
  })) {
    test(`give way to what was decided, and every other byte stays, with ${kind}`, () => {
      const rule = '- match: "kv.put"\n  # why\n  class: compensable\n  inverse: { tool: "kv.drop", args: {} }';
      const lines = (indent: string) => rule.split("\n").map((line) => indent + line);
      const start = MANIFEST.indexOf('    - match: "kv.put"');
      const end = MANIFEST.indexOf(" # for now");
      const [first, ...more] = lines("    ");
      const wanted = MANIFEST.slice(0, start) + [first, "      # ask Ann about this", ...more].join("\n") + MANIFEST.slice(end);
      expect(settled(form(MANIFEST), { put: rule })).toBe(form(wanted));
    });
  }

  test("that somebody changed meanwhile stay, and so do those that would not load", () => {
    expect(settled(MANIFEST, { said: '- match: "kv.said"\n  class: readonly' })).toBe("a rule is another by now");
    expect(settled(MANIFEST, { put: '- match: "kv.put"\n  class: wrong' })).toStartWith("the result would not load");
  });

  test("are none any more once a suggestion is accepted", () => {
    const tools = [{ name: "put", inputSchema: { type: "object" }, raw: {} }];
    const [draft] = draftRules("kv", tools).tools;
    if (draft === undefined) throw new Error("nothing was drafted");
    const rule = renderRule("kv", { ...draft, class: "readonly" }, true);
    expect(openTools(settled(MANIFEST, { put: rule }), "kv")).toEqual(["drop"]);
  });
});

// `init NAME --tools FILE`: a draft from a saved list of tools.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { runCommandLine } from "../../src/cli/run.ts";
import { fakeIo } from "./fake-io.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-saved-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function init(content: string, ...words: string[]) {
  const file = join(folder, "tools.json");
  if (!existsSync(file)) writeFileSync(file, content);
  const io = fakeIo(folder, ["init", "notes", "--tools", "tools.json", ...words], { home: join(folder, "home"), now: Date.now });
  const code = await runCommandLine(io);
  return { code, out: io.out(), err: io.err() };
}

const TOOLS = JSON.stringify({
  tools: [
    { name: "update_note", inputSchema: { type: "object", properties: { id: {}, text: {} }, required: ["id", "text"] } },
    { name: "get_note", inputSchema: { type: "object", properties: { id: {} }, required: ["id"] } },
    { name: "send_note", description: "Sends \u001b[31mred\u001b[0m", inputSchema: { type: "object" } },
  ],
});

test("with --json it prints what is proposed for each tool, in the order of the file, and nothing else", async () => {
  const { code, out, err } = await init(TOOLS, "--json");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(out)).toEqual({
    tools: [
      {
        name: "update_note",
        class: "reversible",
        snapshot: "get_note",
        inverse: "update_note",
        confidence: "medium",
        reason: expect.any(String),
      },
      { name: "get_note", class: "readonly", snapshot: null, inverse: null, confidence: "high", reason: "a read by its name" },
      {
        name: "send_note",
        class: "irreversible",
        snapshot: null,
        inverse: null,
        confidence: "high",
        reason: expect.stringContaining("send"),
      },
    ],
  });
});

test("P5: without --json it prints the rules that init would write, and writes nothing", async () => {
  const { code, out, err } = await init(TOOLS);
  expect(code).toBe(0);
  expect(parse(out)).toEqual([
    { match: "notes.update_note", class: "irreversible", gate: "always" },
    { match: "notes.get_note", class: "readonly" },
    { match: "notes.send_note", class: "irreversible", gate: "always" },
  ]);
  expect(out).not.toContain("\u001b");
  expect(err).toContain("1 that only read, 2 held");
  expect(readdirSync(folder)).toEqual(["tools.json"]);
});

test("a file that holds no list of tools is one clear error", async () => {
  expect(await init("nothing")).toMatchObject({ code: 2, out: "", err: expect.stringContaining("tools.json isn't JSON in UTF-8\n") });
  truncateSync(join(folder, "tools.json"), 100 * 1024 * 1024);
  expect(await init("")).toMatchObject({ code: 2, out: "", err: expect.stringContaining("tools.json has more than 64 MiB\n") });
  rmSync(join(folder, "tools.json"));
  expect((await init(TOOLS, "--tools", "none.json")).code).toBe(2);
});

test("a saved list takes the place of a command and of an address", async () => {
  for (const words of [
    ["--url", "https://notes.example/"],
    ["--", "server"],
  ]) {
    expect(await init(TOOLS, ...words)).toMatchObject({ code: 2, err: expect.stringContaining("nothing is started") });
  }
});

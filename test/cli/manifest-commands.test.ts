// The commands that write and check a manifest, with real servers.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests hold variables
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentOf, replaceFile } from "../../src/cli/replace-file.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { manifestSchema, SCHEMA_FILE } from "../../src/manifest/json-schema.ts";
import { serveHttp } from "../support/http-server.ts";
import { fakeIo } from "./fake-io.ts";

const tiny = [process.execPath, join(import.meta.dir, "tiny-server.ts")];
const filesystem = join(import.meta.dir, "../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
let folder: string;
let work: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-manifest-")));
  work = join(folder, "work");
  mkdirSync(work);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: string[]) {
  const io = fakeIo(work, words, {
    home: join(folder, "home"),
    env: { PATH: process.env["PATH"], HOME: join(folder, "home") },
    now: Date.now,
  });
  const code = await runCommandLine(io);
  return { code, out: io.out(), err: io.err() };
}

function put(name: string, text: string): string {
  const file = join(work, name);
  writeFileSync(file, text);
  return file;
}

const server = (...args: string[]) =>
  `servers:\n  tiny:\n    command: ${JSON.stringify(tiny[0])}\n    args: ${JSON.stringify([tiny[1], ...args])}\n`;

describe("check", () => {
  test("starts the servers and compares, at file:line:column, exit 2 on an error", async () => {
    const rules = 'tools:\n  - match: "tiny.get_thing"\n    class: readonly\n  - match: "tiny.set_thign"\n    class: irreversible\n';
    const file = put("synartesis.yaml", `version: 1\n${server()}${rules}`);
    const { code, out } = await run("check");
    expect(code).toBe(2);
    expect(out).toMatch(new RegExp(`^${file}:9:\\d+: error: \`tiny.set_thign\` matches no tool\n {2}hint: did you mean .*set_thing`, "m"));
    expect(out).toContain("tiny: 2 tools");
    expect(out).toEndWith(": 1 error, 1 warning\n");
    const document = JSON.parse((await run("check", "--json")).out);
    expect(document).toMatchObject({
      manifest: file,
      errors: 1,
      warnings: 1,
      servers: [{ name: "tiny", checked: true, tools: ["get_thing", "set_thing"] }],
    });
    expect(document.findings.find((finding: { severity: string }) => finding.severity === "error")).toMatchObject({ file, line: 9 });
  });

  test("of a manifest that fits is exit 0", async () => {
    put("synartesis.yaml", `version: 1\n${server()}tools:\n  - match: "tiny.*"\n    class: irreversible\n`);
    expect(await run("check")).toMatchObject({ code: 0, err: "" });
  });

  test("says what a server that doesn't start printed last", async () => {
    put("synartesis.yaml", `version: 1\n${server("--die")}tools: []\n`);
    const { code, out } = await run("check");
    expect(code).toBe(2);
    expect(out).toContain("no licence found");
    expect(out).toContain(":3:3: error:");
  });

  test("P5: a manifest that can't be understood is told in full, at file:line:column", async () => {
    const file = put("synartesis.yaml", "version: 1\nservers: {}\ntols: []\nmore: 1\n");
    const { code, out } = await run("check");
    expect(code).toBe(2);
    expect(out).toContain(`${file}:3:1: error: `);
    expect(out).toContain(`${file}:4:1: error: `);
    expect(JSON.parse((await run("check", "--json")).out).errors).toBe(out.split(": error: ").length - 1);
  });

  test("an unset variable is an error of the server that needs it, and of no other", async () => {
    const unset =
      '  other:\n    command: x\n    env: { A: "${NOPE}" }\n  far:\n    url: "https://far.example/mcp"\n    headers: { B: "${NOR}" }\n';
    const file = put("synartesis.yaml", `version: 1\n${server()}${unset}tools: []\n`);
    const { code, out } = await run("check");
    expect(code).toBe(2);
    expect(out).toContain(`${file}:8:15: error: the environment variable \`NOPE\` is not set\n  hint: set it`);
    expect(out).toContain(`${file}:11:19: error: the environment variable \`NOR\` is not set`);
    expect(out).toContain("tiny: 2 tools");
    expect(out).toContain("other: not checked: it needs a variable that is not set");
    const proxy = await run("proxy", "--server", "other");
    expect([proxy.code, proxy.out]).toEqual([2, ""]);
    expect(proxy.err).toContain(`${file}:8:15: error: the environment variable \`NOPE\` is not set`);
    expect((await run("init", "more", "--", ...tiny)).code).toBe(0);
  });

  test("says of a server at a URL why it can't be checked", async () => {
    using server = serveHttp(() => new Response("<title>Nothing</title>", { status: 404 }));
    put("synartesis.yaml", `version: 1\nservers:\n  far:\n    url: "${server.url}"\ntools: []\n`);
    const { code, out } = await run("check");
    expect(code).toBe(2);
    expect(out).toMatch(/synartesis.yaml:3:3: error: server `far` can't be checked: it answers HTTP 404/);
  });
});

describe("init", () => {
  test("drafts a manifest in the home where there is none, and it holds what isn't certainly a read", async () => {
    const { code, out } = await run("init", "tiny", "--", ...tiny);
    const file = join(folder, "home", ".synartesis", "synartesis.yaml");
    expect([code, out.includes(`wrote ${file}: tiny, 2 tools`)]).toEqual([0, true]);
    expect(out).toContain(`"args":["proxy","--server","tiny","--manifest","${file}"]`);
    expect(out).not.toContain("or one entry for all");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "home", ".synartesis"))).toEqual(["synartesis.schema.json", "synartesis.yaml"]);
    expect((await run("check")).code).toBe(0);
    expect(readFileSync(file, "utf8")).toMatch(/match: "tiny\.set_thing"[\s\S]*class: irreversible/);
  });

  test("puts the format's schema beside a manifest that it writes, anew with each version, and never over another file", async () => {
    await run("init", "tiny", "--", ...tiny);
    const file = join(folder, "home", ".synartesis", "synartesis.yaml");
    const schema = join(folder, "home", ".synartesis", SCHEMA_FILE);
    expect(readFileSync(file, "utf8")).toStartWith(`# yaml-language-server: $schema=./${SCHEMA_FILE}\n`);
    const written = readFileSync(schema, "utf8");
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(manifestSchema())));
    writeFileSync(schema, written.replace('"the version of the format"', '"of old"'));
    await run("init", "second", "--", ...tiny);
    expect(readFileSync(schema, "utf8")).toBe(written);
    writeFileSync(schema, '{"mine":1}');
    expect((await run("init", "third", "--", ...tiny)).code).toBe(0);
    expect(readFileSync(schema, "utf8")).toBe('{"mine":1}');
  });

  test("adds to the manifest it finds without touching a byte elsewhere", async () => {
    const text = `# mine\nversion: 1\n${server()}tools:\n  # keep\n  - match: "tiny.*"\n    class: irreversible\n`;
    const file = put("synartesis.yaml", text);
    const { code, out } = await run("init", "second", "--json", "--", ...tiny);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ manifest: file, created: false, server: "second", policy: null, tools: 2, held: 1 });
    const after = readFileSync(file, "utf8").split("\n");
    let at = 0;
    for (const line of text.split("\n")) {
      at = after.indexOf(line, at) + 1;
      expect(at).toBeGreaterThan(0);
    }
    expect((await run("check")).code).toBe(0);
    const third = await run("init", "third", "--", ...tiny);
    expect(third.out).toContain("or one entry for all 3 servers: the same without --server third");
    writeFileSync(file, readFileSync(file, "utf8").replace("  second:\n", "  second:\n    hidden: true\n"));
    const fourth = await run("init", "fourth", "--", ...tiny);
    expect(fourth.out).toContain("or one entry for all 3 servers: the same without --server fourth");
  });

  test("uses the shipped policy of a server whose tools fit it, and makes paths absolute for a manifest elsewhere", async () => {
    const { code, out } = await run("init", "files", "--", process.execPath, filesystem, ".");
    expect([code, out.includes("the policy for @modelcontextprotocol/server-filesystem")]).toEqual([0, true]);
    expect(readFileSync(join(folder, "home", ".synartesis", "synartesis.yaml"), "utf8")).toContain(JSON.stringify(work));
  });

  test("refuses a name that is taken, a name that can't be one, and a command that isn't there", async () => {
    const file = put("synartesis.yaml", `version: 1\n${server()}tools: []\n`);
    const before = readFileSync(file, "utf8");
    expect((await run("init", "tiny", "--", ...tiny)).err).toContain('has a server "tiny" already');
    expect((await run("init", "a.b", "--", ...tiny)).code).toBe(2);
    expect((await run("init", "new")).err).toContain("which command starts the server, or where is it?");
    expect(await run("init", "new", "--", "no-such-command-here")).toMatchObject({
      code: 2,
      err: expect.stringMatching(/command not found: no-such-command-here\n {2}hint: is it installed/),
    });
    expect((await run("init", "new", "--", tiny.join(" "))).err).toContain("hint: write the command unquoted, as separate words");
    expect((await run("init", "new", "--", ...tiny, "--die")).err).toContain("no licence found");
    expect(readFileSync(file, "utf8")).toBe(before);
  });
});

describe("replacing a file", () => {
  test("refuses an option that would do nothing, before it starts or writes anything", async () => {
    for (const [words, said] of [
      [["init", "tiny", "--connect", "--", ...tiny], "--connect does nothing beside NAME"],
      [["init", "tiny", "--guard", "tiny", "--", ...tiny], "--guard does nothing beside NAME"],
      [["init", "tiny", "--tools", "tools.json", "--accept", "all"], "--accept does nothing beside --tools"],
      [["init", "--yes", "--header", "A: b"], "a server needs a name"],
      [["init", "--yes", "--connect", "--no-connect"], "can't be given together"],
    ] as const) {
      const ended = await run(...words);
      expect([ended.code, ended.err]).toEqual([2, expect.stringContaining(said)]);
    }
    expect(existsSync(join(folder, "home"))).toBe(false);
  });

  test("a place that can't be read or written is said by its name, and is no bug of ours", async () => {
    mkdirSync(join(work, "taken.yaml"));
    const read = await run("init", "tiny", "--manifest", "taken.yaml", "--", ...tiny);
    expect([read.code, read.err]).toEqual([
      1,
      expect.stringContaining(`${join(work, "taken.yaml")} can't be read: it is a folder (EISDIR)`),
    ]);
    put("file", "");
    expect(() => replaceFile(join(work, "file", "below", "new"), undefined, "")).toThrow(
      /below\/new can't be written: .*\((ENOTDIR|EEXIST)\)/,
    );
  });

  test("leaves alone what somebody changed, made or removed meanwhile", () => {
    const file = put("a.yaml", "theirs");
    const expected = new TextEncoder().encode("before");
    expect(replaceFile(file, expected, "ours")).toEqual({ kind: "changed" });
    expect(replaceFile(file, undefined, "ours")).toEqual({ kind: "changed" });
    expect(readFileSync(file, "utf8")).toBe("theirs");
    expect(replaceFile(join(work, "new.yaml"), undefined, "ours")).toEqual({ kind: "replaced" });
    expect(replaceFile(file, contentOf(file), "ours")).toEqual({ kind: "replaced" });
    expect(readdirSync(work).sort()).toEqual(["a.yaml", "new.yaml"]);
    rmSync(file);
    expect(replaceFile(file, expected, "ours")).toEqual({ kind: "changed" });
    expect(existsSync(file)).toBe(false);
  });
});

// Do the documents say what is so? Every manifest in them loads, every command in them exists, and --json prints what docs/json.md names.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Ajv from "ajv";
import { parse } from "yaml";
import { COMMANDS } from "../../src/cli/command-list.ts";
import { findingText } from "../../src/cli/render/findings.ts";
import { ERROR_EXIT_CODES } from "../../src/errors.ts";
import { manifestSchema } from "../../src/manifest/json-schema.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { MANIFEST } from "../../src/manifest/shape.ts";
import type { ObjectShape, Shape } from "../../src/manifest/shape-kinds.ts";
import { EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

const DOCUMENTS = ["README.md", "CHANGELOG.md", "src/README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)];

function read(name: string): string {
  return readFileSync(join(ROOT, name), "utf8");
}

/** Gives the fenced blocks with these words behind the fence. */
function blocksOf(markdown: string, words: string): string[] {
  return [...markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].filter(([, info]) => info === words).map(([, , body]) => body ?? "");
}

/** Makes a whole manifest of an example; a list of rules gets the servers that it mentions. */
function wholeManifest(example: string): string {
  if (example.startsWith("version:")) return example;
  const names = new Set([...example.matchAll(/\b(?:match|tool): "(\w+)\./g)].map(([, name]) => name));
  const servers = [...names].map((name) => `  ${name}: { command: server }\n`).join("");
  return `version: 1\nservers:\n${servers}tools:\n${example.replace(/^(?=.)/gm, "  ")}`;
}

function problemsOf(text: string): string {
  const loading = loadManifestText(text, { directory: "/srv", env: { CRM_TOKEN: "t", NOTES_TOKEN: "t", HOME: "/home/you" } });
  if (loading.kind === "loaded") return "";
  return loading.problems.map((problem) => findingText("synartesis.yaml", { ...problem, severity: "error", position: problem })).join("\n");
}

describe("docs/manifest.md", () => {
  const text = read("docs/manifest.md");
  const examples = blocksOf(text, "yaml");

  test("has examples of which every one loads", () => {
    expect(examples.length).toBeGreaterThan(7);
    for (const example of examples) expect([example, problemsOf(wholeManifest(example))]).toEqual([example, ""]);
  });

  test.each(["docs/http.md", "docs/companions.md", "docs/draft.md", "docs/drill.md"])("is as right in %s", (name) => {
    for (const example of blocksOf(read(name), "yaml")) expect([example, problemsOf(wholeManifest(example))]).toEqual([example, ""]);
  });

  test("P5: shows the very errors that its wrong example gets", () => {
    const [wrong = ""] = blocksOf(text, "yaml invalid");
    const [shown] = blocksOf(text, "text");
    expect(`${problemsOf(wrong)}\n`).toBe(shown ?? "");
  });

  /** The keys of the format, whatever stands behind them. */
  const keysOfFormat = (): ReadonlySet<string> => {
    const keys = new Set<string>();
    const gather = (shape: Shape): void => {
      if (shape.kind === "list" || shape.kind === "one-or-more") gather(shape.items);
      if (shape.kind === "map") gather(shape.values);
      if (shape.kind === "object") gatherObject(shape);
      if (shape.kind === "named") gatherObject(shape.one);
      if (shape.kind === "texts-or") gatherObject(shape.more);
    };
    const gatherObject = ({ keys: own }: ObjectShape) => {
      for (const [name, key] of Object.entries(own)) {
        keys.add(name);
        gather(key.shape);
      }
    };
    gather(MANIFEST);
    return keys;
  };

  test("names every key that the format has, and no other", () => {
    const reference = text.slice(text.indexOf("## Every key"), text.indexOf("## When something is wrong"));
    const named = new Set([...reference.matchAll(/`([a-z][a-z0-9_]*)`/g)].map(([, name]) => name ?? ""));
    // `via` is explained where servers are.
    expect([...named].sort()).toEqual([...keysOfFormat()].filter((key) => !["client", "file"].includes(key)).sort());
  });

  test("shows every key in an example", () => {
    const shown = new Set<string>();
    const gather = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if (!Array.isArray(value)) for (const name of Object.keys(value)) shown.add(name);
      for (const part of Object.values(value)) gather(part);
    };
    for (const example of examples) gather(parse(example));
    expect([...keysOfFormat()].filter((key) => !shown.has(key))).toEqual([]);
  });
});

describe("all documents", () => {
  test("have only manifests that load", () => {
    for (const name of DOCUMENTS)
      for (const example of blocksOf(read(name), "yaml"))
        expect([name, example, problemsOf(wholeManifest(example))]).toEqual([name, example, ""]);
  });

  test("have only manifests that are right by the published schema", () => {
    const validate = new Ajv({ allErrors: true }).compile(manifestSchema());
    for (const name of DOCUMENTS)
      for (const example of blocksOf(read(name), "yaml")) {
        validate(parse(wholeManifest(example)));
        expect([name, example, validate.errors]).toEqual([name, example, null]);
      }
  });

  test("lead only to files that are there, and to headings that are in them", () => {
    const headingsOf = (text: string) =>
      new Set(
        [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
          heading
            .toLowerCase()
            .replace(/[^\w -]/g, "")
            .replaceAll(" ", "-"),
        ),
      );
    for (const name of DOCUMENTS) {
      for (const [, target = "", heading] of read(name).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)) {
        const file = target === "" ? name : join(dirname(name), target);
        expect([name, target, existsSync(join(ROOT, file))]).toEqual([name, target, true]);
        if (heading !== "")
          expect([name, target, heading, headingsOf(read(file)).has(heading ?? "")]).toEqual([name, target, heading, true]);
      }
    }
  });

  test("have only JSON that can be read, as it stands or as a member", () => {
    for (const name of DOCUMENTS)
      for (const [, body = ""] of read(name).matchAll(/^ *```json\n([\s\S]*?)^ *```$/gm))
        expect(() => JSON.parse(body.trimStart().startsWith("{") ? body : `{${body}}`), `${name}: ${body}`).not.toThrow();
  });

  test("are found from the README, every page", () => {
    for (const name of DOCUMENTS.filter((one) => one.startsWith("docs/") && one.endsWith(".md")))
      expect([name, read("README.md").includes(`](${name})`)]).toEqual([name, true]);
  });

  test("mention only commands that there are, and the README every one", () => {
    const known = COMMANDS.map(({ name }) => name);
    for (const name of DOCUMENTS) {
      for (const [, words = ""] of read(name).matchAll(/(?:^\$ |`|^ *)synartesis ([a-z]+(?: [a-z]+)?)/gm))
        expect([name, words, known.some((command) => `${words} `.startsWith(`${command} `))]).toEqual([name, words, true]);
    }
    const table = /## Commands\n\n([\s\S]*?)\n\n/.exec(read("README.md"))?.[1] ?? "";
    for (const command of known) expect([command, table.includes(`\`${command}`)]).toEqual([command, true]);
    const shells = ["zsh", "fish"];
    for (const [, cell = ""] of table.matchAll(/^\| (`.*?) \|/gm))
      for (const [, words = ""] of cell.matchAll(/`([^`]*)`/g))
        expect([words, known.some((command) => `${words} `.startsWith(`${command} `)) || shells.includes(words)]).toEqual([words, true]);
  });

  test("name every folder of the code in its map, and no other", () => {
    const tree = blocksOf(read("src/README.md"), "")[0] ?? "";
    const folders = readdirSync(join(ROOT, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...tree.matchAll(/^([a-z]+)\//gm)].map(([, name]) => name ?? "").sort()).toEqual(folders.map(({ name }) => name).sort());
  });
});

describe("docs/json.md", () => {
  const text = read("docs/json.md");
  /** The members that the table names for a command. */
  const rowOf = (command: string) => {
    const row = new RegExp(`^\\| \`${command}\` +\\| \`(.*)\` +\\|$`, "m").exec(text)?.[1] ?? "";
    return [...row.matchAll(/"(\w+)"/g)].map(([, name]) => name ?? "");
  };
  /** The members that a paragraph names for a shape. */
  const shapeOf = (name: string) => {
    const paragraph = new RegExp(`^A \\*\\*${name}\\*\\*.*(?:\\n.+)*|^An \\*\\*${name}\\*\\*.*(?:\\n.+)*`, "m").exec(text)?.[0] ?? "";
    // What stands in parentheses is about the member before it.
    return [...paragraph.replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)/g, "").matchAll(/`(\w+)`/g)].map(([, member]) => member ?? "");
  };
  type Document = Record<string, unknown>;
  const first = (document: Document, name: string) => (document[name] as Document[])[0] ?? {};

  /** A sandbox whose `crm` is guarded, and what `init` said to that. */
  async function guardCrm(): Promise<{ sandbox: Sandbox; init: Document }> {
    const sandbox = makeSandbox();
    const server = [EXECUTABLE, "demo", "--crm", "--state", "crm.json"];
    const { code, out, err } = await sandbox.run("init", "crm", "--json", "--manifest", "synartesis.yaml", "--", ...server);
    expect([code, err]).toEqual([0, ""]);
    return { sandbox, init: JSON.parse(out) as Document };
  }

  test("names every error code behind its exit code", () => {
    for (const [code, exit] of Object.entries(ERROR_EXIT_CODES)) {
      const list = new RegExp(`exit ${exit}: ([^.]*)\\.`).exec(text)?.[1] ?? "";
      expect([code, list.includes(`\`${code}\``)]).toEqual([code, true]);
    }
  });

  test("names the members that the documents have", async () => {
    const { sandbox, init } = await guardCrm();
    using _ = sandbox;
    const same = (command: string, document: Document, nested: readonly string[] = []) =>
      expect([command, ...[...Object.keys(document), ...nested].sort()]).toEqual([command, ...rowOf(command).sort()]);
    same("init", init, Object.keys(init["entry"] as Document));
    await sandbox.run("demo", "--agent", "plans");
    await sandbox.run("demo", "--agent", "letter");
    const list = await sandbox.json<Document>("list");
    same("list", list);
    expect(Object.keys(first(list, "runs")).sort()).toEqual(shapeOf("run").sort());
    const show = await sandbox.json<Document>("show");
    same("show", show);
    expect(Object.keys(first(show, "actions")).sort()).toEqual(shapeOf("action").sort());
    same("gates", await sandbox.json("gates"));
    same("watch", await sandbox.json("watch"));
    const denied = await sandbox.json<Document>("deny");
    same("deny", denied, Object.keys(first(denied, "denied")));
    await sandbox.run("demo", "--agent", "letter");
    await sandbox.run("demo", "--agent", "letter");
    const approved = await sandbox.json<Document>("approve");
    same("approve", approved, Object.keys(first(approved, "approved")));
    const check = await sandbox.json<Document>("check");
    same("check", check, ["file", "line", "column", "severity", "message", "hint", ...Object.keys(first(check, "servers"))]);
    const manifest = readFileSync(join(sandbox.folder, "synartesis.yaml"), "utf8");
    sandbox.write("synartesis.yaml", manifest.replace("command:", "scratch: true\n    command:"));
    const drilled = await sandbox.json<Document>("drill", "--only", "crm.create_customer");
    same("drill", drilled, [...Object.keys(first(drilled, "rules")), "path", "before", "after"]);
    same("audit verify", await sandbox.json("audit", "verify"), ["event", "table", "key", "what"]);
    const doctor = await sandbox.json<Document>("doctor", "--no-start");
    same("doctor", doctor, Object.keys(first(doctor, "findings")));
    const policies = await sandbox.json<Document>("policies");
    const [policy = {}] = policies["policies"] as Document[];
    same("policies", policies, [...Object.keys(policy), ...Object.keys(first(policy, "tools"))]);
    same("policies show", await sandbox.json("policies", "show", "crm"));
    same("close", await sandbox.json("close", String(first(list, "runs")["id"])));
  });

  test("names the members of an undo, of its steps, and where it halted", async () => {
    const { sandbox } = await guardCrm();
    using _ = sandbox;
    await sandbox.run("demo", "--agent", "plans");
    const state = JSON.parse(readFileSync(join(sandbox.folder, "crm.json"), "utf8")) as { customers: { id: string; plan: string }[] };
    for (const customer of state.customers) if (customer.id === "c-2") customer.plan = "enterprise";
    sandbox.write("crm.json", JSON.stringify(state));
    for (const words of [["undo", "--dry-run"], ["undo"]]) {
      const undo = await sandbox.json<Document>(...words);
      expect(Object.keys(undo).sort()).toEqual(rowOf("undo").sort());
      expect([undo["halt"], undo["dryRun"]]).toEqual([1, words.length === 2]);
      for (const step of undo["steps"] as Document[]) expect(Object.keys(step).sort()).toEqual(shapeOf("step").sort());
    }
  });

  test("names the members that a wrong manifest's check has", async () => {
    using sandbox = makeSandbox();
    sandbox.write("synartesis.yaml", "version: 1\nservers: { crm: { comand: x } }\n");
    const check = await sandbox.json<Document>("check");
    const named = ["file", "line", "column", "severity", "message", "hint"];
    expect(Object.keys(first(check, "findings")).sort()).toEqual([...named].sort());
    expect(rowOf("check")).toEqual(expect.arrayContaining(named));
  });
});

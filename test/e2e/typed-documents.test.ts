// Is every command that a document shows run, and does it print what is shown? A command that can't be typed here stands in one list, with the test that runs it.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { COMMANDS } from "../../src/cli/command-list.ts";
import { EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";
import { treeOf } from "../support/tree.ts";
import { commandsIn, typeDocument } from "../support/typed-document.ts";

const DOCUMENTS = ["README.md", "manifests/README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);

/** What needs a network, a terminal, another program or a checkout without us in it, and the test that runs it, or what it leads to, with that at hand. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "./demo/run.sh": "test/e2e/demos.test.ts",
  "./test/run.sh": "test/run.sh",
  "./install.sh": "test/e2e/install.test.ts",
  "curl -fsSL https://github.com/synartesis/synartesis/releases/latest/download/install.sh | sh": "test/release/install.test.ts",
  "curl -fsSL https://github.com/synartesis/synartesis/releases/latest/download/install.sh | sh -s -- --dir ~/tools":
    "test/release/install.test.ts",
  "curl -fsSL https://github.com/synartesis/synartesis/releases/latest/download/install.sh | sh -s -- --uninstall":
    "test/release/install.test.ts",
  "brew tap synartesis/synartesis https://github.com/synartesis/synartesis && brew install synartesis": "test/release/dry.test.ts",
  "brew tap synartesis/synartesis https://github.com/synartesis/synartesis": "test/release/dry.test.ts",
  "brew install synartesis": "test/release/dry.test.ts",
  "synartesis init": "test/e2e/first-use.test.ts",
  "synartesis proxy --http 8765": "test/e2e/http.test.ts",
  'claude mcp add --transport http crm http://127.0.0.1:8765/mcp --header "Authorization: Bearer $TOKEN"': "test/e2e/http-entrance.test.ts",
  "synartesis init notes --url https://notes.example/mcp && synartesis check": "test/e2e/url-server.test.ts",
  "synartesis login notes": "test/upstream/oauth/log-in.test.ts",
};

/** What a document's reader has before its first command. */
const BEFORE: Readonly<Record<string, (sandbox: Sandbox) => Promise<unknown>>> = {
  "README.md": async (sandbox) => {
    await clientWithCrm(sandbox);
    await sandbox.run("init", "--yes");
    await sandbox.run("demo", "--agent", "plans");
  },
  "docs/clients.md": clientWithCrm,
  "docs/faq.md": async (sandbox) => {
    await clientWithCrm(sandbox);
    await sandbox.run("init", "--yes");
    await sandbox.run("demo", "--agent", "plans");
    await sandbox.run("undo", "--yes");
    expect(readdirSync(join(sandbox.folder, "home")).length).toBeGreaterThan(1);
  },
  "docs/init.md": async (sandbox) => mkdirSync(join(sandbox.env["HOME"] ?? "", "notes")),
  "docs/screen.md": plansOfCustomers,
  "docs/undo.md": plansOfCustomers,
};

/** The file of a Claude Code that has the demo's CRM. */
function clientFile(sandbox: Sandbox): string {
  const crm = { command: EXECUTABLE, args: ["demo", "--crm", "--state", join(sandbox.folder, "crm.json")] };
  return JSON.stringify({ mcpServers: { crm } });
}

async function clientWithCrm(sandbox: Sandbox): Promise<void> {
  sandbox.write("home/.claude.json", clientFile(sandbox));
}

/** The demo's agent has put two customers on other plans, and then a person has been there. */
async function plansOfCustomers(sandbox: Sandbox): Promise<void> {
  const file = join(sandbox.folder, "crm.json");
  await sandbox.run("init", "crm", "--manifest", "synartesis.yaml", "--", EXECUTABLE, "demo", "--crm", "--state", file);
  await sandbox.run("demo", "--agent", "plans");
  const state = JSON.parse(readFileSync(file, "utf8")) as { customers: { id: string; name: string; plan: string }[] };
  for (const customer of state.customers) {
    if (customer.id === "c-2") customer.plan = "enterprise";
    if (customer.id === "c-5") customer.name = "Dr. Edsger Rijk";
  }
  sandbox.write("crm.json", JSON.stringify(state));
}

/** What has to be so once a document was typed. */
const AFTER: Readonly<Record<string, (sandbox: Sandbox, folder: string) => Promise<unknown>>> = {
  "README.md": async (sandbox) => {
    const { runs } = await sandbox.json<{ runs: { kind: string; state: string }[] }>("list");
    expect(runs.map(({ kind, state }) => [kind, state])).toEqual([
      ["undo", "ended"],
      ["agent", "undone"],
    ]);
    expect(readFileSync(join(sandbox.folder, "home", ".claude.json"), "utf8")).toBe(clientFile(sandbox));
  },
  "docs/faq.md": async (sandbox) => {
    expect(treeOf(join(sandbox.folder, "home"))).toEqual({ ".claude.json": Buffer.from(clientFile(sandbox)).toString("hex") });
  },
  "docs/walkthrough.md": async (sandbox, folder) => {
    expect(folder).toBe(sandbox.folder);
    expect(existsSync(join(folder, "crm-walk"))).toBe(false);
  },
  "docs/manifest.md": async (sandbox, folder) => {
    expect(folder).toBe(join(sandbox.folder, "crm-policy"));
    const { customers } = (await Bun.file(join(folder, "crm.json")).json()) as { customers: { name: string; plan: string }[] };
    expect(customers.map(({ name }) => name).sort()).toEqual([
      "Ada Byron",
      "Alan Holt",
      "Edsger Rijk",
      "Grace Murray",
      "Katherine Coleman",
    ]);
    expect(customers.find(({ name }) => name === "Ada Byron")?.plan).toBe("enterprise");
  },
};

const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const PASSED_OVER = new Set(Object.keys(ELSEWHERE));

describe("typed as it stands, with the executable alone", () => {
  const typed = DOCUMENTS.filter((name) => commandsIn(read(name)).some(({ command }) => !PASSED_OVER.has(command)));

  test.each(typed)("%s prints what it shows", async (name) => {
    using sandbox = makeSandbox();
    await BEFORE[name]?.(sandbox);
    const folder = await typeDocument(sandbox, name, PASSED_OVER);
    await AFTER[name]?.(sandbox, folder);
  });
});

describe("what isn't typed", () => {
  const shown = new Set(DOCUMENTS.flatMap((name) => commandsIn(read(name)).map(({ command }) => command)));

  test("is shown somewhere, and has a test of its own", () => {
    for (const [command, place] of Object.entries(ELSEWHERE))
      expect([command, shown.has(command), place, existsSync(join(ROOT, place))]).toEqual([command, true, place, true]);
  });

  test("never hides in a block that nobody types", () => {
    const kinds = ["sh", "console", "yaml", "yaml invalid", "json", "text"];
    for (const name of DOCUMENTS)
      for (const [, indent = "", info = "", body = ""] of read(name).matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)) {
        expect([name, info, body, kinds.includes(info)]).toEqual([name, info, body, true]);
        // A command that is shown as a text, or a console that is set in, would be passed over.
        const hidden = info === "text" ? /^\s*(\$ |synartesis )/m.test(body) : info === "console" && indent !== "";
        expect([name, body, hidden]).toEqual([name, body, false]);
      }
  });
});

test("no document names an option that its command doesn't have", async () => {
  const commands = await Promise.all(
    COMMANDS.map(async ({ name, load }) => ({ name, options: Object.keys((await load()).default.options) })),
  );
  commands.sort((one, other) => other.name.length - one.name.length);
  for (const name of ["CHANGELOG.md", ...DOCUMENTS])
    for (const [, words = ""] of read(name).matchAll(/(?:^\$ |`|^ *)synartesis ([a-z][^`\n|;&]*)/gm)) {
      const command = commands.find((one) => `${words} `.startsWith(`${one.name} `));
      const [own = ""] = words.split(/ -- /);
      for (const [, option = ""] of own.matchAll(/ --([a-z-]+)/g))
        expect([name, words, option, [...(command?.options ?? []), "help", "version"].includes(option)]).toEqual([
          name,
          words,
          option,
          true,
        ]);
    }
});

test("the walkthrough uses every command that a day with Synartesis needs", () => {
  const commands = commandsIn(read("docs/walkthrough.md")).map(({ command }) => command);
  for (const word of ["init", "check", "list", "show", "undo --dry-run", "undo --yes", "gates", "approve", "deny", "audit verify"])
    expect(commands.some((command) => command.startsWith(`synartesis ${word}`))).toBe(true);
});

// The shipped policies as a person gets at them, and the companion that one may bring along.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "../../src/cli/command.ts";
import { companionsOf } from "../../src/cli/companion-folders.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { extendManifest } from "../../src/manifest/extend-manifest.ts";
import { newManifest } from "../../src/manifest/new-manifest.ts";
import { rulesTextFor, shippedPolicies } from "../../src/manifest/shipped.ts";
import { fakeIo } from "./fake-io.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-policies-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function run(...words: string[]) {
  const io = fakeIo(folder, words);
  const code = await runCommandLine(io);
  return { code, out: io.out(), err: io.err() };
}

describe("policies", () => {
  test("lists each with how much of it was proven, and prints one as it is", async () => {
    const { code, out } = await run("policies");
    expect(code).toBe(0);
    for (const { name, title, text } of shippedPolicies()) {
      expect(out).toContain(`${name} `);
      expect(out).toContain(title);
      expect((await run("policies", "show", name)).out.trimEnd()).toBe(text.trimEnd());
    }
    const crm = JSON.parse((await run("policies", "show", "crm", "--json")).out);
    expect(crm.tools).toContainEqual({
      tool: "send_email",
      class: "irreversible",
      proven: null,
      note: "A sent e-mail can't be called back.",
    });
  });

  test("names the nearest one where there is none of that name", async () => {
    const { code, err } = await run("policies", "show", "filesytem");
    expect([code, err]).toEqual([2, expect.stringContaining("did you mean filesystem?")]);
  });
});

describe("a policy's companion", () => {
  const policy = {
    name: "pages",
    title: "a server of pages",
    companion: "files",
    text: 'tools:\n  - match: "pages.write"\n    class: reversible\n    snapshot: { tool: "pages-files.read", args: { path: "$.path" } }\n',
  } as const;
  const context = () => ({ io: fakeIo(folder, []) }) as unknown as Context;
  const server = (...args: string[]) => ({ name: "mine", command: "server", args });
  const started = (...args: string[]) => ({ name: "mine", args, cwd: folder });

  test("is confined to the folders in the server's command, or to those that were told", () => {
    mkdirSync(join(folder, "a"));
    mkdirSync(join(folder, "b"));
    const roots = (args: readonly string[], told: readonly string[]) =>
      companionsOf(context(), started(...args), policy, told).flatMap((each) => each.args);
    expect(roots(["--verbose", "a", "--folder=b", "missing"], [])).toEqual([
      "companion",
      "files",
      "--root",
      join(folder, "a"),
      "--root",
      join(folder, "b"),
    ]);
    expect(roots(["a"], ["b"])).toEqual(["companion", "files", "--root", join(folder, "b")]);
  });

  test("P3: isn't let loose on a folder that nobody named", () => {
    const made = (told: readonly string[]) => () => companionsOf(context(), started("x"), policy, told);
    expect(made([])).toThrow("needs to know which folders");
    expect(made(["nowhere"])).toThrow(`there is no folder ${join(folder, "nowhere")}`);
  });

  test("is written behind its server, with names of its own, and so are the rules that call it", () => {
    const added = (name: string) => ({
      server: { ...server("a"), name },
      companions: [{ name: `${name}-files`, command: "synartesis", args: ["companion", "files", "--root", "/a"], hidden: true } as const],
      rulesYaml: rulesTextFor(policy, name),
    });
    const text = newManifest(added("mine"));
    expect(text).toContain(
      '  mine-files:\n    command: "synartesis"\n    args: ["companion", "files", "--root", "/a"]\n    hidden: true\n',
    );
    expect(text).toContain('match: "mine.write"');
    expect(text).toContain('{ tool: "mine-files.read",');
    const before = "version: 1\nservers:\n  other: { command: x }\ntools: []\n";
    const companions = [{ name: "mine-files", command: "synartesis", args: [] }];
    const extension = extendManifest(before, { ...added("mine"), companions, rulesYaml: ['- match: "mine.write"\n  class: irreversible'] });
    expect(extension.kind === "extended" && extension.text).toContain(
      '\n  mine:\n    command: "server"\n    args: ["a"]\n  mine-files:\n    command: "synartesis"\n',
    );
  });
});

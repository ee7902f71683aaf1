// The executable as it is built, and the process around a command line.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json";
import { withoutDevtools } from "../../scripts/without-devtools.ts";
import { digestOf } from "../../src/core/digest.ts";
import { openJournal } from "../../src/journal/open.ts";

const root = join(import.meta.dir, "../..");
let folder: string;
let executable: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-executable-")));
  executable = join(folder, "bin", "synartesis");
  const build = [process.execPath, join(root, "scripts/build.ts"), "--outfile", executable];
  const built = Bun.spawnSync(build, { cwd: folder, env: { PATH: process.env["PATH"] ?? "", HOME: folder } });
  if (!built.success) throw new Error(built.stderr.toString());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(cwd: string, ...words: string[]) {
  const child = Bun.spawn([executable, ...words], { cwd, env: { HOME: folder, PATH: "/usr/bin:/bin" }, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, err, code };
}

describe("the executable", () => {
  test("says its version, commit and target", async () => {
    const { out, err, code } = await run(folder, "--version");
    expect([err, code]).toEqual(["", 0]);
    expect(out).toStartWith(`synartesis ${manifest.version} (commit `);
    expect(out).toMatch(/\(commit ([0-9a-f]{7,}(\+dirty)?|unknown), bun-(linux|darwin)-(x64|arm64)\)\n$/);
  });

  test("is deaf to bunfig.toml and .env of the folder it is started in", async () => {
    const hostile = join(folder, "hostile");
    mkdirSync(hostile);
    writeFileSync(join(hostile, "bunfig.toml"), 'preload = ["./preload.ts"]\n[run]\npreload = ["./preload.ts"]\n');
    writeFileSync(join(hostile, "preload.ts"), 'console.log("taken over"); process.exit(9);');
    writeFileSync(join(hostile, ".env"), "SYNARTESIS_HOME=/taken/over\nSYNARTESIS_DEBUG=1\n");
    const { err, code } = await run(hostile, "list");
    expect(code).toBe(2);
    expect(err).not.toContain("/taken/over");
    expect((await run(hostile, "--version")).out).toStartWith("synartesis ");
  });

  test("can be replaced while it runs", async () => {
    const child = Bun.spawn([executable, "--version"], { stdout: "pipe" });
    const built = Bun.spawnSync([process.execPath, join(root, "scripts/build.ts"), "--outfile", executable], {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder },
    });
    expect(built.success).toBe(true);
    expect(await child.exited).toBe(0);
    expect((await run(folder, "--version")).code).toBe(0);
  });

  test("ends with the code that belongs to an error", async () => {
    expect((await run(folder, "shwo")).code).toBe(2);
    expect(await run(folder, "list", "--nonsense")).toMatchObject({ code: 2, out: "" });
  });

  test("a reader that has gone is not an error", () => {
    const script = 'mkfifo gone; (exec <gone) & exec >gone; wait; "$0" --help';
    const child = Bun.spawnSync(["sh", "-c", script, executable], {
      cwd: folder,
      env: { HOME: folder, PATH: "/usr/bin:/bin" },
      stderr: "pipe",
    });
    expect([child.exitCode, child.stderr.toString()]).toEqual([0, ""]);
  });

  test("loses nothing of a long output on a pipe", async () => {
    const place = join(folder, "long");
    mkdirSync(place);
    const journal = await openJournal({ file: join(place, ".synartesis", "journal.db"), mode: "create" });
    const opened = { kind: "agent", joinKey: null, client: null, clientProcess: null, clientHello: null, identity: null } as const;
    const { id } = await journal.openRun({ ...opened, policyText: "", servers: [], undoes: null });
    const args = { text: "x".repeat(1_000_000) };
    const call = { run: id, server: "s", tool: "t", class: "irreversible", rule: {}, callKey: digestOf(args) } as const;
    await journal.hold({ ...call, resources: [], args, receivedAt: Date.now() }, "unmentioned");
    await journal.close();
    const { out, code } = await run(place, "gates", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).waiting[0].args).toEqual(args);
  });
});

describe("what is loaded", () => {
  /** Every file that is loaded with these, following what they import at once and not what they import when needed. */
  async function loadedWith(...entries: string[]): Promise<string[]> {
    const built = await Bun.build({
      entrypoints: [join(root, "src/main.ts")],
      target: "bun",
      metafile: true,
      root,
      plugins: [withoutDevtools],
    });
    // The metafile was asked for, so it is there.
    const inputs = (built.metafile as Bun.BuildMetafile).inputs;
    const names = new Map(
      Object.keys(inputs).map((path) => [path.replace(/^(\.\.\/)+/, "").replace(/^.*?(?=(src|node_modules)\/)/, ""), path]),
    );
    const loaded = new Set<string>();
    const visit = (path: string) => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const { path: next, kind } of inputs[path]?.imports ?? []) if (kind !== "dynamic-import" && next in inputs) visit(next);
    };
    for (const entry of entries) {
      const path = names.get(entry);
      if (path === undefined) throw new Error(`${entry} is not in the executable`);
      visit(path);
    }
    return [...names].filter(([, path]) => loaded.has(path)).map(([name]) => name);
  }

  test("nothing that isn't the screen loads what draws it", async () => {
    for (const entry of ["src/main.ts", "src/cli/commands/watch.ts", "src/cli/commands/list.ts"])
      expect((await loadedWith("src/main.ts", entry)).filter((name) => /node_modules\/(ink|react)/.test(name))).toEqual([]);
    expect((await loadedWith("src/cli/screen/open-screen.ts")).some((name) => name.startsWith("node_modules/ink/"))).toBe(true);
  });

  test("--version loads no command, no package and no other stage", async () => {
    const loaded = await loadedWith("src/main.ts");
    expect(loaded).toContain("src/cli/run.ts");
    expect(loaded.filter((name) => !/^src\/(main|errors|core\/[\w-]+|cli\/[\w-]+|cli\/render\/[\w-]+)\.ts$/.test(name))).toEqual([]);
  });

  test("list loads the journal, but no package, no manifest and no server", async () => {
    const loaded = await loadedWith("src/main.ts", "src/cli/commands/list.ts", "src/journal/open.ts");
    expect(loaded).toContain("src/journal/sqlite-journal.ts");
    expect(loaded.filter((name) => /^node_modules|^src\/(manifest|upstream|wire|proxy|undo|recorder|draft)\//.test(name))).toEqual([]);
    expect(loaded.filter((name) => name.startsWith("src/cli/commands/"))).toEqual(["src/cli/commands/list.ts"]);
  });
});

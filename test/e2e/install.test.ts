// Where does install.sh put the program? Into a folder of the user's own, never into another tool's.
import { expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { BUN, EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

/** What install.sh would choose, with these folders on PATH (a `~` is the home). */
function chosen({ folder, env }: Sandbox, ...onPath: readonly string[]): { code: number; out: string } {
  const home = String(env["HOME"]);
  const places = onPath.map((place) => (place.startsWith("~") ? join(home, place.slice(1)) : join(folder, place)));
  for (const place of places) mkdirSync(place, { recursive: true });
  // What the script itself needs lies in a folder that it passes over.
  const tools = join(folder, "shims");
  mkdirSync(tools, { recursive: true });
  for (const tool of ["dirname", "cat"]) if (!existsSync(join(tools, tool))) symlinkSync(Bun.which(tool) ?? tool, join(tools, tool));
  const ended = Bun.spawnSync(["/bin/sh", join(ROOT, "install.sh"), "--where"], {
    env: { HOME: home, PATH: [...places, tools].join(":") },
    stderr: "pipe",
  });
  return { code: ended.exitCode, out: ended.stdout.toString().trim().replace(`${home}/`, "~/").replace(`${folder}/`, "") };
}

test("install.sh prefers the user's own folders, and passes over those of other tools", () => {
  using sandbox = makeSandbox();
  expect(chosen(sandbox, "usr/go/bin", "mine", "~/bin", "~/.local/bin")).toEqual({ code: 0, out: "~/.local/bin" });
  expect(chosen(sandbox, "mine", "~/bin")).toEqual({ code: 0, out: "~/bin" });
  expect(chosen(sandbox, "usr/go/bin", "~/.pyenv/shims", "~/.cargo/bin", "node_modules/.bin", "~/.nvm/versions/bin", "mine")).toEqual({
    code: 0,
    out: "mine",
  });
  expect(chosen(sandbox, "usr/go/bin", "~/.pyenv/shims").code).toBe(2);
});

test("install.sh knows its folder again however it is written: a `~`, a link, a slash at its end; CDPATH leads it nowhere else", () => {
  using sandbox = makeSandbox();
  const home = String(sandbox.env["HOME"]);
  const tools = join(home, "tools");
  mkdirSync(tools);
  symlinkSync(tools, join(home, "link"));
  mkdirSync(join(home, "elsewhere/tools"), { recursive: true });
  const run = (folder: string, onPath: string, ...words: string[]) => {
    const env = { ...sandbox.env, HOME: home, PATH: `${onPath}:${sandbox.env["PATH"]}`, CDPATH: join(home, "elsewhere") };
    const ended = Bun.spawnSync(["/bin/sh", join(ROOT, "install.sh"), "--dir", folder, ...words], { cwd: home, env, stderr: "pipe" });
    return [ended.exitCode, ended.stdout.toString().replace(/installed synartesis .* as /, "as ")];
  };
  for (const [folder, onPath, as] of [
    ["~/tools", join(home, "link"), tools],
    ["tools", `${tools}/`, tools],
  ] as const) {
    expect(run(folder, onPath)).toEqual([0, `as ${as}/synartesis\n`]);
    expect(run(folder, onPath, "--uninstall")[0]).toBe(0);
    expect(existsSync(join(tools, "synartesis"))).toBe(false);
  }
});

test("install.sh removes no program that clients' entries start, a project's in another folder too, but where that is said", async () => {
  using sandbox = makeSandbox();
  const file = sandbox.write("tools/synartesis", "");
  copyFileSync(EXECUTABLE, file);
  const run = (...command: string[]) => {
    const ended = Bun.spawnSync(command, { cwd: join(sandbox.folder, "shop"), env: sandbox.env, stderr: "pipe" });
    return { code: ended.exitCode, said: ended.stdout.toString() + ended.stderr.toString() };
  };
  const uninstall = ["/bin/sh", join(ROOT, "install.sh"), "--uninstall", "--dir", join(sandbox.folder, "tools")];
  sandbox.write("state.json", JSON.stringify({ next: 1, notes: {}, sent: [] }));
  const args = [join(ROOT, "test/support/notes-server.ts"), "--state", join(sandbox.folder, "state.json")];
  const text = JSON.stringify({ mcpServers: { notes: { command: BUN, args } } });
  const project = sandbox.write("shop/.mcp.json", text);
  expect(run(file, "connect", "--project", "--yes").code).toBe(0);
  mkdirSync(join(sandbox.folder, "elsewhere"));
  const refused = Bun.spawnSync(uninstall, { cwd: join(sandbox.folder, "elsewhere"), env: sandbox.env, stderr: "pipe" });
  const said = refused.stderr.toString();
  expect([refused.exitCode, existsSync(file), said.includes(project)]).toEqual([1, true, true]);
  const command = /first: (.*)/.exec(said)?.[1] ?? "";
  expect(run("sh", "-c", command).code).toBe(0);
  expect(readFileSync(project, "utf8")).toBe(text);
  expect([run(...uninstall).code, existsSync(file)]).toEqual([0, false]);

  copyFileSync(EXECUTABLE, file);
  expect(run(file, "connect", "--project", "--yes").code).toBe(0);
  expect([run(...uninstall).code, run(...uninstall, "--force").code, existsSync(file)]).toEqual([1, 0, false]);
});

// Where does install.sh put the program? Into a folder of the user's own, never into another tool's.
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";

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

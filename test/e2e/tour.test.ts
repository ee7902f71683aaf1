// The guided tour as a person meets it: piped, interrupted, and on a terminal of 80 columns.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { SCENES } from "../../src/demo/scenes.ts";
import { EXECUTABLE, makeSandbox } from "../support/sandbox.ts";

const WIDTH = 80;
const TITLES = SCENES.map(({ title }, index) => `${index + 1}. ${title}`);

/** The folder that the tour names as its own. */
function folderIn(output: string): string {
  const folder = /^It all happens in (\S+)\r?$/m.exec(output)?.[1];
  if (folder === undefined) throw new Error(`no folder is named in: ${output}`);
  return folder;
}

/** Waits until something has come about; a tour that ends before it is an error. */
async function until(condition: () => boolean, child: Bun.Subprocess): Promise<void> {
  while (!condition()) {
    if (child.exitCode !== null) throw new Error(`the tour ended early, with ${child.exitCode}`);
    await Bun.sleep(5);
  }
}

/** Plays the tour on a terminal; `press` sends keys. */
function onTerminal(env: Record<string, string>) {
  const shown = { text: "" };
  const decoder = new TextDecoder();
  const child = Bun.spawn([EXECUTABLE, "demo"], {
    env: { ...env, TERM: "xterm" },
    terminal: {
      cols: WIDTH,
      rows: 24,
      data(_terminal, bytes) {
        shown.text += decoder.decode(bytes, { stream: true });
      },
    },
  });
  const press = (keys: string) => child.terminal?.write(keys);
  const pauses = () => shown.text.split("[any key: go on, q: quit]").length - 1;
  return { shown, child, press, pauses };
}

/** Lines that a person copies or checks are never wrapped: a command, a whole call that was answered, the record's head. */
const NEVER_WRAPPED = /^(\$ |approved |intact: |It all happens in |The folder | {2}\S+ init| {2}(approve|deny) )/;

function tooLong(output: string): string[] {
  return output
    .replaceAll("\r", "")
    .split("\n")
    .filter((line) => !NEVER_WRAPPED.test(line) && Bun.stringWidth(line) > WIDTH);
}

test("P3: piped, the tour plays every scene at once; its undo puts back the agent's changes and leaves the colleague's", async () => {
  using sandbox = makeSandbox();
  const { code, out, err } = await sandbox.run("demo");
  expect([code, err]).toEqual([0, ""]);
  expect([...(out.match(/^\d\. .*$/gm) ?? [])]).toEqual(TITLES);
  expect(out).not.toContain("any key");
  expect(tooLong(out)).toEqual([]);
  const folder = folderIn(out);
  expect(out).toEndWith(`\nThe folder ${folder} is gone again.\n`);
  expect([existsSync(folder), existsSync(`${sandbox.env["HOME"]}/.synartesis`)]).toEqual([false, false]);
  const [, before, damaged, restored, after] = out.split(/^ {2}ID .*$/m).map((part) => part.split("\n\n", 1)[0] ?? "");
  expect([damaged === before, restored === before, after === before]).toEqual([false, true, false]);
  expect(after).toBe((before ?? "").replace(/(c-2 .*) pro {8}/, "$1 enterprise "));
});

test("Ctrl-C in the middle of a piped tour ends it with 130 and removes the folder", async () => {
  using sandbox = makeSandbox();
  const child = Bun.spawn([EXECUTABLE, "demo"], { env: sandbox.env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  let output = "";
  let interrupted = false;
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    output += decoder.decode(bytes, { stream: true });
    if (interrupted || !output.includes("agent> ")) continue;
    child.kill("SIGINT"); // once: whoever asks twice doesn't want to wait for the clean-up
    interrupted = true;
  }
  expect(await child.exited).toBe(130);
  expect(await child.stderr.text()).toBe("");
  expect(output).not.toContain("That's all");
  expect(existsSync(folderIn(output))).toBe(false);
});

test("on a terminal any key moves on by one scene, and q quits", async () => {
  using sandbox = makeSandbox();
  const { shown, child, press, pauses } = onTerminal(sandbox.env);
  await until(() => pauses() === 1, child);
  expect(shown.text).not.toContain(TITLES[0] ?? "");
  press(" ");
  await until(() => pauses() === 2, child);
  press("x");
  await until(() => pauses() === 3, child);
  expect([...(shown.text.match(/^\d\. [^\r]*/gm) ?? [])]).toEqual(TITLES.slice(0, 2));
  expect(existsSync(folderIn(shown.text))).toBe(true);
  press("q");
  expect(await child.exited).toBe(0);
  expect(existsSync(folderIn(shown.text))).toBe(false);
  expect(tooLong(shown.text)).toEqual([]);
});

test("Ctrl-C on a terminal, at a pause or in a scene, ends the tour with 130 and removes the folder", async () => {
  using sandbox = makeSandbox();
  for (const when of ["at a pause", "in a scene"]) {
    const { shown, child, press, pauses } = onTerminal(sandbox.env);
    await until(() => pauses() === 1, child);
    if (when === "in a scene") {
      press(" ");
      await until(() => shown.text.includes(TITLES[0] ?? ""), child);
    }
    press("\u0003");
    expect([when, await child.exited]).toEqual([when, 130]);
    expect(existsSync(folderIn(shown.text))).toBe(false);
  }
});

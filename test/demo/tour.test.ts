import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runTour, type TourEnd, type TourIo } from "../../src/demo/tour.ts";

/** Somebody who reads the tour and presses these keys; without keys, a pipe. */
class Reader implements TourIo {
  output = "";
  readonly isTerminal: boolean;
  private readonly keys: string[];

  constructor(keys?: readonly string[]) {
    this.isTerminal = keys !== undefined;
    this.keys = [...(keys ?? [])];
  }

  write(text: string): void {
    this.output += text;
  }

  nextKey(): Promise<string | undefined> {
    return this.keys.length === 0 ? new Promise(() => {}) : Promise.resolve(this.keys.shift());
  }

  get folder(): string {
    return /It all happens in (\S+)/.exec(this.output)?.[1] ?? "";
  }
}

/** Plays the tour; `self` stands where the executable would be. */
function play(io: Reader, self: readonly string[], signal = new AbortController().signal): Promise<TourEnd> {
  const typed = (words: readonly string[]) => ["synartesis", ...words].join(" ");
  return runTour({
    io,
    self,
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
    typed,
    signal,
  });
}

async function isGone(folder: string): Promise<boolean> {
  expect(folder).toContain("synartesis-demo-");
  const left = await readdir(folder).catch((error: { code: string }) => error.code);
  return left === "ENOENT";
}

/** Ends at once with this code, whatever it is asked to do. */
const endsWith = (code: number) => [process.execPath, "-e", `console.log("said"); process.exit(${code})`];

test("q at the first pause quits before anything has happened, and the folder is gone", async () => {
  const reader = new Reader(["q"]);
  expect(await play(reader, endsWith(0))).toBe("quit");
  expect(reader.output).not.toContain("1. ");
  expect(await isGone(reader.folder)).toBe(true);
});

test("Ctrl-C as a key, or as a signal while the tour waits, ends it and leaves nothing behind", async () => {
  const byKey = new Reader(["\u0003"]);
  expect(await play(byKey, endsWith(0))).toBe("interrupted");
  expect(await isGone(byKey.folder)).toBe(true);
  const bySignal = new Reader([]);
  const controller = new AbortController();
  const end = play(bySignal, endsWith(0), controller.signal);
  while (!bySignal.output.includes("any key")) await Bun.sleep(1);
  controller.abort();
  expect(await end).toBe("interrupted");
  expect(await isGone(bySignal.folder)).toBe(true);
});

test("a signal while a command runs ends the command and the tour, and leaves nothing behind", async () => {
  const reader = new Reader([" "]);
  const controller = new AbortController();
  const lasting = [process.execPath, "-e", 'await Bun.write("started", ""); setInterval(() => {}, 1000)'];
  const end = play(reader, lasting, controller.signal);
  while (!(await Bun.file(join(reader.folder, "started")).exists())) await Bun.sleep(5);
  controller.abort();
  expect(await end).toBe("interrupted");
  expect(await isGone(reader.folder)).toBe(true);
});

test("a command that doesn't end as the tour expects is a bug that shows what it said, and the folder is gone all the same", async () => {
  const reader = new Reader();
  await expect(play(reader, endsWith(3))).rejects.toMatchObject({ code: "bug", hint: "said" });
  expect(await isGone(reader.folder)).toBe(true);
});

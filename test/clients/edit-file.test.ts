// Is a client's file written whole or not at all, only while it is as it was read, and does nothing else about it change?
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backupOf, readClientFile, removeBackup, type SeenFile, writeClientFile } from "../../src/clients/edit-file.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-test-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
function seen(path: string): SeenFile {
  const read = readClientFile(path);
  if (read.kind === "refused") throw new Error(read.reason);
  return read.file;
}

describe("a file is written", () => {
  test("P1: it keeps its mode and its owner, and nothing is left beside it but the copy of what was there, for its owner alone", () => {
    const path = written("mcp.json", "old");
    chmodSync(path, 0o640);
    if (isRoot) chownSync(path, 12345, 23456);
    const before = statSync(path);
    expect(writeClientFile(seen(path), bytes("new"))).toEqual({ kind: "written", backup: backupOf(path) });
    expect(readFileSync(path, "utf8")).toBe("new");
    const { mode, uid, gid } = statSync(path);
    expect({ mode, uid, gid }).toEqual({ mode: before.mode, uid: before.uid, gid: before.gid });
    expect(readFileSync(backupOf(path), "utf8")).toBe("old");
    expect(statSync(backupOf(path)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).sort()).toEqual(["mcp.json", "mcp.json.before-synartesis"]);
  });

  test("P1: a link into another folder stays a link, and no copy gets there", () => {
    mkdirSync(join(folder, "dotfiles"));
    const real = written("dotfiles/mcp.json", "old");
    const path = join(folder, "mcp.json");
    symlinkSync("dotfiles/mcp.json", path);
    expect(writeClientFile(seen(path), bytes("new")).kind).toBe("written");
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe("new");
    expect(readdirSync(join(folder, "dotfiles"))).toEqual(["mcp.json"]);
    expect(readFileSync(backupOf(path), "utf8")).toBe("old");
  });

  test("the copy is that of the first time, until it is wanted anew; and is removed once the file is as it was", () => {
    const path = written("mcp.json", "one");
    writeClientFile(seen(path), bytes("two"));
    writeClientFile(seen(path), bytes("three"));
    expect(readFileSync(backupOf(path), "utf8")).toBe("one");
    writeClientFile(seen(path), bytes("four"), "new");
    expect(readFileSync(backupOf(path), "utf8")).toBe("three");
    expect(removeBackup(path, bytes("one"))).toBe(false);
    expect(existsSync(backupOf(path))).toBe(true);
    expect(removeBackup(path, bytes("three"))).toBe(true);
    expect(existsSync(backupOf(path))).toBe(false);
    expect(writeClientFile(seen(path), bytes("five"), "none")).toEqual({ kind: "written", backup: undefined });
    expect(existsSync(backupOf(path))).toBe(false);
  });
});

test("P1: whoever writes it is killed at any moment: the file is whole, as it was or as it was to be", async () => {
  const contents = ["a", "b"].map((letter) => letter.repeat(2_000_000));
  const path = written("mcp.json", contents[0] ?? "");
  const script = `const { readClientFile, writeClientFile } = await import(${JSON.stringify(join(import.meta.dir, "../../src/clients/edit-file.ts"))});
    for (;;) {
      const { file } = readClientFile(process.argv[1]);
      writeClientFile(file, new Uint8Array(2_000_000).fill(file.bytes[0] === 97 ? 98 : 97), "none");
      process.stdout.write(".");
    }`;
  for (let writes = 1; writes <= 6; writes++) {
    const child = Bun.spawn([process.execPath, "-e", script, path], { stdout: "pipe", stderr: "inherit" });
    const dots = child.stdout.getReader();
    for (let seen = 0; seen < writes; ) seen += (await dots.read()).value?.length ?? writes;
    child.kill("SIGKILL");
    await child.exited;
    expect(contents.includes(readFileSync(path, "utf8"))).toBe(true);
  }
}, 60_000);

describe("P3: a file that somebody else wrote meanwhile is left as they wrote it, and no copy is made", () => {
  const cases: Readonly<Record<string, (path: string) => void>> = {
    "in place": (path) => writeFileSync(path, "theirs"),
    "by half": (path) => writeFileSync(path, "o"),
    "with a new file in its place": (path) => {
      rmSync(path);
      writeFileSync(path, "theirs");
    },
    "to a link to elsewhere": (path) => {
      rmSync(path);
      written("elsewhere", "old");
      symlinkSync("elsewhere", path);
    },
    "by taking it away": (path) => rmSync(path),
  };
  for (const [how, change] of Object.entries(cases)) {
    test(how, () => {
      const path = written("mcp.json", "old");
      const file = seen(path);
      change(path);
      const there = readdirSync(folder);
      expect(writeClientFile(file, bytes("new"))).toEqual({ kind: "changed" });
      expect(readdirSync(folder)).toEqual(there);
      if (existsSync(path)) expect(readFileSync(path, "utf8")).not.toBe("new");
    });
  }
});

describe("refused with the reason", () => {
  const reasonOf = (path: string) => {
    const read = readClientFile(path);
    return read.kind === "refused" ? read.reason : undefined;
  };

  test("what is no file", () => {
    expect(reasonOf(folder)).toBe("it is a folder");
    expect(reasonOf(join(folder, "none"))).toMatch(/there is no such file.*ENOENT/);
    expect(reasonOf(join(written("file", ""), "below"))).toMatch(/there is no such file/);
    symlinkSync("nowhere", join(folder, "dangling"));
    expect(reasonOf(join(folder, "dangling"))).toMatch(/leads to none/);
    symlinkSync("loop", join(folder, "loop"));
    expect(reasonOf(join(folder, "loop"))).toMatch(/back to itself/);
    Bun.spawnSync(["mkfifo", join(folder, "pipe")]);
    expect(reasonOf(join(folder, "pipe"))).toBe("it is no regular file");
  });

  test("a file that is read-only, also if that came about meanwhile", () => {
    const path = written("mcp.json", "old");
    const file = seen(path);
    chmodSync(path, 0o444);
    expect(reasonOf(path)).toBe("it is read-only");
    expect(writeClientFile(file, bytes("new"))).toMatchObject({ kind: "refused", reason: "it is read-only" });
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  test("a file that has a second name", () => {
    const path = written("mcp.json", "old");
    linkSync(path, join(folder, "second"));
    expect(reasonOf(path)).toMatch(/several names/);
  });

  test("a folder in which nothing may be made", () => {
    mkdirSync(join(folder, "closed"));
    const path = written("closed/mcp.json", "old");
    // As somebody without rights to it: root may write everywhere.
    const script = `const { readClientFile, writeClientFile } = await import(${JSON.stringify(join(import.meta.dir, "../../src/clients/edit-file.ts"))});
      if (process.getuid() === 0) process.setuid(23456);
      console.log(JSON.stringify(writeClientFile(readClientFile(process.argv[1]).file, new Uint8Array([1]))));`;
    chmodSync(folder, 0o755);
    chmodSync(join(folder, "closed"), 0o555);
    const child = Bun.spawnSync([process.execPath, "-e", script, path]);
    chmodSync(join(folder, "closed"), 0o755);
    expect(JSON.parse(child.stdout.toString())).toMatchObject({ kind: "refused", reason: expect.stringContaining("not yours to change") });
    expect(readdirSync(join(folder, "closed"))).toEqual(["mcp.json"]);
  });
});

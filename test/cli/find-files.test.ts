import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { commandLine } from "../../src/cli/command-line.ts";
import { findJournal, findManifest, journalOf, lookForManifest, toldJournal, toldManifest } from "../../src/cli/find-files.ts";
import { folderTrouble } from "../../src/cli/journal-place.ts";
import { SynartesisError } from "../../src/errors.ts";
import { fakeIo } from "./fake-io.ts";

const fine = () => undefined;
let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-find-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(...path: string[]): string {
  const file = join(root, ...path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  return file;
}

function ioIn(...path: string[]) {
  const cwd = join(root, ...path);
  mkdirSync(cwd, { recursive: true });
  return fakeIo(root, [], { cwd, home: join(root, "home") });
}

function codeOf(work: () => unknown): SynartesisError {
  try {
    work();
  } catch (error) {
    if (error instanceof SynartesisError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("the manifest", () => {
  test("is found upwards, the nearest first", () => {
    put("synartesis.yaml");
    const near = put("work", "synartesis.yaml");
    expect(findManifest(ioIn("work", "deep", "er"), {})).toBe(near);
  });

  test("is found in the home when there is none above", () => {
    const inHome = put("home", ".synartesis", "synartesis.yaml");
    expect(findManifest(ioIn("work"), {})).toBe(inHome);
  });

  test("is found in SYNARTESIS_HOME instead of ~/.synartesis", () => {
    put("home", ".synartesis", "synartesis.yaml");
    const told = put("elsewhere", "synartesis.yaml");
    expect(lookForManifest({ ...ioIn("work"), env: { SYNARTESIS_HOME: join(root, "elsewhere") } }, {})).toBe(told);
  });

  test("that isn't there is said with what was looked at and what to do", () => {
    const error = codeOf(() => findManifest(ioIn("work"), {}));
    expect(error.code).toBe("manifest-missing");
    expect(error.message).toContain(join(root, "work"));
    expect(error.message).toContain(join(root, "home", ".synartesis"));
    expect(error.hint).toContain("init NAME");
    expect(codeOf(() => findManifest(ioIn("work"), { manifest: "other.yaml" })).message).toContain(join(root, "work", "other.yaml"));
  });
});

describe("the journal", () => {
  test("lies in .synartesis beside the manifest", () => {
    put("work", "synartesis.yaml");
    const journal = put("work", ".synartesis", "journal.db");
    expect(findJournal(ioIn("work", "deep"), {}, fine)).toEqual({ file: journal, moved: undefined });
  });

  test("is journal.db where that is what is there", () => {
    put("work", "synartesis.yaml");
    const plain = put("work", "journal.db");
    expect(findJournal(ioIn("work"), {}, fine).file).toBe(plain);
    const own = put("work", ".synartesis", "journal.db");
    expect(findJournal(ioIn("work"), {}, fine).file).toBe(own);
  });

  test("a journal.db without a manifest is somebody else's", () => {
    put("work", "journal.db");
    expect(codeOf(() => findJournal(ioIn("work"), {}, fine)).code).toBe("journal-missing");
  });

  test("lies directly in the home folder", () => {
    const journal = put("home", ".synartesis", "journal.db");
    put("home", ".synartesis", "synartesis.yaml");
    expect(findJournal(ioIn("work"), {}, fine).file).toBe(journal);
    expect(findJournal(ioIn("home", "project"), {}, fine).file).toBe(journal);
  });

  test("is kept in the home when the folder is no place for it, and the reason is given", () => {
    const manifest = put("work", "synartesis.yaml");
    const place = journalOf(ioIn("work"), manifest, {}, () => "a network file system (NFS)");
    expect(place.file).toStartWith(join(root, "home", ".synartesis", "journals", "work-"));
    expect(place.moved).toContain("NFS");
  });

  test("the same name in two folders gives two journals in the home", () => {
    const trouble = () => "a network file system (NFS)";
    const one = journalOf(ioIn("a", "work"), put("a", "work", "synartesis.yaml"), {}, trouble);
    const other = journalOf(ioIn("b", "work"), put("b", "work", "synartesis.yaml"), {}, trouble);
    expect(one.file).not.toBe(other.file);
  });

  test("that isn't there yet is named", () => {
    put("work", "synartesis.yaml");
    const error = codeOf(() => findJournal(ioIn("work"), {}, fine));
    expect(error).toMatchObject({
      code: "journal-missing",
      message: `there is no journal ${join(root, "work", ".synartesis", "journal.db")} yet`,
    });
  });

  test("a synchronised folder is known by its name or by its mark", () => {
    mkdirSync(join(root, "Dropbox", "work"), { recursive: true });
    expect(folderTrouble(join(root, "Dropbox", "work"))).toContain("Dropbox");
    mkdirSync(join(root, "shared", ".stfolder"), { recursive: true });
    mkdirSync(join(root, "shared", "work"));
    expect(folderTrouble(join(root, "shared", "work"))).toContain("Syncthing");
    mkdirSync(join(root, "Dropbox-notes"));
    expect(folderTrouble(join(root, "Dropbox-notes"))).toBeUndefined();
  });
});

describe("a printed command", () => {
  test("is told the files that it wouldn't find from the current folder", () => {
    const manifest = put("work", "synartesis.yaml");
    const journal = put("work", ".synartesis", "journal.db");
    const inside = ioIn("work");
    expect([toldJournal(inside, journal, fine), toldManifest(inside, manifest)]).toEqual([{}, {}]);
    const outside = ioIn("other");
    expect([toldJournal(outside, journal, fine), toldManifest(outside, manifest)]).toEqual([{ journal }, { manifest }]);
  });

  test("is the absolute path, quoted, unless PATH leads to this very program", () => {
    const own = put("own tools", "synartesis-1.0");
    const io = { ...ioIn("work"), executable: [own], env: { PATH: join(root, "bin") } };
    expect(commandLine(io, ["approve", "7f"])).toBe(`'${own}' approve 7f`);
    Bun.spawnSync(["chmod", "+x", own]);
    mkdirSync(join(root, "bin"));
    symlinkSync(own, join(root, "bin", "synartesis"));
    expect(commandLine(io, ["approve", "7f"])).toBe("synartesis approve 7f");
    rmSync(join(root, "bin", "synartesis"));
    Bun.spawnSync(["chmod", "+x", put("bin", "synartesis")]);
    expect(commandLine(io, ["approve", "7f"])).toBe(`'${own}' approve 7f`);
  });

  test("has its own options before a --", () => {
    const io = { ...ioIn("work"), executable: ["/bin/s"] };
    expect(commandLine(io, ["init", "fs", "--", "npx", "x"], { manifest: "/m.yaml" })).toBe("/bin/s init fs --manifest /m.yaml -- npx x");
  });
});

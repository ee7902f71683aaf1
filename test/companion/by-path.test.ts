// Where names can't be looked up from an open folder (no /proc), is everything outside still out of reach? The same code by real paths.
import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deleteIf, moveIfAbsent, writeIf } from "../../src/companion/files/change.ts";
import { describe, fileDigest } from "../../src/companion/files/describe.ts";
import { Roots } from "../../src/companion/roots.ts";

const LIMIT = 1 << 20;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function makeScene() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-by-path-")));
  folders.push(folder);
  for (const name of ["root", "root/dir", "outside"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "outside/secret"), "secret");
  writeFileSync(join(folder, "root/dir/secret"), "own");
  const at = (name: string) => join(folder, name);
  const changes = { roots: new Roots([at("root")], folder, true), limit: LIMIT };
  return { at, changes, text: (name: string) => readFileSync(at(name), "utf8") };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const known = (text: string) => ({ kind: "digest", digest: fileDigest(bytes(text)) }) as const;

test("files are read, written, moved and deleted", () => {
  const { changes, text } = makeScene();
  expect(describe(changes.roots, "dir/secret", LIMIT, true)).toMatchObject({ exists: true, digest: fileDigest(bytes("own")) });
  writeIf(changes, "dir/secret", bytes("new"), known("own"), undefined);
  writeIf(changes, "dir/f", bytes("made"), { kind: "absent" }, undefined);
  moveIfAbsent(changes, "dir/f", "g", undefined);
  expect([text("root/dir/secret"), text("root/g")]).toEqual(["new", "made"]);
  expect(deleteIf(changes, "g", fileDigest(bytes("made")))).toEqual({ deleted: true });
  expect(describe(changes.roots, "g", LIMIT, true)).toMatchObject({ exists: false });
});

test("no link leads out, whatever is asked for", () => {
  const { at, changes, text } = makeScene();
  symlinkSync(at("outside"), at("root/door"));
  symlinkSync(at("outside/secret"), at("root/window"));
  for (const path of ["door/secret", "../outside/secret", at("outside/secret")]) {
    expect(() => describe(changes.roots, path, LIMIT, true)).toThrow("outside");
    expect(() => writeIf(changes, path, bytes("x"), known("secret"), undefined)).toThrow("outside");
    expect(() => deleteIf(changes, path, fileDigest(bytes("secret")))).toThrow("outside");
  }
  expect(() => writeIf(changes, "window", bytes("x"), known("secret"), undefined)).toThrow("outside");
  expect(() => deleteIf(changes, "window", fileDigest(bytes("secret")))).toThrow("no regular file");
  expect([readdirSync(at("outside")), text("outside/secret")]).toEqual([["secret"], "secret"]);
});

test("a folder that was swapped for a link after it was found is noticed", () => {
  const { at, changes } = makeScene();
  const found = changes.roots.find("dir/secret", "keep");
  if (found.kind !== "place") throw new Error("there is a file");
  using place = found.place;
  renameSync(at("root/dir"), at("root/kept"));
  symlinkSync(at("outside"), at("root/dir"));
  expect(() => place.folder.at(place.name)).toThrow("was moved away, or replaced");
});

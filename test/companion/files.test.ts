// Does the files companion show every byte, change only what is as expected, and touch nothing outside of its root? Used alone, by an official client.
import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { type Companion, startCompanion } from "../support/companion.ts";
import { until } from "../support/documents.ts";
import { EXECUTABLE, makeSandbox, type Sandbox } from "../support/sandbox.ts";

interface Scene extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly files: Companion;
  readonly root: string;
  /** A folder beside the root, with a file that is nobody's business. */
  readonly outside: string;
  write(name: string, content: string | Uint8Array): string;
  bytes(name: string): Buffer;
}

async function makeScene(...words: string[]): Promise<Scene> {
  const sandbox = makeSandbox();
  const [root, outside] = [join(sandbox.folder, "root"), join(sandbox.folder, "outside")];
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "secret");
  const files = await startCompanion(sandbox, "files", "--root", root, ...words);
  const dispose = async () => {
    await files[Symbol.asyncDispose]();
    sandbox[Symbol.dispose]();
  };
  const write = (name: string, content: string | Uint8Array) => sandbox.write(join("root", name), content);
  return { sandbox, files, root, outside, write, bytes: (name) => readFileSync(join(root, name)), [Symbol.asyncDispose]: dispose };
}

const digest = (content: string | Uint8Array) => `sha256:${new Bun.CryptoHasher("sha256").update(content).digest("hex")}`;
const base64 = (content: string | Uint8Array) => Buffer.from(content).toString("base64");
const BINARY = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 7919) % 256);

test.each([
  ["text", "a\nb\n"],
  ["CRLF", "a\r\nb\r\n"],
  ["no final newline", "a\nb"],
  ["a byte order mark", "\uFEFFa"],
  ["nothing", ""],
  ["binary", BINARY],
  ["no UTF-8", Uint8Array.of(0xc3, 0x28, 0x00)],
  ["UTF-8 with a replacement character of its own", Buffer.from("a\uFFFDb")],
])("what read shows is written back byte for byte: %s", async (_name, content) => {
  await using scene = await makeScene();
  scene.write("f", content);
  const seen = await scene.files.call("read", { path: "f" });
  expect(seen).toMatchObject({ exists: true, kind: "file", size: Buffer.from(content).length, digest: digest(content), missing: [] });
  expect(seen["text"]).toBe((typeof content === "string" ? content : undefined) as never);
  scene.write("f", "the agent's");
  const bytes = { text: seen["text"] ?? null, content: seen["content"] ?? null };
  await scene.files.call("write_if", { path: "f", ...bytes, if_digest: digest("the agent's") });
  expect(scene.bytes("f").equals(Buffer.from(content))).toBe(true);
  await scene.files.call("write_if", { path: "g", content: base64(content), if_absent: true });
  expect(scene.bytes("g").equals(Buffer.from(content))).toBe(true);
});

test("P3: a file is written, deleted or moved only if it still is as expected", async () => {
  await using scene = await makeScene();
  const { files } = scene;
  const path = scene.write("f", "a person's");
  const agents = digest("agent's");
  const isnt = `${path} isn't as it was left any more: it has ${digest("a person's")}`;
  expect(await files.refusal("write_if", { path, text: "old", if_digest: agents })).toBe(isnt);
  expect(await files.refusal("write_if", { path, text: "old", if_absent: true })).toBe(`something is at ${path} already`);
  expect(await files.refusal("delete_if", { path, digest: agents })).toBe(isnt);
  expect(await files.refusal("move_if_absent", { source: path, destination: "g", if_digest: agents })).toBe(isnt);
  scene.write("g", "there");
  expect(await files.refusal("move_if_absent", { source: path, destination: "g" })).toContain("something is at");
  expect(await files.refusal("write_if", { path: "gone", text: "old", if_digest: agents })).toContain("there is nothing at");
  expect([scene.bytes("f").toString(), scene.bytes("g").toString(), existsSync(join(scene.root, "gone"))]).toEqual([
    "a person's",
    "there",
    false,
  ]);
  expect(await files.call("delete_if", { path, digest: digest("a person's") })).toEqual({ deleted: true });
  expect(await files.call("delete_if", { path, digest: agents })).toEqual({ deleted: false });
  expect(await files.call("move_if_absent", { source: "g", destination: "f", if_digest: digest("there") })).toEqual({ moved: true });
  expect(readdirSync(scene.root)).toEqual(["f"]);
});

test("P3: what read showed is put back where nothing is: a file with its bytes and mode, a folder, or nothing", async () => {
  await using scene = await makeScene();
  const { files } = scene;
  const bytes = new Uint8Array([0, 255, 13, 10]);
  chmodSync(scene.write("f", bytes), 0o640);
  mkdirSync(join(scene.root, "d"), { mode: 0o750 });
  const paths = ["f", "d", "never"];
  const was = await Promise.all(paths.map((path) => files.call("read", { path })));
  expect(await files.refusal("restore_if_absent", { path: "f", was: was[0] })).toContain("something is at");
  expect(await files.refusal("restore_if_absent", { path: "d", was: was[1] })).toContain("something is at");
  renameSync(join(scene.root, "f"), join(scene.outside, "f"));
  renameSync(join(scene.root, "d"), join(scene.outside, "d"));
  for (const [index, path] of paths.entries())
    expect(await files.call("restore_if_absent", { path, was: was[index] })).toEqual({ restored: path !== "never" });
  expect(await Promise.all(paths.map((path) => files.call("read", { path })))).toEqual(was);
  expect(await files.refusal("restore_if_absent", { path: "new", was: { exists: true, kind: "link" } })).toContain("neither a file");
});

test("a file keeps its mode, or gets the one that it had", async () => {
  await using scene = await makeScene();
  const path = scene.write("run.sh", "old");
  chmodSync(path, 0o751);
  const { mode } = await scene.files.call("stat", { path });
  expect(mode).toBe("0751");
  await scene.files.call("write_if", { path, text: "new", if_digest: digest("old") });
  expect(statSync(path).mode & 0o7777).toBe(0o751);
  await scene.files.call("delete_if", { path, digest: digest("new") });
  await scene.files.call("write_if", { path, text: "old", if_absent: true, mode });
  expect(statSync(path).mode & 0o7777).toBe(0o751);
});

test("what isn't there is a plain value that begins with it, and names the folders that aren't there either", async () => {
  await using scene = await makeScene();
  mkdirSync(join(scene.root, "a"));
  const at = (name: string) => join(scene.root, name);
  const result = await scene.files.client.callTool({ name: "read", arguments: { path: "a/b/c/d" } });
  expect(result["structuredContent"]).toEqual({
    exists: false,
    missing: [at("a/b/c/d"), at("a/b/c"), at("a/b")],
    missing_parents: [at("a/b/c"), at("a/b")],
  });
  expect((result["content"] as { text: string }[])[0]?.text).toStartWith('{"exists":false');
  expect(await scene.files.call("stat", { path: "a/b" })).toEqual({ exists: false, missing: [at("a/b")], missing_parents: [] });
  expect(await scene.files.call("read", { path: "a" })).toMatchObject({ exists: true, kind: "dir", missing: [], missing_parents: [] });
});

test("folders are made where nothing is, moved, and removed only if empty", async () => {
  await using scene = await makeScene();
  const { files } = scene;
  expect(await files.call("make_dir", { path: "a" })).toEqual({ made: true });
  expect(await files.refusal("make_dir", { path: "a" })).toContain("something is at");
  expect(await files.refusal("make_dir", { path: "b/c" })).toContain("isn't there");
  expect(await files.call("move_if_absent", { source: "a", destination: "b", if_digest: null })).toEqual({ moved: true });
  scene.write("b/f", "a person's");
  expect(await files.refusal("remove_dir_if_empty", { path: "b" })).toContain("isn't empty");
  expect(await files.refusal("remove_dir_if_empty", { path: "b/f" })).toContain("is no folder");
  await files.call("delete_if", { path: "b/f", digest: digest("a person's") });
  expect(await files.call("remove_dir_if_empty", { path: "b" })).toEqual({ removed: true });
  expect(await files.call("remove_dir_if_empty", { path: "b" })).toEqual({ removed: false });
  expect(await files.refusal("remove_dir_if_empty", { path: "." })).toContain("is the root itself");
});

/** Every tool, told to do its worst at a path. */
async function tryAll(files: Companion, path: string): Promise<string[]> {
  const secret = digest("secret");
  return Promise.all([
    files.refusal("write_if", { path, text: "x", if_digest: secret }),
    files.refusal("write_if", { path, text: "x", if_absent: true }),
    files.refusal("delete_if", { path, digest: secret }),
    files.refusal("move_if_absent", { source: path, destination: "taken" }),
    files.refusal("move_if_absent", { source: "own", destination: path }),
    files.refusal("restore_if_absent", { path, was: { exists: true, kind: "file", text: "x" } }),
  ]);
}

test("no way leads out: not `..`, not absolute paths, not links in the last place or before it", async () => {
  await using scene = await makeScene();
  const { files, root, outside } = scene;
  scene.write("own", "own");
  symlinkSync(outside, join(root, "door"));
  symlinkSync(join(outside, "secret"), join(root, "window"));
  symlinkSync("/", join(root, "all"));
  symlinkSync(join(outside, "new"), join(root, "dangling"));
  symlinkSync("loop", join(root, "loop"));
  const paths = [
    "../outside/secret",
    `${root}/../outside/secret`,
    join(outside, "secret"),
    "door/secret",
    "x/../../outside/secret",
    "/etc/hostname",
  ];
  for (const path of [...paths, `all${outside}/secret`]) {
    expect(await files.refusal("read", { path })).toContain("outside");
    for (const why of await tryAll(files, path)) expect(why).toContain("outside");
  }
  expect(await files.call("read", { path: "window" })).toMatchObject({ kind: "link", target: join(outside, "secret") });
  for (const path of ["window", "dangling", "loop"]) {
    expect(await files.call("read", { path })).not.toHaveProperty("digest");
    await tryAll(files, path);
  }
  for (const path of ["~/x", "", "a\0b"]) await files.refusal("read", { path });
  for (const path of ["door/new", "door", "dangling"]) {
    await files.refusal("make_dir", { path });
    await files.refusal("remove_dir_if_empty", { path });
  }
  expect([readdirSync(outside), readFileSync(join(outside, "secret"), "utf8")]).toEqual([["secret"], "secret"]);
  expect(scene.bytes("own").toString()).toBe("own");
});

test("a link that stays within the roots is followed to read and to write, and is never itself deleted", async () => {
  await using scene = await makeScene();
  const { files, root } = scene;
  scene.write("real/f", "old");
  symlinkSync("real", join(root, "way"));
  symlinkSync("real/f", join(root, "alias"));
  for (const path of ["way/f", "alias"]) expect(await files.call("read", { path })).toMatchObject({ kind: "file", text: "old" });
  await files.call("write_if", { path: "alias", text: "new", if_digest: digest("old") });
  expect([scene.bytes("real/f").toString(), readdirSync(root).toSorted()]).toEqual(["new", ["alias", "real", "way"]]);
  await files.refusal("delete_if", { path: "alias", digest: digest("new") });
  await files.call("delete_if", { path: "way/f", digest: digest("new") });
  expect(readdirSync(join(root, "real"))).toEqual([]);
});

test("what is no regular file is never opened: devices, FIFOs, sockets", async () => {
  await using scene = await makeScene();
  const { files, root } = scene;
  Bun.spawnSync(["mkfifo", join(root, "fifo")]);
  using _socket = Bun.listen({ unix: join(root, "socket"), socket: { data: () => undefined } }) as unknown as Disposable;
  for (const path of ["fifo", "socket"]) {
    expect(await files.call("read", { path })).toMatchObject({ exists: true, kind: "other" });
    expect(await files.refusal("delete_if", { path, digest: digest("") })).toContain("no regular file");
    expect(await files.refusal("write_if", { path, text: "", if_digest: digest("") })).toContain("no regular file");
    expect(await files.refusal("move_if_absent", { source: path, destination: "elsewhere" })).toContain("neither");
  }
  await using devices = await startCompanion(scene.sandbox, "files", "--root", "/dev");
  expect(await devices.call("read", { path: "zero" })).toMatchObject({ exists: true, kind: "other" });
  expect(await devices.refusal("write_if", { path: "null", text: "x", if_digest: digest("") })).toContain("no regular file");
});

test("a file above the limit is refused by its size, and one of 40 MiB is read and written", async () => {
  await using scene = await makeScene("--max-size", "41MiB");
  const { files, root } = scene;
  writeFileSync(join(root, "huge"), "");
  truncateSync(join(root, "huge"), 2 ** 40);
  expect(await files.refusal("read", { path: "huge" })).toContain("more than the 42991616 that are taken (--max-size)");
  const large = Buffer.alloc(40 * 1024 * 1024, BINARY);
  scene.write("large", large);
  // The SDK's client takes no message of this size.
  await using client = await Agent.start(scene.sandbox, ["--root", root], [EXECUTABLE, "companion", "files"]);
  const { content } = (await client.call("read", { path: "large" })).structuredContent as { content: string };
  await client.call("write_if", { path: "copy", content, if_absent: true });
  expect(scene.bytes("copy").equals(large)).toBe(true);
});

test("hard links are told, and the other name keeps what it was", async () => {
  await using scene = await makeScene();
  const path = scene.write("f", "old");
  linkSync(path, join(scene.root, "g"));
  expect(await scene.files.call("stat", { path })).toMatchObject({ links: 2 });
  expect(await scene.files.call("write_if", { path, text: "new", if_digest: digest("old") })).toHaveProperty("note");
  expect([scene.bytes("f").toString(), scene.bytes("g").toString()]).toEqual(["new", "old"]);
});

test("bytes that can't be meant are refused: no base64, half a character, both or neither", async () => {
  await using scene = await makeScene();
  for (const args of [
    { content: "a" },
    { content: "!!!!" },
    { text: "\ud800" },
    { text: "a", content: "YQ==" },
    { text: null, content: null },
    {},
    { content: "a", encoding: "hex" },
  ])
    await scene.files.refusal("write_if", { path: "f", if_absent: true, ...args });
  await scene.files.refusal("write_if", { path: "f", text: "a" });
  await scene.files.refusal("write_if", { path: "f", text: "a", if_absent: true, if_digest: digest("") });
  await scene.files.refusal("write_if", { path: "f", text: "a", if_absent: true, mode: "77777" });
  await scene.files.refusal("write_if", { path: "f", text: "a", if_absent: true, unknown: 1 });
  expect(readdirSync(scene.root)).toEqual([]);
});

test("P3: of two companions that write on the same condition, exactly one does", async () => {
  await using scene = await makeScene();
  await using other = await startCompanion(scene.sandbox, "files", "--root", scene.root);
  const companions = [scene.files, other];
  for (let round = 0; round < 20; round++) {
    scene.write("f", "old");
    const tries = companions.flatMap((files, from) =>
      [1, 2].map((nth) =>
        files.call("write_if", { path: "f", text: `${round} ${from} ${nth}`, if_digest: digest("old") }).then(
          () => `${round} ${from} ${nth}`,
          () => undefined,
        ),
      ),
    );
    const written = (await Promise.all(tries)).filter((one) => one !== undefined);
    expect(written).toEqual([scene.bytes("f").toString()]);
  }
  expect(readdirSync(scene.root)).toEqual(["f"]);
});

test("P3: a companion that is killed while it writes leaves the old file whole, and the next one clears up what it left", async () => {
  await using scene = await makeScene();
  const old = Buffer.from("old");
  scene.write("f", old);
  const large = base64(Buffer.alloc(48 * 1024 * 1024, BINARY));
  let wasCaught = false;
  for (let round = 0; round < 10 && !wasCaught; round++) {
    const files = await startCompanion(scene.sandbox, "files", "--root", scene.root);
    const writing = files.call("write_if", { path: "f", content: large, if_digest: digest(old) }).catch(() => undefined);
    await until("it writes", () => readdirSync(scene.root).length > 1 || scene.bytes("f").length > 3);
    process.kill(files.pid, "SIGKILL");
    await writing;
    await files[Symbol.asyncDispose]();
    wasCaught = readdirSync(scene.root).length > 1;
    if (!wasCaught) scene.write("f", old);
  }
  expect([wasCaught, scene.bytes("f").toString()]).toEqual([true, "old"]);
  await scene.files.call("write_if", { path: "f", text: "new", if_digest: digest(old) });
  expect(readdirSync(scene.root)).toEqual(["f"]);
});

test("a folder that turns into a link and back, again and again, never leads out", async () => {
  await using scene = await makeScene();
  const { files, root, outside } = scene;
  scene.write("dir/secret", "own");
  symlinkSync(outside, join(root, "link"));
  let isOver = false;
  const swapping = (async () => {
    while (!isOver) {
      for (const [from, to] of [
        ["dir", "kept"],
        ["link", "dir"],
        ["dir", "link"],
        ["kept", "dir"],
      ] as const)
        renameSync(join(root, from), join(root, to));
      await Bun.sleep(0);
    }
  })();
  const ends = new Set<string>();
  for (let round = 0; round < 150; round++) {
    const read = await files.call("read", { path: "dir/secret" }).catch((error: Error) => ({ text: error.message }));
    ends.add(String(read["text"]));
    await files.call("write_if", { path: `dir/new${round}`, text: "x", if_absent: true }).catch(() => undefined);
    await files.call("delete_if", { path: "dir/secret", digest: digest("secret") }).catch(() => undefined);
  }
  isOver = true;
  await swapping;
  expect(ends).not.toContain("secret");
  expect(readdirSync(outside)).toEqual(["secret"]);
});

test("a root that was replaced by another folder is refused, not taken for empty", async () => {
  await using scene = await makeScene();
  rmdirSync(scene.root);
  mkdirSync(scene.root);
  scene.write("f", "there");
  expect(await scene.files.refusal("read", { path: "f" })).toContain("was moved away, or replaced");
});

test("several roots: a path is absolute in one of them, or relative to the first", async () => {
  using sandbox = makeSandbox();
  sandbox.write("one/f", "1");
  sandbox.write("two/f", "2");
  await using files = await startCompanion(sandbox, "files", "--root", "one", "--root", join(sandbox.folder, "two"));
  expect(await files.call("read", { path: "f" })).toMatchObject({ text: "1" });
  expect(await files.call("read", { path: join(sandbox.folder, "two/f") })).toMatchObject({ text: "2" });
  expect(await files.refusal("read", { path: "../one/../three" })).toContain("outside");
});

test("a companion without a root, or with one that isn't there, doesn't start", async () => {
  using sandbox = makeSandbox();
  expect((await sandbox.run("companion", "files")).code).toBe(2);
  const missing = await sandbox.run("companion", "files", "--root", "nowhere");
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("there is no folder")]);
});

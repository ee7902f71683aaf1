// Does the git companion show where a repository stands, and change only what still is as it was left? Used alone, by an official client, on real repositories.
import { describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findGit } from "../../src/companion/git/run-git.ts";
import { worldOf } from "../../src/drill/world.ts";
import { type Companion, startCompanion } from "../support/companion.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";

interface Scene extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly companion: Companion;
  readonly repo: string;
  /** Runs git as the person does. */
  git(...words: string[]): string;
  /** Writes a file into the working tree. */
  write(name: string, content: string): void;
  bytes(name: string): string;
  state(): Promise<Record<string, unknown>>;
}

const WHO = ["-c", "user.name=A Person", "-c", "user.email=person@example.org"];

async function makeScene(): Promise<Scene> {
  const sandbox = makeSandbox();
  const repo = join(sandbox.folder, "repo");
  mkdirSync(repo);
  const git = (...words: string[]) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...WHO, ...words], { cwd: repo, env: sandbox.env });
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
    return stdout.toString().trim();
  };
  git("init", "--quiet", "--initial-branch", "main");
  const write = (name: string, content: string) => writeFileSync(join(repo, name), content);
  write("a", "one\n");
  git("add", "a");
  git("commit", "--quiet", "--message", "first");
  const companion = await startCompanion(sandbox, "git", "--repo", repo);
  const dispose = async () => {
    await companion[Symbol.asyncDispose]();
    sandbox[Symbol.dispose]();
  };
  const bytes = (name: string) => readFileSync(join(repo, name), "utf8");
  return { sandbox, companion, repo, git, write, bytes, state: () => companion.call("state", {}), [Symbol.asyncDispose]: dispose };
}

test("the state says where HEAD is, what is staged and what differs, and looking changes nothing", async () => {
  await using scene = await makeScene();
  const { git, write, state, repo } = scene;
  const head = git("rev-parse", "HEAD");
  const tree = git("rev-parse", "HEAD^{tree}");
  const index = readFileSync(join(repo, ".git/index"));
  expect(await state()).toEqual({
    exists: true,
    head,
    branch: "main",
    checkout: "main",
    under_way: null,
    index_tree: tree,
    dirty: false,
    staged: false,
    stashes: [],
  });
  write("a", "two\n");
  expect(await state()).toMatchObject({ dirty: true, staged: false, index_tree: tree });
  expect(readFileSync(join(repo, ".git/index")).equals(index)).toBe(true);
  git("add", "a");
  expect(await state()).toMatchObject({ dirty: false, staged: true, index_tree: git("write-tree") });
  git("stash", "--quiet");
  expect(await state()).toMatchObject({ dirty: false, staged: false, stashes: [git("rev-parse", "stash")] });
  write("new", "x");
  git("add", "--intent-to-add", "new");
  expect(await state()).toMatchObject({ index_tree: null });
  git("rm", "--cached", "--quiet", "new");
  git("checkout", "--quiet", "--detach");
  expect(await state()).toMatchObject({ head, branch: null, checkout: head });
  git("tag", "-a", "v1", "-m", "v1");
  expect(await scene.companion.call("state", { ref: "refs/tags/v1" })).toEqual({ exists: true, at: git("rev-parse", "v1"), missing: [] });
  expect(await scene.companion.call("state", { branch: "gone" })).toEqual({ exists: false, missing: ["gone"] });
  expect(await scene.companion.call("delete_branch_if", { branch: "gone", if_at: null })).toEqual({ deleted: false });
  expect(await scene.companion.refusal("delete_branch_if", { branch: "main", if_at: null })).toContain("isn't where it was left");
});

test("a repository without a commit has a branch and no head, and the first commit can be taken back", async () => {
  await using scene = await makeScene();
  const { git, state, companion } = scene;
  git("checkout", "--quiet", "--orphan", "fresh");
  const before = await state();
  expect(before).toMatchObject({ head: null, branch: "fresh", staged: true });
  git("commit", "--quiet", "--message", "fresh");
  await companion.call("restore_head_if", { to: null, if_head: git("rev-parse", "HEAD"), if_branch: "fresh" });
  expect(await state()).toEqual(before);
});

test("P3: a commit is taken back, and what was staged for it is staged again, unless somebody has gone on", async () => {
  await using scene = await makeScene();
  const { git, write, state, companion } = scene;
  write("a", "two\n");
  git("add", "a");
  const before = await state();
  git("commit", "--quiet", "--message", "agent's");
  const after = git("rev-parse", "HEAD");
  write("b", "a person's, not staged\n");
  const back = { to: before["head"], if_head: after, if_branch: "main", if_index_tree: before["index_tree"] };
  await companion.call("restore_head_if", back);
  expect(await state()).toEqual(before);
  expect(scene.bytes("b")).toBe("a person's, not staged\n");
  git("commit", "--quiet", "--message", "a person's");
  const persons = git("rev-parse", "HEAD");
  expect(await companion.refusal("restore_head_if", back)).toContain(`it is at ${persons}`);
  git("checkout", "--quiet", "-b", "other");
  expect(await companion.refusal("restore_head_if", { ...back, if_head: persons })).toContain("HEAD is on other by now");
  expect([git("rev-parse", "main"), git("rev-parse", "HEAD")]).toEqual([persons, persons]);
  git("add", "b");
  expect(await companion.refusal("restore_head_if", { ...back, if_head: persons, if_branch: "other" })).toContain("what is staged isn't");
});

test("P3: with `keep` the files go along, and a file that somebody has changed stops it before anything is changed", async () => {
  await using scene = await makeScene();
  const { git, write, state, companion } = scene;
  const before = await state();
  write("a", "two\n");
  write("c", "new\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "agent's");
  const back = { to: before["head"], if_head: git("rev-parse", "HEAD"), keep: true };
  write("a", "a person's\n");
  const between = await state();
  expect(await companion.refusal("restore_head_if", back)).toContain("git refused");
  expect([scene.bytes("a"), scene.bytes("c"), await state()]).toEqual(["a person's\n", "new\n", between]);
  write("a", "two\n");
  await companion.call("restore_head_if", back);
  expect([await state(), scene.bytes("a"), existsSync(join(scene.repo, "c"))]).toEqual([before, "one\n", false]);
});

test("P3: what an agent staged is unstaged, and what a person has staged since stops it", async () => {
  await using scene = await makeScene();
  const { git, write, state, companion } = scene;
  write("mine", "a person's\n");
  git("add", "mine");
  const before = await state();
  write("a", "two\n");
  git("add", "a");
  const after = await state();
  const back = { tree: before["index_tree"], if_tree: after["index_tree"] };
  write("later", "x\n");
  git("add", "later");
  expect(await companion.refusal("restore_index", back)).toContain("what is staged isn't as it was left");
  git("rm", "--cached", "--quiet", "later");
  writeFileSync(join(scene.repo, ".git/index.lock"), "");
  expect(await companion.refusal("restore_index", back)).toContain("another git is at work");
  git("config", "x.y", "z"); // any other git command
  Bun.spawnSync(["rm", join(scene.repo, ".git/index.lock")]);
  await companion.call("restore_index", back);
  expect(await state()).toEqual({ ...before, dirty: true });
  expect([git("diff", "--cached", "--name-only"), scene.bytes("a")]).toEqual(["mine", "two\n"]);
});

test("P3: branches and tags are deleted and put back only where they were left, and never one that is checked out", async () => {
  await using scene = await makeScene();
  const { git, write, companion } = scene;
  const first = git("rev-parse", "HEAD");
  write("a", "two\n");
  git("commit", "--quiet", "--all", "--message", "second");
  const second = git("rev-parse", "HEAD");
  git("branch", "made", first);
  git("branch", "--force", "made", second);
  expect(await companion.refusal("delete_branch_if", { branch: "made", if_at: first })).toContain(`it is at ${second}`);
  expect(await companion.call("restore_branch_if", { branch: "made", to: first, if_at: second })).toEqual({ restored: true });
  expect(await companion.call("delete_branch_if", { branch: "made", if_at: first })).toEqual({ deleted: true });
  expect(await companion.call("delete_branch_if", { branch: "made", if_at: first })).toEqual({ deleted: false });
  await companion.call("restore_branch_if", { branch: "made", to: first });
  expect(await companion.refusal("restore_branch_if", { branch: "made", to: second })).toContain(`it is at ${first}`);
  expect(await companion.refusal("restore_branch_if", { branch: "main", to: first, if_at: second })).toContain("checked out");
  expect(await companion.refusal("delete_branch_if", { branch: "main", if_at: second })).toContain("checked out");
  git("worktree", "add", "--quiet", "../tree", "made");
  expect(await companion.refusal("delete_branch_if", { branch: "made", if_at: first })).toContain("checked out");
  git("tag", "-a", "v1", "-m", "v1");
  const tag = git("rev-parse", "v1");
  await companion.call("delete_ref_if", { ref: "refs/tags/v1", if_at: tag });
  await companion.call("restore_ref_if", { ref: "refs/tags/v1", to: tag });
  expect(git("cat-file", "-t", "v1")).toBe("tag");
  for (const ref of ["HEAD", "refs/stash", "refs/heads/../../x", "refs/remotes/o/x", "refs/heads/"])
    expect(await companion.refusal("restore_ref_if", { ref, to: first })).toContain("is no branch and no tag");
  expect(await companion.refusal("restore_branch_if", { branch: "x", to: "0".repeat(40) })).toContain("there is no commit");
  expect(await companion.refusal("restore_branch_if", { branch: "x", to: tag })).toContain("refused");
});

test("P3: a dropped stash comes back, and the latest one comes out only where nobody is at work", async () => {
  await using scene = await makeScene();
  const { git, write, state, companion } = scene;
  write("a", "two\n");
  git("add", "a");
  write("a", "three\n");
  const before = await state();
  git("stash", "--quiet");
  const commit = git("rev-parse", "stash");
  git("stash", "drop", "--quiet");
  await companion.call("store_stash_if", { commit });
  expect(git("stash", "list")).toContain(git("log", "-1", "--format=%s", commit));
  expect(await companion.refusal("store_stash_if", { commit })).toContain("already");
  expect(await companion.refusal("store_stash_if", { commit: git("rev-parse", "HEAD") })).toContain("is no stash");
  write("a", "a person's\n");
  expect(await companion.refusal("pop_stash_if", { commit })).toContain("somebody is at work");
  expect(scene.bytes("a")).toBe("a person's\n");
  write("a", "one\n");
  expect(await companion.refusal("pop_stash_if", { commit: git("rev-parse", "HEAD") })).toContain("the latest stash is");
  await companion.call("pop_stash_if", { commit });
  expect([await state(), scene.bytes("a")]).toEqual([before, "three\n"]);
});

test("nothing that a repository names is started: hooks, monitors, filters, drivers, transports, pagers", async () => {
  await using scene = await makeScene();
  const { git, write, companion, repo } = scene;
  const first = git("rev-parse", "HEAD");
  write(".gitattributes", "* filter=evil merge=evil diff=evil\n");
  write("a", "two\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "second");
  const second = git("rev-parse", "HEAD");
  const trace = join(scene.sandbox.folder, "trace");
  const evil = scene.sandbox.write("evil", `#!/bin/sh\necho "$0 $*" >>${trace}\ncat\n`);
  Bun.spawnSync(["chmod", "+x", evil]);
  const hooks = ["post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc", "post-commit", "post-merge"];
  for (const hook of hooks) Bun.spawnSync(["cp", evil, join(repo, ".git/hooks", hook)]);
  const settings = [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.askPass",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
  ];
  for (const name of [
    ...settings,
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "merge.evil.driver",
    "gpg.program",
    "credential.helper",
  ])
    git("config", name, name === "credential.helper" ? `!${evil}` : evil);
  git("config", "remote.o.url", `ext::${evil}`);
  git("config", "remote.o.promisor", "true");
  Bun.spawnSync(["rm", "-f", trace]); // writing the configuration started some already
  write("a", "three\n");
  expect(await scene.state()).toMatchObject({ head: second, dirty: true });
  expect(await companion.refusal("restore_head_if", { to: first, if_head: second, keep: true })).toContain("goes through a filter");
  await companion.call("restore_head_if", { to: first, if_head: second });
  await companion.call("restore_branch_if", { branch: "x", to: second });
  await companion.call("delete_branch_if", { branch: "x", if_at: second });
  await companion.refusal("restore_branch_if", { branch: "x", to: "1".repeat(40) });
  const now = await scene.state();
  await companion.call("restore_index", { tree: git("rev-parse", `${first}^{tree}`), if_tree: now["index_tree"] });
  expect(existsSync(trace) ? readFileSync(trace, "utf8") : "").toBe("");
});

test("files that go through a filter somewhere else (LFS) are not written", async () => {
  await using scene = await makeScene();
  const { git, write, companion } = scene;
  write(".gitattributes", "a filter=lfs\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "second");
  const second = git("rev-parse", "HEAD");
  write("a", "two\n");
  git("commit", "--quiet", "--all", "--message", "third");
  expect(await companion.refusal("restore_head_if", { to: second, if_head: git("rev-parse", "HEAD"), keep: true })).toContain(
    "goes through a filter",
  );
});

test("the variables of whoever starts it change nothing", async () => {
  await using scene = await makeScene();
  const { sandbox, git } = scene;
  const elsewhere = join(sandbox.folder, "elsewhere");
  const hostile = {
    GIT_DIR: elsewhere,
    GIT_WORK_TREE: elsewhere,
    GIT_INDEX_FILE: elsewhere,
    GIT_EXEC_PATH: elsewhere,
    GIT_TRACE: elsewhere,
  };
  await using companion = await startCompanion({ ...sandbox, env: { ...sandbox.env, ...hostile } }, "git", "--repo", scene.repo);
  expect(await companion.call("state", {})).toMatchObject({ head: git("rev-parse", "HEAD") });
  expect(existsSync(elsewhere)).toBe(false);
});

test("a repository that reaches out of the roots is refused: beside them, above them, by its git folder, by its work tree", async () => {
  await using scene = await makeScene();
  const { sandbox, repo, git, companion } = scene;
  mkdirSync(join(repo, "sub"));
  expect(await companion.refusal("state", { repo: join(sandbox.folder, "home") })).toContain("outside");
  expect(await companion.refusal("state", { repo: "../repo2" })).toContain("outside");
  expect(await companion.refusal("state", { repo: "sub" })).toContain("is not the top of a repository");
  git("worktree", "add", "--quiet", "../tree", "-b", "side");
  await using inTree = await startCompanion(sandbox, "git", "--root", "tree");
  expect(await inTree.refusal("state", {})).toContain("outside");
  expect((await sandbox.run("companion", "git", "--repo", "tree")).err).toContain("outside");
  await using both = await startCompanion(sandbox, "git", "--root", ".");
  expect(await both.call("state", { repo: "tree" })).toMatchObject({ branch: "side" });
  expect(await both.call("state", { repo: join(sandbox.folder, "repo") })).toMatchObject({ branch: "main" });
  git("config", "core.worktree", join(sandbox.folder, "home"));
  expect(await companion.refusal("state", {})).not.toBe("");
});

test("P3: of two companions that move a branch on the same condition, exactly one does", async () => {
  await using scene = await makeScene();
  await using other = await startCompanion(scene.sandbox, "git", "--repo", scene.repo);
  const { git, write } = scene;
  const commits = [git("rev-parse", "HEAD")];
  for (const content of ["two\n", "three\n"]) {
    write("a", content);
    git("commit", "--quiet", "--all", "--message", content);
    commits.push(git("rev-parse", "HEAD"));
  }
  const [first = "", second, third] = commits;
  for (let round = 0; round < 5; round++) {
    git("branch", "--force", "x", first);
    const tries = [
      scene.companion.call("restore_branch_if", { branch: "x", to: second, if_at: first }),
      other.call("restore_branch_if", { branch: "x", to: third, if_at: first }),
    ];
    const ends = await Promise.allSettled(tries);
    const moved = [second, third].filter((_, at) => ends[at]?.status === "fulfilled");
    expect(moved).toEqual([git("rev-parse", "x")]);
  }
});

test("a folder that is no repository is said at once, and what is below a repository's top as well", async () => {
  await using scene = await makeScene();
  const { sandbox, repo } = scene;
  mkdirSync(join(repo, "below"));
  for (const folder of [sandbox.folder, join(repo, "below")]) {
    const { code, err } = await sandbox.run("companion", "git", "--repo", folder);
    expect([code, err]).toEqual([2, expect.stringContaining(`${folder} can't be used as a repository`)]);
  }
});

test("of a ref that isn't named in full it is said how", async () => {
  await using scene = await makeScene();
  scene.git("tag", "v1");
  expect(await scene.companion.refusal("state", { ref: "v1" })).toContain("give the ref's full name, like refs/tags/v1");
  expect(await scene.companion.call("state", { ref: "refs/tags/v1" })).toMatchObject({ exists: true });
});

/** A program that leaves a trace, and what it has left. */
function makeEvil({ sandbox }: Scene) {
  const trace = join(sandbox.folder, "trace");
  const program = sandbox.write("evil", `#!/bin/sh\necho "$0 $*" >>${trace}\n[ $# -gt 0 ] || timeout 2 cat\n`);
  chmodSync(program, 0o755);
  return { program, traced: () => (existsSync(trace) ? readFileSync(trace, "utf8") : ""), forget: () => rmSync(trace, { force: true }) };
}

/** Makes git look into a file again, whose bytes are the same. */
function age(path: string): void {
  utimesSync(path, new Date(0), new Date(0));
}

describe("nothing that a repository names is started", () => {
  test.each(["a=b", "x.clean", "with space", "=", "é"])("a filter called %p", async (name) => {
    await using scene = await makeScene();
    const { program, traced } = makeEvil(scene);
    appendFileSync(join(scene.repo, ".git/config"), `[filter "${name}"]\n\tclean = ${program}\n\tprocess = ${program}\n\trequired\n`);
    writeFileSync(join(scene.repo, ".git/info/attributes"), `* filter=${name}\n`);
    age(join(scene.repo, "a"));
    expect(await scene.state()).toMatchObject({ dirty: false });
    expect(traced()).toBe("");
  });

  test("what a submodule's own configuration names, and a file that it includes", async () => {
    await using scene = await makeScene();
    const { git, repo, sandbox } = scene;
    const { program, traced, forget } = makeEvil(scene);
    const filter = `[filter "x"]\n\tclean = ${program}\n[core]\n\tfsmonitor = ${program}\n[submodule "sub"]\n\tignore = none\n`;
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "sub");
    git("commit", "--quiet", "--message", "sub");
    appendFileSync(join(repo, ".git/modules/sub/config"), filter);
    writeFileSync(join(repo, ".git/modules/sub/info/attributes"), "* filter=x\n");
    appendFileSync(join(repo, ".git/config"), `[include]\n\tpath = ${sandbox.write("included", filter.replace("x", "y"))}\n`);
    writeFileSync(join(repo, ".git/info/attributes"), "* filter=y\n");
    for (const name of ["a", "sub/a"]) age(join(repo, name));
    forget();
    expect(await scene.state()).toMatchObject({ dirty: false, staged: false });
    expect(worldOf([repo], findGit(sandbox.env)).has(".git (staged)")).toBe(true);
    expect(traced()).toBe("");
  });

  test("a transport that the repository allows, for objects that it lacks", async () => {
    await using scene = await makeScene();
    const { git, repo, companion } = scene;
    const { program, traced, forget } = makeEvil(scene);
    const head = git("rev-parse", "HEAD");
    const tree = git("rev-parse", "HEAD^{tree}");
    const settings = { "core.repositoryformatversion": "1", "extensions.partialClone": "o", "remote.o.promisor": "true" };
    for (const [name, value] of Object.entries(settings)) git("config", name, value);
    git("config", "remote.o.url", `ext::${program}`);
    git("config", "protocol.ext.allow", "always");
    git("config", "core.alternateRefsCommand", program);
    rmSync(join(repo, ".git/objects", tree.slice(0, 2), tree.slice(2)));
    forget();
    await scene.state();
    await companion.refusal("restore_ref_if", { ref: "refs/tags/x", to: "1".repeat(40) });
    await companion.refusal("restore_head_if", { to: "1".repeat(40), if_head: head });
    await companion.refusal("store_stash_if", { commit: "1".repeat(40) });
    expect(traced()).toBe("");
  });

  test("what checks the signature of a stash", async () => {
    await using scene = await makeScene();
    const { git, write, companion } = scene;
    const { program, traced, forget } = makeEvil(scene);
    write("a", "two\n");
    git("stash", "--quiet");
    const signed = git("cat-file", "commit", "stash").replace(
      "\n\n",
      "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n",
    );
    scene.write("signed", `${signed}\n`);
    const commit = git("hash-object", "-t", "commit", "-w", "signed");
    git("config", "log.showSignature", "true");
    git("config", "gpg.program", program);
    forget();
    expect(await companion.call("store_stash_if", { commit })).toEqual({ stored: true });
    expect(traced()).toBe("");
  });
});

describe("P3: files that git takes for expendable are somebody's", () => {
  /** Two commits of which only the first has `place`, which is ignored in the second. */
  async function makeIgnored(place: string, ignored: string) {
    const scene = await makeScene();
    const { git, write, repo } = scene;
    mkdirSync(dirname(join(repo, place)), { recursive: true });
    write(place, "tracked\n");
    git("add", ".");
    git("commit", "--quiet", "--message", "with");
    const to = git("rev-parse", "HEAD");
    git("rm", "--quiet", place);
    write(".gitignore", `${ignored}\n`);
    git("add", ".");
    git("commit", "--quiet", "--message", "without");
    return {
      scene,
      back: { to, if_head: git("rev-parse", "HEAD"), keep: true },
      [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
    };
  }

  test.each([
    ["a file in the place of one", "env", "env"],
    ["a folder in the place of a file", "out", "out/data"],
    ["a file in the place of a folder", "out/data", "out"],
  ])("restore_head_if stops at %s", async (_, tracked, persons) => {
    await using ignored = await makeIgnored(tracked, persons.split("/")[0] ?? "");
    const { scene, back } = ignored;
    mkdirSync(dirname(join(scene.repo, persons)), { recursive: true });
    scene.write(persons, "a person's\n");
    const before = await scene.state();
    expect(await scene.companion.refusal("restore_head_if", back)).toContain(`${persons} is in the way`);
    expect([scene.bytes(persons), await scene.state()]).toEqual(["a person's\n", before]);
    rmSync(join(scene.repo, persons.split("/")[0] ?? ""), { recursive: true });
    await scene.companion.call("restore_head_if", back);
    expect(scene.bytes(tracked)).toBe("tracked\n");
  });

  test("a folder of tracked files gives way to a file", async () => {
    await using scene = await makeScene();
    const { git, write, repo, companion } = scene;
    const to = git("rev-parse", "HEAD");
    git("rm", "--quiet", "a");
    mkdirSync(join(repo, "a"));
    write("a/b", "agent's\n");
    git("add", ".");
    git("commit", "--quiet", "--message", "agent's");
    await companion.call("restore_head_if", { to, if_head: git("rev-parse", "HEAD"), keep: true });
    expect(scene.bytes("a")).toBe("one\n");
  });

  test.each([
    ["tracked", ["add", "--force", "env"], []],
    ["untracked", [], ["--include-untracked"]],
  ])("pop_stash_if stops at one in the place of what was %s", async (_, add, options) => {
    await using scene = await makeScene();
    const { git, write, companion, repo } = scene;
    write("a", "two\n");
    write("env", "stashed\n");
    if (add.length > 0) git(...add);
    git("stash", "--quiet", ...options);
    const commit = git("rev-parse", "stash");
    writeFileSync(join(repo, ".git/info/exclude"), "env\n");
    write("env", "a person's\n");
    const before = await scene.state();
    expect(await companion.refusal("pop_stash_if", { commit })).toContain("env is in the way");
    expect([scene.bytes("env"), scene.bytes("a"), await scene.state()]).toEqual(["a person's\n", "one\n", before]);
    rmSync(join(repo, "env"));
    await companion.call("pop_stash_if", { commit });
    expect([scene.bytes("env"), scene.bytes("a"), git("stash", "list")]).toEqual(["stashed\n", "two\n", ""]);
  });
});

test("an index that is no regular file is refused at once, and nothing is left behind", async () => {
  await using scene = await makeScene();
  const index = join(scene.repo, ".git/index");
  rmSync(index);
  Bun.spawnSync(["mkfifo", index]);
  expect(await scene.companion.refusal("state", {})).toContain("is no regular file");
});

test("a sparse checkout stays one", async () => {
  await using scene = await makeScene();
  const { git, write, companion, repo } = scene;
  const to = git("rev-parse", "HEAD");
  for (const folder of ["in", "out"]) mkdirSync(join(repo, folder));
  for (const name of ["in/x", "out/x"]) write(name, "1\n");
  git("add", ".");
  git("commit", "--quiet", "--message", "second");
  git("sparse-checkout", "set", "--cone", "--sparse-index", "in");
  expect([existsSync(join(repo, "out/x")), await scene.state()]).toEqual([false, expect.objectContaining({ dirty: false, staged: false })]);
  write("a", "two\n");
  git("commit", "--quiet", "--all", "--message", "third");
  expect(await scene.state()).toMatchObject({ dirty: false, staged: false });
  await companion.call("restore_head_if", { to: git("rev-parse", "HEAD~1"), if_head: git("rev-parse", "HEAD"), keep: true });
  expect([git("status", "--porcelain"), scene.bytes("a"), existsSync(join(repo, "out/x"))]).toEqual(["", "one\n", false]);
  await companion.call("restore_head_if", { to, if_head: git("rev-parse", "HEAD"), keep: true });
  expect([git("status", "--porcelain"), existsSync(join(repo, "in/x"))]).toEqual(["", false]);
});

test("an index in two parts is read, and comes back whole", async () => {
  await using scene = await makeScene();
  const { git, write, companion } = scene;
  const to = git("rev-parse", "HEAD");
  git("update-index", "--split-index");
  write("a", "two\n");
  git("commit", "--quiet", "--all", "--message", "second");
  expect(await scene.state()).toMatchObject({ dirty: false, staged: false });
  await companion.call("restore_head_if", { to, if_head: git("rev-parse", "HEAD"), keep: true });
  expect([git("status", "--porcelain"), scene.bytes("a")]).toEqual(["", "one\n"]);
});

// Does a drill prove the shipped policies on the real servers? Each tool that is put back is tried with samples.
import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newManifest } from "../../src/manifest/new-manifest.ts";
import { companionsFor, rulesTextFor, shippedPolicies } from "../../src/manifest/shipped.ts";
import { testUnless } from "../support/needing.ts";
import { BUN, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";
import { plant } from "../support/tree.ts";
import { fillRepository, git } from "./git-world.ts";
import { installed } from "./installed.ts";

setDefaultTimeout(240_000);

interface Sample {
  readonly args: object;
  readonly before?: readonly { readonly tool: string; readonly args?: object }[];
}

interface Subject {
  /** The shipped policy, whose name the server has too. */
  readonly policy: string;
  command(root: string): readonly [string, ...string[]];
  env?(root: string): Readonly<Record<string, string>>;
  plant(root: string): void;
  readonly lacks?: string | undefined;
  /** Beside those that stand in the policy. */
  samples?(root: string): Readonly<Record<string, readonly Sample[]>>;
  /** What no call leads to, as `tool, when`: the server refuses where the rule has a way back all the same. */
  readonly unreached?: readonly string[];
  /** Tools whose effect no read shows. */
  readonly unseen?: readonly string[];
}

function makePlace(subject: Subject): Sandbox {
  const sandbox = makeSandbox();
  const root = join(sandbox.folder, "world");
  mkdirSync(root);
  subject.plant(root);
  const policy = shippedPolicies().find(({ name }) => name === subject.policy);
  if (policy === undefined) throw new Error(`no shipped policy ${subject.policy}`);
  const [command, ...args] = subject.command(root);
  const server = { name: policy.name, command, args, env: subject.env?.(root) ?? {} };
  const samples = subject.samples?.(root) ?? {};
  const rulesYaml = rulesTextFor(policy, policy.name).map((rule) =>
    rule.replace(/match: "[^."]+\.(\w+)"/, (match, tool: string) =>
      samples[tool] === undefined ? match : `${match}\n  drill: ${JSON.stringify(samples[tool])}`,
    ),
  );
  const manifest = newManifest({ server, companions: companionsFor(policy, policy.name, [root]), rulesYaml });
  sandbox.write("synartesis.yaml", manifest.replace(/^ {4}command:/m, "    scratch: true\n    command:"));
  return sandbox;
}

function drillOf(subject: Subject): void {
  testUnless(subject.lacks, `P3: the policy ${subject.policy} is proven by a drill`, async () => {
    using place = makePlace(subject);
    const { rules } = await place.json<{ rules: { tool: string; when: string | null; outcome: string; cause: string | null }[] }>("drill");
    expect(rules.length).toBeGreaterThan(0);
    const [unreached, others] = [true, false].map((is) =>
      rules.filter(({ cause, outcome }) => outcome !== "refused" && (cause === "no-sample") === is),
    );
    const unproven = others?.filter(({ outcome }) => outcome !== "proven") ?? [];
    expect(unproven.filter(({ tool, cause }) => !(cause === "nothing-shows" && subject.unseen?.includes(tool)))).toEqual([]);
    expect(unreached?.map(({ tool, when }) => `${tool}, ${when}`)).toEqual([...(subject.unreached ?? [])]);
  });
}

drillOf({
  policy: "memory",
  command: () => ["node", join(ROOT, "node_modules/@modelcontextprotocol/server-memory/dist/index.js")],
  env: (root) => ({ MEMORY_FILE_PATH: join(root, "graph.jsonl") }),
  plant: () => undefined,
});

drillOf({
  policy: "filesystem",
  command: (root) => ["node", join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"), root],
  plant: (root) => plant(root, { "a.txt": "one\r\ntwo", "bytes.bin": new Uint8Array([0, 0xff, 0xc3, 0x28]), "sub/b.txt": "" }),
});

const SQLITE = installed(
  "mcp-sqlite",
  "node-servers/node_modules/mcp-sqlite/mcp-sqlite-server.js",
  "node-servers/node_modules/sqlite3/build/Release/node_sqlite3.node",
);
drillOf({
  policy: "mcp-sqlite",
  lacks: SQLITE.lacks,
  command: (root) => ["node", SQLITE.path, join(root, "shop.db")],
  plant(root) {
    using database = new Database(join(root, "shop.db"), { create: true });
    database.run("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, price REAL); INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', NULL)");
  },
});

const OBSIDIAN = installed("obsidian-mcp", "node-servers/node_modules/obsidian-mcp/dist/main.js");
drillOf({
  policy: "obsidian",
  lacks: OBSIDIAN.lacks,
  command: (root) => [BUN, OBSIDIAN.path, "serve", "--vault", `notes=${root}`],
  plant(root) {
    mkdirSync(join(root, ".obsidian"));
    plant(root, { "a.md": "# A\n\nSee [[b]].\n", "b.md": "first\r\nno newline", "c.md": "---\ntags: [old]\n---\n" });
  },
  samples() {
    const vault = "notes";
    return {
      obsidian_create_note: [{ args: { vault, path: "new.md", content: "agent's\n" } }],
      obsidian_edit_note: [{ args: { vault, path: "b.md", operation: "replace", content: "x" } }],
      obsidian_delete_note: [{ args: { vault, path: "a.md" } }],
      obsidian_move_note: [{ args: { vault, source: "b.md", destination: "sub/moved.md" } }],
      obsidian_add_tags: [{ args: { vault, paths: ["b.md"], tags: ["new"] } }],
      obsidian_remove_tags: [{ args: { vault, paths: ["c.md"], tags: ["old"] } }],
      obsidian_manage_tags: [{ args: { vault, operation: "add", paths: ["a.md"], tags: ["x"], location: "both" } }],
    };
  },
});

const TASKS = installed("mcp-taskmanager", "node-servers/node_modules/@kazuph/mcp-taskmanager/dist/index.js");
drillOf({
  policy: "mcp-taskmanager",
  lacks: TASKS.lacks,
  command: () => ["node", TASKS.path],
  env: (root) => ({ TASK_MANAGER_FILE_PATH: join(root, "tasks.json") }),
  plant(root) {
    const task = (id: number, done: boolean, approved: boolean) => ({
      id: `task-${id}`,
      title: "t",
      description: "d",
      done,
      approved,
      completedDetails: "",
    });
    const requests = [
      {
        requestId: "req-1",
        originalRequest: "w",
        splitDetails: "w",
        completed: false,
        tasks: [task(1, false, false), task(2, true, false)],
      },
      { requestId: "req-2", originalRequest: "w", splitDetails: "w", completed: false, tasks: [task(3, true, true)] },
    ];
    writeFileSync(join(root, "tasks.json"), JSON.stringify({ requests }, null, 2));
  },
  samples() {
    const requestId = "req-1";
    return {
      request_planning: [{ args: { originalRequest: "new", tasks: [{ title: "t", description: "d" }] } }],
      add_tasks_to_request: [{ args: { requestId, tasks: [{ title: "a", description: "b" }] } }],
      update_task: [{ args: { requestId, taskId: "task-1", title: "changed", description: "too" } }],
      delete_task: [{ args: { requestId, taskId: "task-1" } }],
      mark_task_done: [{ args: { requestId, taskId: "task-1", completedDetails: "agent's" } }],
      approve_task_completion: [{ args: { requestId, taskId: "task-2" } }],
      approve_request_completion: [{ args: { requestId: "req-2" } }],
    };
  },
});

const PYTHON = installed("mcp-server-git", "python-servers/bin/python");
drillOf({
  policy: "mcp-server-git",
  lacks: PYTHON.lacks,
  command: (root) => [PYTHON.path, "-m", "mcp_server_git", "--repository", root],
  plant: fillRepository,
  samples: (root) => ({
    git_add: [{ args: { repo_path: root, files: ["new.txt"] } }],
    git_reset: [{ args: { repo_path: root } }],
    git_commit: [{ args: { repo_path: root, message: "drilled" } }],
    git_checkout: [{ args: { repo_path: root, branch_name: "side" } }],
    git_create_branch: [{ args: { repo_path: root, branch_name: "drilled" } }],
  }),
});

const GIT_SERVER = installed("@cyanheads/git-mcp-server", "node-servers/node_modules/@cyanheads/git-mcp-server/dist/index.js");
drillOf({
  policy: "git-mcp-server",
  lacks: GIT_SERVER.lacks,
  command: () => ["node", GIT_SERVER.path],
  env: (root) => ({ MCP_TRANSPORT_TYPE: "stdio", GIT_BASE_DIR: root, GIT_SIGN_COMMITS: "false" }),
  plant(root) {
    fillRepository(root);
    git(root, "tag", "-a", "-m", "annotated", "v1");
    git(root, "stash", "push", "-q");
    git(root, "clone", "-q", "--bare", ".", "../remote.git");
    git(root, "remote", "add", "origin", join(root, "../remote.git"));
    git(root, "fetch", "-q", "origin");
    git(root, "remote", "add", "unread", join(root, "../remote.git"));
  },
  unseen: ["git_set_working_dir"],
  unreached: ["git_remote, null"],
  samples(root) {
    const sample = (args: object) => ({ args: { path: root, ...args } });
    return {
      git_add: [sample({ paths: ["new.txt"] })],
      git_commit: [sample({ message: "drilled", filesToStage: ["new.txt"] })],
      git_reset: [sample({ target: "HEAD~1" })],
      git_merge: [sample({ branch: "side" })],
      git_pull: [sample({ remote: "origin", branch: "side", rebase: true })],
      git_cherry_pick: [sample({ commits: ["side"] })],
      git_rebase: [sample({ upstream: "side" })],
      git_checkout: [sample({ target: "side" }), sample({ target: "drilled", createBranch: true })],
      git_branch: [
        sample({ mode: "create", branchName: "drilled" }),
        sample({ mode: "create", branchName: "side", startPoint: "main", force: true }),
        sample({ mode: "delete", branchName: "side", force: true }),
        sample({ mode: "rename", branchName: "side", newBranchName: "drilled" }),
      ],
      git_tag: [
        sample({ mode: "create", tagName: "drilled" }),
        sample({ mode: "create", tagName: "v1", commit: "side", force: true }),
        sample({ mode: "delete", tagName: "v1" }),
      ],
      git_stash: [sample({ mode: "push", includeUntracked: true }), sample({ mode: "drop", stashRef: "stash@{0}" })],
      git_set_working_dir: [sample({})],
      git_remote: [
        sample({ mode: "add", name: "drilled", url: "https://example.test/drilled.git" }),
        sample({ mode: "remove", name: "unread" }),
        sample({ mode: "set-url", name: "unread", url: "https://example.test/drilled.git" }),
        sample({ mode: "rename", name: "unread", newName: "drilled" }),
      ],
    };
  },
});

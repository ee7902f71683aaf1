// Does the shipped policy for GitHub's own server keep its word on that server? It talks to a stand-in for GitHub; all that a person would see there is
// what it was after undo. The server has two sets of tools for issues and pull requests: both are tried.
import { afterAll, expect } from "bun:test";
import { Agent } from "../support/agent.ts";
import { stepsOf, undo } from "../support/documents.ts";
import { plantedWorld } from "./github/planted.ts";
import { type StandIn, startStandIn } from "./github/stand-in.ts";
import { commitFiles, keepBlob, seenIn, treeAt, type World } from "./github/world.ts";
import { installed } from "./installed.ts";
import { type Call, type Place, perform, prover } from "./proof.ts";

const SERVER = installed("github-mcp-server", "github/github-mcp-server");
const standIns = new Map<string, StandIn>();
const standIn = (root: string) => standIns.get(root) as StandIn; // planted
const worldOf = ({ root }: Place): World => standIn(root).world;

afterAll(() => {
  const unknown = [...standIns.values()].flatMap((each) => each.unknown);
  for (const each of standIns.values()) each.stop();
  expect(unknown).toEqual([]);
});

const proven = new Set<string>();
const withTools = (...features: string[]) =>
  prover(
    {
      policy: "github",
      lacks: SERVER.lacks,
      command: () => [SERVER.path, "stdio", "--toolsets=all", `--features=${["issue_dependencies", ...features].join()}`],
      env: (root) => standIn(root).env,
      plant: (root) => void standIns.set(root, startStandIn(plantedWorld())),
      state: (root) => seenIn(standIn(root).world),
    },
    proven,
  );
const all = withTools();
const { test, make, prove, proveKept, declareProofs } = all;
const single = withTools("issues_granular", "pull_requests_granular");

const HERE = { owner: "octo", repo: "notes" };
const issue = (issue_number: number, more: object = {}) => ({ ...HERE, issue_number, ...more });
const pull = (pullNumber: number, more: object = {}) => ({ ...HERE, pullNumber, ...more });
const file = (path: string, more: object = {}) => ({ ...HERE, branch: "main", message: "the agent's", path, ...more });
const shaOf = (path: string) => {
  const world = plantedWorld();
  return treeAt(world, world.refs.get("refs/heads/main"))[path]?.sha;
};

/** Changes a file past the server. */
function edit(place: Place, path: string, text: string): void {
  const world = worldOf(place);
  const files = treeAt(world, world.refs.get("refs/heads/main"));
  commitFiles(world, "refs/heads/main", { ...files, [path]: { mode: "100644", sha: keepBlob(world, Buffer.from(text)) } }, "a person's");
}

test("P3: a file that is overwritten, made or deleted is byte for byte as it was, line ends and names beyond ASCII too", () =>
  prove([
    ["create_or_update_file", file("docs/crlf.txt", { content: "x\n", sha: shaOf("docs/crlf.txt") })],
    ["create_or_update_file", file("new/crlf.txt", { content: "new\n" })],
    ["create_or_update_file", file("crlf.txt", { content: "named like another\n" })],
    ["delete_file", file("docs/é name.txt")],
    ["create_or_update_file", file("README.md", { content: "# Other\n", sha: shaOf("README.md") })],
  ]));

test("P3: an issue's fields are as they were: of one that has them all, of a bare one, of a closed one", () =>
  prove([
    ["issue_write", issue(1, { method: "update", title: "T", body: "B", labels: ["bug"], assignees: [] })],
    ["issue_write", issue(2, { method: "update", title: "T", labels: ["bug"], assignees: ["ada"] })],
    ["issue_write", issue(1, { method: "update", state: "closed", state_reason: "not_planned" })],
    ["issue_write", issue(3, { method: "update", state: "open" })],
    ["issue_write", issue(3, { method: "update", title: "Later", body: "soon" })],
  ]));

test("P3: new labels are deleted, changed ones put back", () =>
  prove([
    ["label_write", { ...HERE, method: "create", name: "fresh", color: "00ff00", description: "new" }],
    ["label_write", { ...HERE, method: "update", name: "bug", color: "000000", description: "other" }],
  ]));

test("P3: sub-issues and dependencies go back to where they were", () =>
  prove([
    ["sub_issue_write", issue(4, { method: "reprioritize", sub_issue_id: 9007, before_id: 9005 })],
    ["sub_issue_write", issue(4, { method: "add", sub_issue_id: 9002 })],
    ["issue_dependency_write", issue(1, { method: "add", type: "blocked_by", related_issue_number: 2 })],
    ["issue_dependency_write", issue(1, { method: "add", type: "blocking", related_issue_number: 3 })],
  ]));

test("P3: a sub-issue that was taken out is one again, and a dependency that was removed stands again", async () => {
  await prove([["sub_issue_write", issue(4, { method: "remove", sub_issue_id: 9007 })]]);
  using place = await make();
  worldOf(place).issues[0]?.blockedBy.push(9002);
  const before = await place.state();
  await perform(place, [["issue_dependency_write", issue(1, { method: "remove", type: "blocked_by", related_issue_number: 2 })]]);
  expect((await undo(place, "--yes")).state).toBe("undone");
  expect(await place.state()).toEqual(before);
});

test("P3: a pull request's title, text, state and draft are as they were", () =>
  prove([
    ["update_pull_request", pull(8, { title: "T", body: "" })],
    ["update_pull_request", pull(8, { draft: true })],
    ["pull_request_review_write", pull(8, { method: "resolve_thread", threadId: "PRRT_open" })],
    ["pull_request_review_write", pull(8, { method: "unresolve_thread", threadId: "PRRT_done" })],
    ["update_pull_request", pull(8, { state: "closed" })],
  ]));

test("P3: gists, stars and comments of a discussion go back", () =>
  prove([
    ["update_gist", { gist_id: "abc123", filename: "b.txt", content: "TWO\n" }],
    ["update_gist", { gist_id: "abc123", filename: "a.txt", content: "ONE\n", description: "other" }],
    ["star_repository", HERE],
    ["unstar_repository", { owner: "octo", repo: "else" }],
    ["discussion_comment_write", { ...HERE, method: "add", discussionNumber: 1, body: "the agent's" }],
  ]));

/** Makes what no tool deletes, undoes that, and finds it closed, and nothing else changed. */
async function proveClosed({ make, undoAll }: typeof single, ...calls: Call[]): Promise<void> {
  using place = await make();
  const seen = () => seenIn(worldOf(place)) as { issues: object[]; pulls: object[] };
  const { issues, pulls, ...before } = seen();
  await perform(place, calls);
  await undoAll(place);
  const { issues: issuesAfter, pulls: pullsAfter, ...after } = seen();
  expect(after).toEqual(before);
  expect([issuesAfter.slice(0, issues.length), pullsAfter.slice(0, pulls.length)]).toEqual([issues, pulls]);
  const made = [...issuesAfter.slice(issues.length), ...pullsAfter.slice(pulls.length)];
  expect(made).toEqual(calls.map(() => expect.objectContaining({ title: "New", state: "closed" })));
}

test("P3: what can't be deleted is closed: a new issue, a new pull request", () =>
  proveClosed(
    all,
    ["issue_write", { ...HERE, method: "create", title: "New", body: "Text.", labels: ["bug"] }],
    ["create_pull_request", { ...HERE, title: "New", head: "other", base: "main" }],
  ));

single.test("P3: with a tool for each field: a new issue is closed", () =>
  proveClosed(single, ["create_issue", { ...HERE, title: "New" }]),
);

single.test("P3: with a tool for each field: an issue is as it was", () =>
  single.prove([
    ["update_issue_title", issue(1, { title: "T" })],
    ["update_issue_body", issue(1, { body: "B" })],
    ["update_issue_assignees", issue(1, { assignees: ["linus"] })],
    ["update_issue_assignees", issue(2, { assignees: ["linus"] })],
    ["update_issue_labels", issue(1, { labels: [] })],
    ["update_issue_labels", issue(2, { labels: ["plain"] })],
    ["update_issue_type", issue(1, { issue_type: null })],
    ["update_issue_type", issue(2, { issue_type: "Task" })],
    ["update_issue_state", issue(1, { state: "closed", state_reason: "completed" })],
    ["update_issue_state", issue(3, { state: "open" })],
    ["set_issue_fields", issue(1, { fields: [{ field_id: "IF_2", text_value: "edge" }] })],
  ]),
);

single.test("P3: with a tool for each field: sub-issues, threads and a pull request are as they were", () =>
  single.prove([
    ["reprioritize_sub_issue", issue(4, { sub_issue_id: 9005, after_id: 9007 })],
    ["add_sub_issue", issue(4, { sub_issue_id: 9002 })],
    ["resolve_review_thread", { threadID: "PRRT_open" }],
    ["unresolve_review_thread", { threadID: "PRRT_done" }],
    ["update_pull_request_title", pull(8, { title: "T" })],
    ["update_pull_request_body", pull(8, { body: "B" })],
    ["update_pull_request_draft_state", pull(8, { draft: true })],
    ["update_pull_request_state", pull(8, { state: "closed" })],
  ]),
);

single.test("P3: with a tool for each field: a sub-issue that was taken out is one again", () =>
  single.prove([["remove_sub_issue", issue(4, { sub_issue_id: 9007 })]]),
);

test("P3: what a person changed beside is kept: another field, another file, another label", () =>
  proveKept(
    [
      ["issue_write", issue(1, { method: "update", title: "the agent's", labels: ["bug"] })],
      ["create_or_update_file", file("README.md", { content: "the agent's\n", sha: shaOf("README.md") })],
    ],
    (place) => {
      const [first] = worldOf(place).issues;
      if (first) first.assignees = ["person"];
      edit(place, "words.txt", "a person's\n");
    },
  ));

test("P3: a file that a person changed since is a conflict, and keeps what the person wrote", async () => {
  using place = await make();
  await perform(place, [
    ["create_or_update_file", file("README.md", { content: "the agent's\n", sha: shaOf("README.md") })],
    ["create_or_update_file", file("made.txt", { content: "the agent's\n" })],
  ]);
  edit(place, "README.md", "a person's\n");
  edit(place, "made.txt", "a person's\n");
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes", "--keep-going"))).toEqual([
    [2, "conflict", "not-sent"],
    [1, "conflict", "not-sent"],
  ]);
  expect(await place.state()).toEqual(before);
});

test("P5: what has no way back changes nothing without a person", async () => {
  using place = await make();
  const before = await place.state();
  await using agent = await Agent.start(place);
  for (const [tool, args] of [
    ["create_branch", { ...HERE, branch: "new" }],
    ["push_files", { ...HERE, branch: "main", message: "m", files: [{ path: "README.md", content: "x" }] }],
    ["create_repository", { name: "new" }],
    ["issue_write", issue(1, { method: "update", milestone: 3 })],
    ["label_write", { ...HERE, method: "delete", name: "bug" }],
    ["label_write", { ...HERE, method: "update", name: "bug", new_name: "worse" }],
    ["update_pull_request", pull(8, { reviewers: ["grace"] })],
    ["create_or_update_file", file("logo.png", { content: "x", sha: shaOf("logo.png") })],
    ["create_or_update_file", file("docs/empty.txt", { content: "x", sha: shaOf("docs/empty.txt") })],
    ["delete_file", file("docs/empty.txt")],
    ["update_gist", { gist_id: "abc123", filename: "c.txt", content: "x" }],
  ] as const) {
    expect(await agent.call(tool, args)).toMatchObject({ isError: true });
    expect(await place.state()).toEqual(before);
  }
});

declareProofs();

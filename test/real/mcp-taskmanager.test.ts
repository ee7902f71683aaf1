// Does the shipped policy for @kazuph/mcp-taskmanager keep its word on the real server? Its file is what it was after undo, byte for byte.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, textOf } from "../support/agent.ts";
import { actions, stepsOf, undo } from "../support/documents.ts";
import { plant, treeOf } from "../support/tree.ts";
import { installed } from "./installed.ts";
import { type Call, perform, prover } from "./proof.ts";

const SERVER = installed("mcp-taskmanager", "node-servers/node_modules/@kazuph/mcp-taskmanager/dist/index.js");
const fileIn = (root: string) => join(root, "tasks.json");

interface Task {
  readonly id: string;
  title: string;
}
interface Request {
  readonly requestId: string;
  readonly tasks: Task[];
}

const task = (number: number, done: boolean, approved: boolean) => ({
  id: `task-${number}`,
  title: `title ${number} é "quoted"`,
  description: `description ${number}`,
  done,
  approved,
  completedDetails: done ? "details" : "",
});
const request = (number: number, ...tasks: readonly Task[]) => ({
  requestId: `req-${number}`,
  originalRequest: `wish ${number}`,
  splitDetails: `wish ${number}`,
  tasks,
  completed: false,
});

/** Changes the file past the server, which reads it before each call. */
function edit(root: string, change: (requests: Request[]) => void): void {
  const data = JSON.parse(readFileSync(fileIn(root), "utf8")) as { requests: Request[] };
  change(data.requests);
  writeFileSync(fileIn(root), JSON.stringify(data, null, 2));
}

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "mcp-taskmanager",
  lacks: SERVER.lacks,
  command: () => ["node", SERVER.path],
  env: (root) => ({ TASK_MANAGER_FILE_PATH: fileIn(root) }),
  plant: (root) => {
    const requests = [
      request(1, task(1, false, false), task(2, true, false), task(3, false, false)),
      request(2, task(4, true, true), task(5, true, false)),
    ];
    plant(root, { "tasks.json": JSON.stringify({ requests }, null, 2), "other.txt": "a person's\n" });
  },
  state: treeOf,
});

const requestId = "req-1";
const PLANNED: Call = ["request_planning", { originalRequest: "new", tasks: [{ title: "t", description: "d" }] }];

test("P3: a request that was planned is gone again, with its tasks", () => prove([PLANNED, PLANNED]));

test("P3: tasks that were added are gone again, one that was changed is as it was, and one that was deleted is back where it stood, with its number", () =>
  prove([
    ["add_tasks_to_request", { requestId, tasks: [{ title: "a", description: "b" }] }],
    ["update_task", { requestId, taskId: "task-1", title: "changed" }],
    ["update_task", { requestId, taskId: "task-1", description: "changed too" }],
    ["delete_task", { requestId, taskId: "task-1" }],
    ["add_tasks_to_request", { requestId, tasks: [] }],
  ]));

test("P3: what was marked as done and approved isn't any more", () =>
  prove([
    ["mark_task_done", { requestId, taskId: "task-1", completedDetails: "agent's" }],
    ["approve_task_completion", { requestId, taskId: "task-1" }],
    ["approve_task_completion", { requestId: "req-2", taskId: "task-5" }],
    ["approve_request_completion", { requestId: "req-2" }],
  ]));

test("P3: what a person changed in another task is kept", () =>
  proveKept(
    [
      ["update_task", { requestId, taskId: "task-1", title: "agent's" }],
      ["add_tasks_to_request", { requestId, tasks: [{ title: "agent's", description: "b" }] }],
    ],
    ({ root }) =>
      edit(root, (requests) => {
        for (const each of requests.flatMap(({ tasks }) => tasks)) if (each.id === "task-4") each.title = "a person's";
      }),
  ));

test("P3: a task that a person has changed since keeps the person's words", async () => {
  using place = await make();
  await perform(place, [["update_task", { requestId, taskId: "task-1", title: "agent's" }]]);
  edit(place.root, ([first]) => {
    if (first?.tasks[0] !== undefined) first.tasks[0].title = "a person's";
  });
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await place.state()).toEqual(before);
});

test("P5: where the file isn't the one that the policy names, nothing is changed without a person", async () => {
  using place = await make();
  const manifest = join(place.folder, "synartesis.yaml");
  writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll("path: tasks.json", "path: others.json"));
  const before = await place.state();
  await using agent = await Agent.start(place);
  expect(textOf(await agent.call(...PLANNED))).toContain("Synartesis");
  expect(await place.state()).toEqual(before);
});

test("what the server refuses with a word of success counts as failed", async () => {
  using place = await make();
  await perform(place, [["update_task", { requestId, taskId: "task-99", title: "x" }]]);
  expect(await actions(place)).toMatchObject([{ status: "failed" }]);
});

declareProofs();

// What is there before the agent comes? Issues with and without everything, files of all kinds, a pull request, a discussion, a gist, stars.
import { commitFiles, keepBlob, newIssue, newPull, type World } from "./world.ts";

/** Makes a world of its own for a test. */
export function plantedWorld(): World {
  const world: World = {
    owner: "octo",
    repo: "notes",
    user: "agent",
    others: ["octo/else"],
    clock: 1_780_000_000,
    next: 1,
    labels: [
      { id: "L_bug", name: "bug", color: "d73a4a", description: "Something isn't working" },
      { id: "L_plain", name: "plain", color: "ffffff", description: null },
    ],
    milestones: [{ number: 3, title: "Spring" }],
    types: ["Bug", "Task"],
    fields: [
      { id: "IF_1", databaseId: "501", name: "Effort", type: "NUMBER" },
      { id: "IF_2", databaseId: "502", name: "Area", type: "TEXT" },
    ],
    issues: [],
    pulls: [],
    threads: [
      { id: "PRRT_open", resolved: false },
      { id: "PRRT_done", resolved: true },
    ],
    discussion: [
      { id: "DC_a", body: "first", isAnswer: false, replyTo: null },
      { id: "DC_b", body: "second", isAnswer: true, replyTo: null },
    ],
    gists: [{ id: "abc123", description: "notes", files: { "a.txt": "one\n", "b.txt": "two\n" } }],
    stars: ["octo/else"],
    blobs: new Map(),
    trees: new Map(),
    commits: new Map(),
    refs: new Map(),
  };
  const full = { body: "It breaks.\n\nAlways é 日本.", labels: ["bug", "plain"], assignees: ["ada", "grace"], type: "Bug" };
  newIssue(world, { title: "Crash at start", ...full, fields: { Effort: 3, Area: "core" } });
  newIssue(world, { title: "Bare" });
  newIssue(world, { title: "Not now", body: "later", state: "closed", state_reason: "not_planned", milestone: 3 });
  const parent = newIssue(world, { title: "Parent", body: "of three" });
  for (const title of ["Child 1", "Child 2", "Child 3"]) parent.children.push(newIssue(world, { title, body: title }).id);
  newPull(world, { title: "Add words", body: "Some words.", head: "work", base: "main", reviewers: ["ada"] });
  const file = (text: string | Uint8Array, mode = "100644") => ({
    mode,
    sha: keepBlob(world, typeof text === "string" ? Buffer.from(text) : text),
  });
  const files = {
    "README.md": file("# Notes\n"),
    "docs/crlf.txt": file("a\r\nb\r\nno end"),
    "docs/empty.txt": file(""),
    "docs/é name.txt": file("日本\n"),
    "logo.png": file(new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 255])),
    "run.sh": file("#!/bin/sh\n", "100755"),
  };
  commitFiles(world, "refs/heads/main", files, "first");
  commitFiles(world, "refs/heads/work", { ...files, "words.txt": file("words\n") }, "words");
  commitFiles(world, "refs/heads/other", files, "other");
  return world;
}

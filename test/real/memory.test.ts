// Does the shipped memory policy keep its word on the real server? Its graph, read from its file, is what it was after undo; order means nothing in it.
import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stepsOf, undo } from "../support/documents.ts";
import { ROOT } from "../support/sandbox.ts";
import { perform, prover } from "./proof.ts";

const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
const fileIn = (root: string) => join(root, "graph.jsonl");

const entity = (name: string, ...observations: string[]) => ({ name, entityType: "person", observations });
const relation = (from: string, to: string, relationType = "knows") => ({ from, to, relationType });

interface Line {
  readonly type: "entity" | "relation";
  readonly observations?: readonly string[];
}

const read = (root: string) =>
  readFileSync(fileIn(root), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
const write = (root: string, lines: readonly object[]) => writeFileSync(fileIn(root), lines.map((line) => JSON.stringify(line)).join("\n"));
const lineOf = (entry: object) => ({ type: "from" in entry ? "relation" : "entity", ...entry });

const { test, make, prove, proveKept, declareProofs } = prover({
  policy: "memory",
  command: () => ["node", SERVER],
  env: (root) => ({ MEMORY_FILE_PATH: fileIn(root) }),
  plant: (root) =>
    write(
      root,
      [
        ...[entity("Ada", "likes tea", "born in 1815"), entity("Bob", "é 日本", "two\nlines"), entity("Cy")],
        // The server keeps relations to what is no entity, and doubles.
        ...[
          relation("Ada", "Bob"),
          relation("Bob", "Ada"),
          relation("Ada", "Ghost"),
          relation("Cy", "Ada", "works for"),
          relation("Cy", "Bob"),
        ],
      ].map(lineOf),
    ),
  state: (root) =>
    read(root)
      .map((line) => JSON.stringify({ ...line, ...(line.observations && { observations: line.observations.toSorted() }) }))
      .sort(),
});

test("P3: entities, observations and relations that were created are taken away again, and what was there before stays", () =>
  prove([
    ["create_entities", { entities: [entity("Ada", "DIFFERENT"), entity("Dan", "new"), entity("Eve")] }],
    [
      "add_observations",
      {
        observations: [
          { entityName: "Ada", contents: ["likes tea", "likes cake"] },
          { entityName: "Dan", contents: ["x"] },
        ],
      },
    ],
    [
      "create_relations",
      { relations: [relation("Ada", "Bob"), relation("Dan", "Eve"), relation("Dan", "Nobody"), relation("Ada", "Dan")] },
    ],
  ]));

test("P3: observations that were deleted come back, and those that never were don't", () =>
  prove([
    [
      "delete_observations",
      {
        deletions: [
          { entityName: "Ada", observations: ["likes tea", "never said"] },
          { entityName: "Bob", observations: ["two\nlines"] },
          { entityName: "Nobody", observations: ["x"] },
        ],
      },
    ],
  ]));

test("P3: relations that were deleted come back, and those that never were don't", () =>
  prove([
    [
      "delete_relations",
      { relations: [relation("Ada", "Bob"), relation("Ada", "Ghost"), relation("Ada", "Bob", "hates"), relation("No", "One")] },
    ],
  ]));

test("P3: entities that were deleted come back with their observations and their relations in both directions", () =>
  prove([
    ["delete_entities", { entityNames: ["Ada", "Nobody"] }],
    ["delete_entities", { entityNames: ["Ghost", "Cy", "Bob"] }],
  ]));

test("P3: what a person added in between is kept while everything around it is put back", () =>
  proveKept(
    [
      ["add_observations", { observations: [{ entityName: "Bob", contents: ["by the agent"] }] }],
      ["delete_observations", { deletions: [{ entityName: "Ada", observations: ["likes tea"] }] }],
      ["delete_relations", { relations: [relation("Cy", "Bob")] }],
      ["delete_entities", { entityNames: ["Cy"] }],
    ],
    ({ root }) => {
      const lines = read(root).map((line) =>
        "name" in line && line.name === "Bob" ? { ...line, observations: [...(line.observations ?? []), "by a person"] } : line,
      );
      write(root, [...lines, lineOf(entity("Fay", "by a person")), lineOf(relation("Fay", "Ada"))]);
    },
  ));

test("P3: an entity to which a person has added since is not deleted with what they added", async () => {
  using place = await make();
  await perform(place, [["create_entities", { entities: [entity("Dan")] }]]);
  write(place.root, [...read(place.root), lineOf(relation("Bob", "Dan"))]);
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await place.state()).toEqual(before);
});

test("P3: an entity that a person has made again since is left as it is", async () => {
  using place = await make();
  await perform(place, [["delete_entities", { entityNames: ["Cy"] }]]);
  write(place.root, [...read(place.root), lineOf(entity("Cy", "a person's"))]);
  const before = await place.state();
  expect(stepsOf(await undo(place, "--yes"))).toEqual([[1, "conflict", "not-sent"]]);
  expect(await place.state()).toEqual(before);
});

declareProofs();

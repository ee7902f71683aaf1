// The shipped policies, tried on the real servers.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPaths } from "../../src/core/path-check.ts";
import { checkPolicy } from "../../src/core/policy-check.ts";
import { errorTextOf, isErrorResult, valueOfResult } from "../../src/core/result-value.ts";
import { loadManifestText } from "../../src/manifest/load.ts";
import { newManifest } from "../../src/manifest/new-manifest.ts";
import { companionsFor, rulesTextFor, shippedPolicies } from "../../src/manifest/shipped.ts";
import { CRM_COMMAND } from "../demo/crm-process.ts";
import { RealServer, shippedPolicy } from "./real-server.ts";

const MODULES = join(import.meta.dir, "../../node_modules/@modelcontextprotocol");
const crm = new RealServer("crm");
const files = new RealServer("filesystem");
const memory = new RealServer("memory");
let folder = "";
let graphFile = "";

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "synartesis-test-")));
  graphFile = join(folder, "graph.jsonl");
  await mkdir(join(folder, "files"));
  await crm.start(CRM_COMMAND, folder);
  await files.start([process.execPath, join(MODULES, "server-filesystem/dist/index.js"), join(folder, "files")], folder);
  await memory.start([process.execPath, join(MODULES, "server-memory/dist/index.js")], folder, { MEMORY_FILE_PATH: graphFile });
});
afterAll(async () => {
  for (const server of [crm, files, memory]) await server.stop();
  await rm(folder, { recursive: true });
});

test("P5: every tool that the real servers list is mentioned, and every tool that a policy names is there", async () => {
  for (const server of [crm, files, memory]) {
    const tools = await server.tools();
    expect(checkPolicy(server.policy, new Map([[server.name, tools.map(({ name }) => name)]]))).toEqual([]);
    expect(checkPaths(server.policy, new Map([[server.name, tools]]))).toEqual([]);
  }
});

test("a policy's rules are the same under another server's name", () => {
  for (const policy of shippedPolicies()) {
    const original = shippedPolicy(policy.name);
    const text = newManifest({
      server: { name: "other-name", command: "x", args: [] },
      companions: companionsFor(policy, "other-name", ["."]),
      rulesYaml: rulesTextFor(policy, "other-name"),
    });
    const loading = loadManifestText(text, { directory: "/", env: {} });
    if (loading.kind === "invalid") throw new Error(loading.problems[0]?.message);
    expect(loading.policy.rules.map((rule) => rule.match)).toEqual(
      original.rules.map((rule) => rule.match.replace(/^[^.]+/, "other-name")),
    );
    expect(loading.policy.rules.map((rule) => rule.inverse?.[0]?.tool)).toEqual(original.rules.map((rule) => rule.inverse?.[0]?.tool));
    expect(text.match(/^ *#.*/gm)?.length ?? 0).toBe(policy.text.slice(policy.text.indexOf("\ntools:")).match(/^ *#.*/gm)?.length ?? -1);
  }
});

describe("on the memory server", () => {
  const entity = (name: string, ...observations: string[]) => ({ name, entityType: "person", observations });
  const relation = (from: string, to: string) => ({ from, to, relationType: "knows" });
  const graph = async () => valueOfResult(await memory.call("read_graph", {}));

  test("P3: undoing a creation deletes exactly what the server says it created, and nothing that was there before", async () => {
    await memory.call("create_entities", { entities: [entity("Ada", "likes tea")] });
    const before = await graph();
    const create = await memory.perform("create_entities", { entities: [entity("Ada", "DIFFERENT"), entity("Bob")] });
    expect(await graph()).toEqual({ entities: [entity("Ada", "likes tea"), entity("Bob")], relations: [] });
    await create.undo();
    expect(await graph()).toEqual(before);
  });

  test("P3: undoing a creation that created nothing deletes nothing", async () => {
    const before = await graph();
    await (await memory.perform("create_entities", { entities: [entity("Ada")] })).undo();
    expect(await graph()).toEqual(before);
  });

  test("P3: undoing new relations keeps those that were there before", async () => {
    await memory.call("create_relations", { relations: [relation("Ada", "Cy")] });
    const before = await graph();
    const create = await memory.perform("create_relations", { relations: [relation("Ada", "Cy"), relation("Ada", "Bob")] });
    await create.undo();
    expect(await graph()).toEqual(before);
  });
});

describe("on the CRM", () => {
  const customer = async (id: string) => {
    const result = await crm.call("get_customer", { id });
    return isErrorResult(result) ? errorTextOf(result) : { ...(valueOfResult(result) as object), updated_at: undefined };
  };

  test("P3: an update and a deletion are put back, a creation is taken away", async () => {
    const before = await customer("c-1");
    const update = await crm.perform("update_customer", { id: "c-1", plan: "free", notes: "" });
    expect(await customer("c-1")).toMatchObject({ plan: "free", notes: "" });
    await update.undo();
    expect(await customer("c-1")).toEqual(before);
    const removal = await crm.perform("delete_customer", { id: "c-1" });
    expect(await customer("c-1")).toContain("not found");
    await removal.undo();
    expect(await customer("c-1")).toEqual(before);
    const create = await crm.perform("create_customer", { name: "New", email: "new@example.test", plan: "free" });
    const { id } = valueOfResult(create.result) as { id: string };
    await create.undo();
    expect(await customer(id)).toContain("not found");
  });

  test("a customer that doesn't exist is absent", async () => {
    const update = crm.perform("update_customer", { id: "c-999", name: "x" });
    expect(await update.catch((error: Error) => error.message)).toBe("absent");
  });
});

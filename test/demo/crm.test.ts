import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, readdir, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { seedCustomers } from "../../src/demo/crm/customers.ts";
import { openStateFile } from "../../src/demo/crm/state-file.ts";
import { CRM_COMMAND, newFolder, type RunningCrm, runCrm } from "./crm-process.ts";

let crm: RunningCrm;
beforeEach(async () => {
  crm = await runCrm();
});
afterEach(() => crm.stop());

const ada = seedCustomers()[0];

test("a new CRM holds the seed, and gives a customer as structured content and as the same text", async () => {
  const { structured, text, isError } = await crm.call("get_customer", { id: "c-1" });
  expect(isError).toBe(false);
  expect(structured).toEqual({ ...ada });
  expect(JSON.parse(text)).toEqual(structured);
  expect((await crm.state()).customers).toEqual(seedCustomers().map((customer) => ({ ...customer })));
});

test("an unknown id is a plain not-found error for every tool that takes one", async () => {
  for (const tool of ["get_customer", "update_customer", "delete_customer"]) {
    expect(await crm.call(tool, { id: "c-9" })).toMatchObject({ isError: true, text: "not found: c-9" });
  }
});

test("an update changes what is given and the time, and nothing else", async () => {
  const { structured } = await crm.call("update_customer", { id: "c-1", plan: "free", notes: "" });
  expect(structured).toEqual({ ...ada, plan: "free", notes: "", updated_at: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect((await crm.call("get_customer", { id: "c-1" })).structured).toEqual(structured);
});

test("ids come from a counter and are never given out twice", async () => {
  expect((await crm.call("create_customer", { name: "A", email: "a@a.example" })).structured).toMatchObject({
    id: "c-6",
    plan: "free",
    notes: "",
  });
  await crm.call("delete_customer", { id: "c-6" });
  expect((await crm.call("create_customer", { name: "B", email: "b@b.example" })).structured).toMatchObject({ id: "c-7" });
});

test("a created customer steps over an id that a person wrote in by hand", async () => {
  const state = await crm.state();
  await Bun.write(crm.stateFile, JSON.stringify({ ...state, customers: [...state.customers, { ...ada, id: "c-6" }] }));
  expect((await crm.call("create_customer", { name: "A", email: "a@a.example" })).structured).toMatchObject({ id: "c-7" });
});

test("a deleted customer is restored under its own id at its own place, but for the time", async () => {
  const before = await crm.state();
  const { structured } = await crm.call("get_customer", { id: "c-3" });
  await crm.call("delete_customer", { id: "c-3" });
  expect((await crm.state()).customers.map(({ id }) => id)).toEqual(["c-1", "c-2", "c-4", "c-5"]);
  const { updated_at: _, ...fields } = structured as Record<string, unknown>;
  await crm.call("restore_customer", fields);
  const after = await crm.state();
  const timeless = (customers: Record<string, unknown>[]) => customers.map(({ updated_at: _, ...rest }) => rest);
  expect(timeless(after.customers)).toEqual(timeless(before.customers));
});

test("restoring over an existing customer is refused and changes nothing", async () => {
  const before = await Bun.file(crm.stateFile).text();
  const result = await crm.call("restore_customer", { id: "c-1", name: "X", email: "x", plan: "free", notes: "" });
  expect(result).toMatchObject({ isError: true, text: "already exists: c-1" });
  expect(await Bun.file(crm.stateFile).text()).toBe(before);
});

test("a search finds by any text, whatever the case", async () => {
  const found = async (query: string) => {
    const { structured } = await crm.call("search_customers", { query });
    return (structured as { customers: { id: string }[] }).customers.map(({ id }) => id);
  };
  expect(await found("COBOL")).toEqual(["c-2"]);
  expect(await found("coleman.example")).toEqual(["c-4"]);
  expect(await found("nobody")).toEqual([]);
});

test("an e-mail is appended to the outbox", async () => {
  const email = { to: "ada@byron.example", subject: "Hello", body: "Dear Ada" };
  expect((await crm.call("send_email", email)).structured).toMatchObject(email);
  expect((await crm.state()).outbox).toEqual([{ ...email, sent_at: expect.any(String) }]);
});

test("an edit that a person makes between two calls is seen by the next one, and what they added is kept to the digit", async () => {
  const text = await Bun.file(crm.stateFile).text();
  await Bun.write(crm.stateFile, `\uFEFF${text.replace("Ada Byron", 'Ada Lovelace", "number": 12345678901234567890, "note": "mine')}`);
  expect((await crm.call("get_customer", { id: "c-1" })).structured).toEqual({ ...ada, name: "Ada Lovelace" });
  await crm.call("update_customer", { id: "c-1", plan: "pro" });
  expect((await crm.state()).customers[0]).toMatchObject({ name: "Ada Lovelace", plan: "pro", note: "mine" });
  expect(await Bun.file(crm.stateFile).text()).toContain('"number": 12345678901234567890,');
});

test("a broken state file is a clear error for every call, is never written over, and works again once it is mended", async () => {
  const good = await Bun.file(crm.stateFile).text();
  const broken: [string, string][] = [
    [good.slice(0, -20), "no valid JSON"],
    ["", "no valid JSON"],
    ["[]", "one object"],
    [good.replace('"enterprise"', '"gold"'), "customers[0]: plan must be one of free, pro, enterprise"],
    [good.replace('"c-2"', '"c-1"'), "customers[1]: the id c-1 is there twice"],
    [good.replace('"next_id": 6', '"next_id": 0'), "next_id"],
  ];
  for (const [text, says] of broken) {
    await Bun.write(crm.stateFile, text);
    for (const [tool, args] of [
      ["list_customers", {}],
      ["delete_customer", { id: "c-1" }],
    ] as const) {
      const result = await crm.call(tool, args);
      expect(result.isError).toBe(true);
      expect(result.text).toContain(says);
      expect(result.text).not.toContain("not found");
    }
    expect(await Bun.file(crm.stateFile).text()).toBe(text);
  }
  await Bun.write(crm.stateFile, good);
  expect((await crm.call("get_customer", { id: "c-1" })).isError).toBe(false);
});

test("calls made at once are carried out one after the other, and none is lost", async () => {
  const created = await Promise.all(
    Array.from({ length: 40 }, (_, index) => crm.call("create_customer", { name: `N${index}`, email: "n@n.example" })),
  );
  const ids = created.map(({ structured }) => (structured as { id: string }).id);
  expect(new Set(ids).size).toBe(40);
  expect((await crm.state()).customers).toHaveLength(45);
  expect(await readdir(dirname(crm.stateFile))).toEqual(["crm.json"]);
});

test("a change keeps the file's mode", async () => {
  await chmod(crm.stateFile, 0o600);
  await crm.call("update_customer", { id: "c-1", plan: "free" });
  expect((await stat(crm.stateFile)).mode & 0o777).toBe(0o600);
});

test("reads are annotated as reads and nothing else is", async () => {
  const { tools } = await crm.client.listTools();
  const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
  expect(reads).toEqual(["get_customer", "list_customers", "search_customers"]);
  expect(tools.map(({ name }) => name).toSorted()).toEqual([
    "create_customer",
    "delete_customer",
    "get_customer",
    "list_customers",
    "restore_customer",
    "search_customers",
    "send_email",
    "update_customer",
  ]);
  for (const tool of tools)
    expect(tool).toMatchObject({ title: expect.any(String), description: expect.any(String), outputSchema: expect.anything() });
});

test("the server answers what it was asked, and then ends by itself when its input closes", async () => {
  const folder = await newFolder();
  const lines = [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "delete_customer", arguments: { id: "c-1" } } },
  ];
  const input = new Blob([`not json\n${lines.map((line) => `${JSON.stringify(line)}\n`).join("")}`]);
  const child = Bun.spawn([...CRM_COMMAND], { cwd: folder, stdin: input, stdout: "pipe", stderr: "pipe" });
  const output = await child.stdout.text();
  expect(await child.exited).toBe(0);
  const answers = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(answers[1]).toMatchObject({ result: { structuredContent: { id: "c-1" } } });
  await rm(folder, { recursive: true });
});

test("a state file that can't be created is a usage error that names it", async () => {
  await expect(openStateFile("/dev/null/crm.json")).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("/dev/null/crm.json"),
  });
});

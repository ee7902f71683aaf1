import { afterEach, expect, test } from "bun:test";
import { ancestors, identityOf, isAlive, parentIdentity, selfIdentity } from "../../src/journal/process-identity.ts";
import { failing, testUnless } from "../support/needing.ts";
import { cleanUp, startProcess, temporaryFolder } from "./fixture.ts";

afterEach(cleanUp);
test("a process is itself, is alive, and has its parent as the first of its ancestors", () => {
  expect(selfIdentity().pid).toBe(process.pid);
  expect(identityOf(process.pid)).toEqual(selfIdentity());
  expect(isAlive(selfIdentity())).toBe(true);
  const parent = parentIdentity();
  expect(parent?.pid).toBe(process.ppid > 0 ? process.ppid : undefined);
  expect(ancestors()[0]).toEqual(parent);
  expect(ancestors().map(({ pid }) => pid)).not.toContain(0);
});

test("a child's ancestors begin with this process, and it is dead once it was killed", async () => {
  const child = startProcess("write-forever", `${temporaryFolder()}/journal.db`);
  const identity = identityOf(child.pid);
  if (identity === undefined) throw new Error("the child isn't found");
  expect(ancestors(identity)[0]).toEqual(selfIdentity());
  expect(isAlive(identity)).toBe(true);
  child.kill("SIGKILL");
  await child.exited;
  expect(isAlive(identity)).toBe(false);
  expect(ancestors(identity)).toEqual([]);
});

test("the same pid with another start or boot is another process", () => {
  expect(isAlive({ ...selfIdentity(), startTicks: "1" })).toBe(false);
  expect(isAlive({ ...selfIdentity(), bootId: "another" })).toBe(false);
  for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) expect(identityOf(pid)).toBeUndefined();
});

test("a command that looks like the fields after it changes nothing", async () => {
  const folder = temporaryFolder();
  const program = `${folder}/x) Z 1 1 (y`;
  await Bun.write(program, Bun.file("/bin/sleep"));
  await Bun.spawn(["chmod", "+x", program]).exited;
  const child = Bun.spawn([program, "60"]);
  const found = ancestors(identityOf(child.pid) ?? selfIdentity());
  child.kill("SIGKILL");
  await child.exited;
  expect(found[0]).toEqual(selfIdentity());
});

const ownNamespace = ["unshare", "--pid", "--fork", "--mount-proc"];

testUnless(
  failing([...ownNamespace, "true"]),
  "P6: a client that is pid 1, as in a container, is the parent and an ancestor like any other",
  () => {
    const module = `${import.meta.dir}/../../src/journal/process-identity.ts`;
    const script = `import { ancestors, parentIdentity } from ${JSON.stringify(module)};
    console.log(JSON.stringify([parentIdentity()?.pid, ancestors().map(({ pid }) => pid)]));`;
    const env = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
    const child = Bun.spawnSync([...ownNamespace, "sh", "-c", '"$@"; true', "sh", process.execPath, "-e", script], { env });
    expect(JSON.parse(child.stdout.toString())).toEqual([1, [1]]);
  },
);

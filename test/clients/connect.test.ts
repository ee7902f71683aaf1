// Are entries wrapped on the bytes that are there when they are written, and do they get back what stood there, whatever happened in between?
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { applyPlan, type ConnectPlan, planConnect, type Wish } from "../../src/clients/connect.ts";
import { applyDisconnect, type KeptEntry, planDisconnect } from "../../src/clients/disconnect.ts";
import { type ClientServer, findClients, readServers } from "../../src/clients/find-clients.ts";
import { makeClientHome } from "../support/client-home.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "synartesis-connect-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const CURSOR = ".cursor/mcp.json";
const ENTRY = '{\n  "mcpServers": {\n    "notes": { "command": "npx", "args": ["-y", "notes"], "timeout": 5 } // mine\n  }\n}\n';

function write(name: string, text: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o640 });
  return path;
}

async function servers(): Promise<readonly ClientServer[]> {
  const reads = await Promise.all(findClients({ env: {}, home, cwd: home, platform: "linux" }).map(readServers));
  return reads.flatMap((read) => (read.kind === "read" ? read.servers : []));
}

const isStartable = ({ reach, disabled }: ClientServer) => reach.kind === "command" && !disabled;

function wishFor(server: ClientServer): Wish {
  return { server, secrets: {}, wrapping: { program: ["/opt/synartesis"], server: "notes", manifest: "/m.yaml" } };
}

async function plan(path: string): Promise<ConnectPlan> {
  const wishes = (await servers()).filter((server) => server.file.path === path && isStartable(server)).map(wishFor);
  const planned = await planConnect(path, wishes);
  if (planned.kind === "refused") throw new Error(planned.reason);
  return planned;
}

/** What a record keeps, as it is kept: JSON. */
function keptEntriesOf({ seen, wrapped }: ConnectPlan): readonly KeptEntry[] {
  const kept = wrapped.map(({ wish: { server }, patch }) => ({
    ...{ client: server.file.client.id, file: seen.path, path: server.path, server: "notes", manifest: "/m.yaml", patch },
  }));
  return JSON.parse(JSON.stringify(kept)) as readonly KeptEntry[];
}

async function connect(path: string): Promise<readonly KeptEntry[]> {
  let kept: readonly KeptEntry[] = [];
  const applied = await applyPlan(await plan(path), "first", (now) => {
    kept = keptEntriesOf(now);
  });
  if (applied.kind === "refused") throw new Error(applied.reason);
  expect(applied.plan.refused).toEqual([]);
  return kept;
}

async function disconnect(path: string, connections: readonly KeptEntry[]) {
  const wrapped = (await servers()).filter(({ file, wrapping }) => file.path === path && wrapping !== undefined);
  const planned = await planDisconnect(path, wrapped, connections);
  if (planned.kind === "refused") throw new Error(planned.reason);
  const applied = await applyDisconnect(planned, connections);
  if (applied.kind === "refused") throw new Error(applied.reason);
  return { ...applied.plan, backupGone: applied.backupGone };
}

const read = (path: string) => readFileSync(path, "utf8");

describe("wrapping", () => {
  test("changes each of the twelve clients' files in its entries only, and every byte comes back", async () => {
    const files = makeClientHome(home, { command: "/bin/server", args: ["--state", "a b"] });
    for (const [client, path] of files) {
      const before = readFileSync(path);
      const connections = await connect(path);
      const wrapped = (await servers()).filter(({ file, wrapping }) => file.path === path && wrapping !== undefined);
      expect([client, wrapped.map(({ reach }) => reach)]).toMatchObject([client, [{ command: "/bin/server", args: ["--state", "a b"] }]]);
      expect(readFileSync(path).equals(before)).toBe(false);
      const done = await disconnect(path, connections);
      expect([client, readFileSync(path).equals(before), done.unwrapped[0]?.exact, done.backupGone]).toEqual([client, true, true, true]);
    }
  });

  test("is done on what is there when it is written: a change that comes in between stays", async () => {
    const path = write(CURSOR, ENTRY);
    const stale = await plan(path);
    writeFileSync(path, ENTRY.replace("{\n", '{\n  "added": true,\n'));
    const kept: ConnectPlan[] = [];
    expect((await applyPlan(stale, "first", (now) => kept.push(now))).kind).toBe("written");
    expect(read(path)).toContain('"added": true,');
    expect((await servers())[0]?.wrapping?.server).toBe("notes");
    const last = kept.at(-1);
    if (last === undefined) throw new Error("nothing was kept");
    await disconnect(path, keptEntriesOf(last));
    expect(read(path)).toBe(ENTRY.replace("{\n", '{\n  "added": true,\n'));
  });

  test("of an entry that was changed in between is not done, and says so", async () => {
    const path = write(CURSOR, ENTRY);
    const stale = await plan(path);
    const changed = ENTRY.replace('"-y"', '"--yes"');
    writeFileSync(path, changed);
    const applied = await applyPlan(stale, "first", () => {});
    expect(applied).toMatchObject({ kind: "written", plan: { wrapped: [], refused: [{ reason: "it was changed meanwhile" }] } });
    expect(read(path)).toBe(changed);
  });

  test("keeps a link a link, and the mode", async () => {
    const real = write("dotfiles/mcp.json", ENTRY);
    mkdirSync(join(home, ".cursor"));
    symlinkSync(real, join(home, CURSOR));
    const connections = await connect(join(home, CURSOR));
    expect([lstatSync(join(home, CURSOR)).isSymbolicLink(), statSync(real).mode & 0o777]).toEqual([true, 0o640]);
    expect(read(real)).toContain("/opt/synartesis");
    await disconnect(join(home, CURSOR), connections);
    expect(read(real)).toBe(ENTRY);
  });
});

describe("taking it off", () => {
  test("keeps what somebody changed elsewhere in the file, and in the same entry", async () => {
    const path = write(CURSOR, ENTRY);
    const connections = await connect(path);
    writeFileSync(path, read(path).replace('"timeout": 5', '"timeout": 60, "trust": true').replace("// mine", "// still mine"));
    const done = await disconnect(path, connections);
    expect(read(path)).toBe(ENTRY.replace('"timeout": 5', '"timeout": 60, "trust": true').replace("// mine", "// still mine"));
    expect(done.backupGone).toBe(false);
  });

  test("keeps an argument that was added behind the server's own: never half of a wrapping", async () => {
    const path = write(CURSOR, ENTRY);
    const connections = await connect(path);
    writeFileSync(path, read(path).replace('"notes"]', '"notes", "--more"]'));
    const done = await disconnect(path, connections);
    const [server] = await servers();
    expect(server?.wrapping).toBeUndefined();
    expect(server?.reach).toMatchObject({ command: "npx", args: ["-y", "notes", "--more"] });
    expect(done.unwrapped[0]?.kept).toEqual([["args"]]);
    expect(read(path)).toContain('"timeout": 5');
  });

  test("works on a file that its client has written anew, in another layout", async () => {
    const path = write(CURSOR, JSON.stringify({ mcpServers: { notes: { command: "npx", args: ["notes"], env: { A: "1" } } } }));
    const connections = await connect(path);
    writeFileSync(path, JSON.stringify(JSON.parse(read(path)), null, 4));
    await disconnect(path, connections);
    expect(JSON.parse(read(path))).toEqual({ mcpServers: { notes: { command: "npx", args: ["notes"], env: { A: "1" } } } });
  });

  test("without the record rebuilds the command behind the proxy's words, and takes our variables out", async () => {
    const files = makeClientHome(home, { command: "/bin/server", args: ["--state", "a b"] });
    const before = (await servers()).filter(isStartable);
    for (const path of files.values()) {
      await connect(path);
      await disconnect(path, []);
    }
    const after = (await servers()).filter(isStartable);
    expect(after.map(({ entry }) => entry)).toEqual(before.map(({ entry }) => entry));
  });

  test("leaves one alone that somebody unwrapped already", async () => {
    const path = write(CURSOR, ENTRY);
    const connections = await connect(path);
    const wrapped = (await servers()).filter(({ wrapping }) => wrapping !== undefined);
    writeFileSync(path, ENTRY);
    const planned = await planDisconnect(path, wrapped, connections);
    expect(planned).toMatchObject({ kind: "planned", unwrapped: [], refused: [{ reason: "it is not wrapped" }] });
  });
});

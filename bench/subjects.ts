// Which servers is an undo measured on, and with which run? The cheapest there can be, where nothing hides what undo adds, and a real one. Each
// knows the calls of its run and, for each of them, the calls that put it back.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Expected } from "./client.ts";
import { ROOT } from "./setting.ts";

export interface Call {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
  /** What the answer has to be; by default that it was done. */
  readonly expected?: Expected;
}

/** An action of the run, and what a server gets while it is undone: the look, the inverse, the read-back. */
interface Done {
  readonly call: Call;
  readonly undo: readonly Call[];
}

export interface Subject {
  readonly name: string;
  /** Makes the manifest in the folder, and what the server works on. */
  plant(folder: string, world: string): void;
  /** The server's command on a world of this kind. */
  server(world: string): readonly string[];
  /** So many actions, in order. */
  run(size: number, world: string): readonly Done[];
  /** @throws where something isn't as it was planted */
  check(world: string): void;
}

/** How many things a run writes to. */
const THINGS = 500;

/** Gives which thing each action writes to: here and there, now and then the same again. */
function* things(size: number): Generator<number> {
  let state = 1;
  for (let made = 0, thing = 0; made < size; made++) {
    state = (state * 48271) % 2147483647; // Park and Miller's minimal standard generator
    if (state % 4 !== 0) thing = (state >> 3) % THINGS;
    yield thing;
  }
}

/** Writes to things, each over what the last write to it left. */
function overwrite(write: (thing: number, text: string) => Call, read: (thing: number) => Call, first: (thing: number) => string) {
  const texts = new Map<number, string>();
  return (thing: number, number: number): Done => {
    const before = texts.get(thing) ?? first(thing);
    const text = `text ${number}`;
    texts.set(thing, text);
    return { call: write(thing, text), undo: [read(thing), write(thing, before), read(thing)] };
  };
}

/** The benchmark's own server: nine writes of ten, one creation. */
export const keyValue: Subject = {
  name: "key-value server",
  plant(folder, world) {
    mkdirSync(world);
    writeFileSync(join(folder, "synartesis.yaml"), manifestOf("bench", this.server(world), KEY_VALUE_RULES));
  },
  server: (world) => [process.execPath, join(import.meta.dir, "server.ts"), "--keys", String(THINGS), "--state", join(world, "state.log")],
  run(size) {
    const get = (key: string): Call => ({ tool: "get", args: { key } });
    const write = overwrite(
      (thing, value) => ({ tool: "set", args: { key: `k${thing}`, value } }),
      (thing) => get(`k${thing}`),
      (thing) => `first ${thing}`,
    );
    return [...things(size)].map((thing, number) => {
      if (number % 10 !== 9) return write(thing, number);
      const value = String(number);
      const key = `made-${value}`;
      return {
        call: { tool: "create", args: { value } },
        undo: [get(key), { tool: "remove", args: { key } }, { ...get(key), expected: "refused" }],
      };
    });
  },
  check(world) {
    const state = new Map<string, string | null>();
    const lines = readFileSync(join(world, "state.log"), "utf8").split("\n").slice(0, -1);
    for (const line of lines) state.set(...(JSON.parse(line) as [string, string | null])); // written by server.ts
    for (const [key, value] of state)
      if (value !== (key.startsWith("k") ? `first ${key.slice(1)}` : null)) throw new Error(`${key} wasn't put back: ${value}`);
  },
};

const KEY_VALUE_RULES = `
  - match: "bench.get"
    class: readonly
  - match: "bench.set"
    class: reversible
    snapshot: { tool: "bench.get", args: { key: "$.key" }, absent_when: ["no such key"] }
    inverse: { tool: "bench.set", args: { key: "$.key", value: "$snapshot.value" } }
    resource: "key:$.key"
  - match: "bench.create"
    class: compensable
    inverse: { tool: "bench.remove", args: { key: "$result.key" } }
    observe: { tool: "bench.get", args: { key: "$result.key" }, absent_when: ["no such key"] }
    resource: "key:$result.key"
`;

/** The official server of files, with writes of about a page. It can't delete, so there are no creations. */
export const filesystem: Subject = {
  name: "filesystem server",
  plant(folder, world) {
    mkdirSync(world);
    for (let thing = 0; thing < THINGS; thing++) writeFileSync(fileOf(world, thing), firstText(thing));
    writeFileSync(join(folder, "synartesis.yaml"), manifestOf("files", this.server(world), FILE_RULES));
  },
  server: (world) => ["node", join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"), world],
  run(size, world) {
    const write = overwrite(
      (thing, text) => ({
        tool: "write_file",
        args: { path: fileOf(world, thing), content: text.startsWith("text") ? PAGE + text : text },
      }),
      (thing) => ({ tool: "read_text_file", args: { path: fileOf(world, thing) } }),
      firstText,
    );
    return [...things(size)].map(write);
  },
  check(world) {
    for (let thing = 0; thing < THINGS; thing++) {
      const file = fileOf(world, thing);
      if (!existsSync(file) || readFileSync(file, "utf8") !== firstText(thing)) throw new Error(`${file} wasn't put back`);
    }
  },
};

const PAGE = "A line of a page, as agents write them: neither short nor long.\n".repeat(30);
const fileOf = (world: string, thing: number) => join(world, `${thing}.txt`);
const firstText = (thing: number) => `${PAGE}first ${thing}`;

const FILE_RULES = `
  - match: "files.read_text_file"
    class: readonly
  - match: "files.write_file"
    class: reversible
    snapshot: { tool: "files.read_text_file", args: { path: "$.path" }, absent_when: ["ENOENT: no such file or directory"] }
    inverse: { tool: "files.write_file", args: { path: "$.path", content: "$snapshot.content" } }
    resource: "file:$.path"
`;

function manifestOf(name: string, [command, ...args]: readonly string[], rules: string): string {
  return `version: 1\nservers:\n  ${name}:\n    command: ${JSON.stringify(command)}\n    args: ${JSON.stringify(args)}\ntools:${rules}`;
}

import { describe, expect, test } from "bun:test";
import { type Command, defineCommand, JOURNAL_OPTIONS, JSON_OPTION } from "../../src/cli/command.ts";
import { COMMANDS, type CommandEntry } from "../../src/cli/command-list.ts";
import type { Io } from "../../src/cli/io.ts";
import { runCommandLine } from "../../src/cli/run.ts";
import { SynartesisError } from "../../src/errors.ts";
import { fakeIo } from "./fake-io.ts";

function entry(name: string, run: Command["run"]): CommandEntry {
  const command = defineCommand({ name, usage: name, about: "", example: name, options: { ...JSON_OPTION }, run });
  return { name, summary: "", load: async () => ({ default: command }) };
}

function takesAll(body: Command["run"]): Command {
  return defineCommand({ name: "act", usage: "act", about: "", example: "act", options: { ...JOURNAL_OPTIONS }, rest: true, run: body });
}

async function run(words: string[], body: Command["run"], told: Partial<Io> = {}) {
  const io = fakeIo("/nowhere", words, told);
  const code = await runCommandLine(io, [entry("act", body), entry("audit verify", body)]);
  return { code, out: io.out(), err: io.err() };
}

const refuse: Command["run"] = () => Promise.reject(new SynartesisError("refused", "it can't be", { hint: "do that" }));

describe("the command line", () => {
  test("a command's own code is the exit code", async () => {
    expect((await run(["act"], async () => 1)).code).toBe(1);
  });

  test("a command of two words is found", async () => {
    expect((await run(["audit", "verify"], async () => 0)).code).toBe(0);
    expect(await run(["audit"], async () => 0)).toMatchObject({
      code: 2,
      err: "synartesis: audit needs another word\n  hint: one of: audit verify\n",
    });
    expect((await run(["audit", "export"], async () => 0)).err).toContain('no command "audit export"');
  });

  test("help is there however it is asked for, also for a word that only begins commands", async () => {
    const all = (await run([], async () => 0)).out;
    for (const words of [["help"], ["--help"], ["help", "help"], ["help", "--help"]])
      expect((await run(words, async () => 1)).out).toBe(all);
    for (const words of [
      ["help", "act"],
      ["act", "--help"],
    ])
      expect((await run(words, async () => 1)).out).toContain("usage: synartesis act");
    for (const words of [
      ["audit", "--help"],
      ["audit", "-h"],
      ["help", "audit"],
    ]) {
      const { code, out } = await run(words, async () => 1);
      expect([code, out.includes("audit verify"), out.includes("  act")]).toEqual([0, true, false]);
    }
  });

  test("the commands in a hint run as printed, on the files that the command line named", async () => {
    const missing: Command["run"] = () => Promise.reject(new SynartesisError("not-found", "no", { hint: "`synartesis list` shows it" }));
    expect((await run(["act"], missing)).err).toContain("hint: '/opt/own tools/synartesis' list shows it\n");
    const io = fakeIo("/nowhere", ["--journal", "j.db", "act", "--", "--journal=x"], { executable: ["/opt/synartesis"] });
    await runCommandLine(io, [{ ...entry("act", missing), load: async () => ({ default: takesAll(missing) }) }]);
    expect(io.err()).toContain("hint: /opt/synartesis list --journal /nowhere/j.db shows it\n");
  });

  test("an unknown command is exit 2 with a suggestion", async () => {
    expect(await run(["atc"], async () => 0)).toEqual({
      code: 2,
      out: "",
      err: 'synartesis: there is no command "atc"\n  hint: did you mean "act"?\n',
    });
  });

  test("an option before the command is the command's; an unknown one is refused", async () => {
    const seen: unknown[] = [];
    await run(["--json", "act"], async (_context, { options }) => seen.push(options["json"]));
    expect(seen).toEqual([true]);
    expect((await run(["--jsn", "act"], async () => 0)).err).toContain("did you mean --json?");
    expect((await run(["--json"], async () => 0)).code).toBe(2);
  });

  test("an expected stop is one line and a hint, and with --json one document as well", async () => {
    const plain = await run(["act"], refuse);
    expect(plain).toEqual({ code: 1, out: "", err: "synartesis: it can't be\n  hint: do that\n" });
    const json = await run(["act", "--json"], refuse);
    expect(JSON.parse(json.out)).toEqual({ error: { code: "refused", message: "it can't be", hint: "do that" } });
    expect(json.err).toBe(plain.err);
  });

  test("anything else is a bug: exit 70, one line, a stack only when asked", async () => {
    const broken = () => Promise.reject(new TypeError("oops\nmore"));
    const quiet = await run(["act"], broken);
    expect(quiet.code).toBe(70);
    expect(quiet.err).toBe("synartesis: TypeError: oops\n  hint: this is a bug; with SYNARTESIS_DEBUG=1 it shows where\n");
    expect((await run(["act"], broken, { env: { SYNARTESIS_DEBUG: "1" } })).err).toContain("run.test.ts");
  });

  test("an error's text can't act on the terminal", async () => {
    const hostile = () => Promise.reject(new SynartesisError("refused", "a\u001b[2Jb\u202ec"));
    expect((await run(["act"], hostile)).err).toBe("synartesis: a\\u001b[2Jb\\u202ec\n");
  });

  test("what was deferred is done in whatever way the command ends, last first", async () => {
    const done: string[] = [];
    await run(["act"], (context) => {
      context.defer(() => done.push("first given"));
      context.defer(() => done.push("last given"));
      return Promise.reject(new Error("ended"));
    });
    expect(done).toEqual(["last given", "first given"]);
  });

  test("Ctrl-C is exit 130 after the command has cleaned up", async () => {
    let interrupt = () => {};
    let cleaned = false;
    const onSignal: Io["onSignal"] = (signal, listener) => {
      if (signal === "SIGINT") interrupt = listener;
      return () => {};
    };
    const result = await run(
      ["act"],
      (context) => {
        context.defer(() => {
          cleaned = context.signal.aborted;
        });
        queueMicrotask(() => interrupt());
        return new Promise(() => {});
      },
      { onSignal },
    );
    expect([result.code, cleaned]).toEqual([130, true]);
  });
});

describe("every command", () => {
  test.each(COMMANDS.map(({ name, load }) => [name, load] as const))("%s has help with its usage and one example", async (name, load) => {
    const { default: command } = await load();
    expect(command.name).toBe(name);
    const io = fakeIo("/nowhere", [...name.split(" "), "--help"]);
    expect(await runCommandLine(io)).toBe(0);
    expect(io.out()).toStartWith(`usage: synartesis ${name}`);
    expect(io.out()).toMatch(new RegExp(`\nexample:\\s+synartesis ${name}`));
    for (const line of io.out().split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(io.err()).toBe("");
  });

  test("nothing, help and --help print all of them", async () => {
    for (const words of [[], ["help"], ["--help"], ["-h"]]) {
      const io = fakeIo("/nowhere", words);
      expect(await runCommandLine(io)).toBe(0);
      for (const { name } of COMMANDS) expect(io.out()).toContain(`\n  ${name}`);
    }
  });
});

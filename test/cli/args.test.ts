import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Parsed, parseArgs } from "../../src/cli/args.ts";
import { defineCommand } from "../../src/cli/command.ts";
import { SynartesisError } from "../../src/errors.ts";

const command = defineCommand({
  name: "sample",
  usage: "sample [RUN] [-- COMMAND...]",
  about: "",
  example: "sample",
  options: {
    json: { kind: "flag", about: "" },
    by: { kind: "text", value: "NAME", about: "" },
    only: { kind: "list", value: "SEQ", about: "" },
    level: { kind: "text", about: "", choices: ["error", "warn"] },
  },
  positionals: { min: 0, max: 1 },
  rest: true,
  run: async () => 0,
});

function argsOf(...words: string[]): Extract<Parsed, { kind: "args" }>["args"] {
  const parsed = parseArgs(command, words);
  if (parsed.kind !== "args") throw new Error("help");
  return parsed.args;
}

function refusal(...words: string[]): SynartesisError {
  try {
    parseArgs(command, words);
  } catch (error) {
    if (error instanceof SynartesisError) return error;
    throw error;
  }
  throw new Error(`accepted: ${words.join(" ")}`);
}

describe("arguments", () => {
  test("options, words and the rest are told apart", () => {
    expect(argsOf("7f", "--by", "maria", "--json", "--only=1", "--only", "2", "--", "npx", "-y", "--json", "--")).toEqual({
      options: { json: true, by: "maria", only: ["1", "2"], level: undefined },
      positionals: ["7f"],
      rest: ["npx", "-y", "--json", "--"],
    });
  });

  test("what isn't given is false, undefined or an empty list", () => {
    expect(argsOf()).toEqual({ options: { json: false, by: undefined, only: [], level: undefined }, positionals: [], rest: undefined });
  });

  test("whatever follows -- is handed on untouched", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        expect(argsOf("--", ...words).rest).toEqual(words);
      }),
    );
  });

  test("an unknown option is refused with the one that was probably meant", () => {
    expect(refusal("--jsno")).toMatchObject({ code: "usage", message: "sample has no option --jsno", hint: "did you mean --json?" });
  });

  test("an unknown option that is like none of ours shows the usage, and then where options of a command to run go", () => {
    expect(refusal("fs", "-y").hint).toMatch(/^usage: synartesis .*; options of a command to run go after --$/);
  });

  test.each([[["--by"]], [["--by", "--json"]], [["--by="]], [["--by", ""]]])("a missing value is refused: %j", (words) => {
    expect(refusal(...words).message).toBe("--by needs a value: --by NAME");
  });

  test("a value that begins with - is taken when it is attached", () => {
    expect(argsOf("--by=--json").options["by"]).toBe("--json");
  });

  test("a text option given twice is refused, a flag given twice is not", () => {
    expect(refusal("--by", "a", "--by", "b").message).toBe("--by was given twice");
    expect(argsOf("--json", "--json").options["json"]).toBe(true);
  });

  test("a flag with a value is refused", () => {
    expect(refusal("--json=no").message).toContain("takes no value");
  });

  test("a value outside of the choices is refused with the nearest", () => {
    expect(refusal("--level", "wran").hint).toBe('did you mean "warn"?');
  });

  test("a word too many is refused", () => {
    expect(refusal("a", "b").message).toContain('"b"');
  });

  test("nothing after -- is refused", () => {
    expect(refusal("--").message).toBe("nothing follows --");
  });

  test("an option named like a member of every object is unknown", () => {
    expect(refusal("--constructor", "--__proto__").code).toBe("usage");
  });

  test("--help is help, but not after --", () => {
    expect(parseArgs(command, ["--nonsense-later", "--help"].slice(1)).kind).toBe("help");
    expect(argsOf("--", "npx", "--help").rest).toEqual(["npx", "--help"]);
  });
});

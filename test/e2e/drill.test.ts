// Does `synartesis drill` tell a rule that puts back from one that doesn't? Real servers, the compiled executable, and rules that are right, wrong, or say too little.
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import proofs from "../../manifests/proven.json";
import { childrenOf, isRunning } from "../support/agent.ts";
import { until } from "../support/documents.ts";
import { makeNotes, NOTES_RULES, type NotesSandbox } from "../support/notes.ts";
import { EXECUTABLE, makeSandbox, ROOT, type Sandbox } from "../support/sandbox.ts";
import { treeOf } from "../support/tree.ts";

interface Row {
  readonly tool: string;
  readonly case: string | null;
  readonly when: string | null;
  readonly outcome: string;
  readonly by: readonly string[];
  readonly cause: string | null;
  readonly why: string | null;
  readonly hint: string | null;
  readonly sample: number | null;
  readonly note: string | null;
  readonly spoiledBy: string | null;
  readonly differences: readonly { path: string; before: unknown; after: unknown }[];
}
interface Drill {
  readonly proven: number;
  readonly failed: number;
  readonly unproven: number;
  readonly share: number;
  readonly passed: boolean;
  readonly rules: readonly Row[];
  readonly notScratch: readonly string[];
}

const drill = (sandbox: Sandbox, ...words: string[]) => sandbox.json<Drill>("drill", ...words);
const outcomes = ({ rules }: Drill) => rules.map(({ tool, outcome, cause }) => [tool, outcome, cause] as const);

const CRM_SAMPLES: Readonly<Record<string, string>> = {
  update_customer: `
      - before: [{ tool: crm.create_customer, args: { name: Drill, email: drill@example.com } }]
        args: { id: "$result.id", plan: pro, notes: drilled }`,
  delete_customer: `
      - before: [{ tool: crm.create_customer, args: { name: Drill, email: drill@example.com } }]
        args: { id: "$result.id" }`,
  restore_customer: `
      - args: { id: c-999, name: Drill, email: drill@example.com, plan: free, notes: "" }`,
};

/** The demo's CRM with its shipped rules, and samples beside them; `change` writes the rules otherwise. */
function makeCrm(change = (rules: string) => rules, scratch = "scratch: true"): Sandbox {
  const sandbox = makeSandbox();
  const shipped = readFileSync(join(ROOT, "manifests/crm.yaml"), "utf8");
  const rules = Object.entries(CRM_SAMPLES).reduce(
    (text, [tool, sample]) => text.replace(`match: "crm.${tool}"`, `match: "crm.${tool}"\n    drill:${sample}`),
    shipped.slice(shipped.indexOf("tools:")),
  );
  const server = `  crm: { command: ${EXECUTABLE}, args: [demo, --crm, --state, crm.json], ${scratch} }`;
  sandbox.write("synartesis.yaml", `version: 1\nservers:\n${server}\n${change(rules)}`);
  return sandbox;
}

/** Puts a sample beside a rule of the notes server. */
const sampled = (tool: string, sample: string) => (rules: string) =>
  rules.replace(`match: "notes.${tool}"`, `match: "notes.${tool}"\n    drill:\n      ${sample}`);

/** The notes server marked as scratch. */
function scratchNotes(rules: string, change = (text: string) => text, options: readonly string[] = []): NotesSandbox {
  const notes = makeNotes(change(rules), options);
  const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
  writeFileSync(join(notes.folder, "synartesis.yaml"), manifest.replace("  notes:\n", "  notes:\n    scratch: true\n"));
  return notes;
}

const drillFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith("synartesis-drill-"));

describe("a policy that puts everything back", () => {
  test("is proven whole, on its own words and with a table for people", async () => {
    using crm = makeCrm();
    const ended = await crm.run("drill", "--require", "1");
    expect(ended).toMatchObject({ code: 0, err: "" });
    const rows = ended.out.split("\n").filter((line) => line.startsWith("crm."));
    expect(rows.map((line) => line.split(/ {2,}/))).toEqual(
      ["create", "update", "delete", "restore"].map((verb) => [
        `crm.${verb}_customer`,
        "proven",
        `${verb === "create" || verb === "restore" ? "its observe" : "its read"} and what the server lists`,
      ]),
    );
    expect(ended.out).toEndWith("\n4 of 4 rules proven (100 %)\n");
    // What the table of policies says of it rests on this.
    expect(Object.entries(proofs.crm.tools)).toEqual(rows.map((line) => [/^crm\.(\w+)/.exec(line)?.[1] ?? "", "proven"]));
  });

  test("leaves no journal, no folder and no process behind, and the person's own journal as it was", async () => {
    using crm = makeCrm();
    const before = new Set(drillFolders());
    await crm.run("drill");
    expect(drillFolders().filter((name) => !before.has(name))).toEqual([]);
    expect(existsSync(join(crm.folder, ".synartesis"))).toBe(false);
  });

  test("is drilled in part with --only, whose pattern has to mean something", async () => {
    using crm = makeCrm();
    expect(outcomes(await drill(crm, "--only", "crm.*_customer"))).toHaveLength(4);
    expect(outcomes(await drill(crm, "--only", "crm.delete_customer"))).toEqual([["delete_customer", "proven", null]]);
    expect((await crm.run("drill", "--only", "crm.get_customer")).err).toContain("crm.get_customer matches no tool with a rule");
    expect((await crm.run("drill", "--only", "customer")).err).toContain('--only can\'t be "customer"');
  });
});

test("each case of a rule is tried with its own value", async () => {
  const made = (name: string) => `
      ${name}:
        class: compensable
        inverse: { tool: crm.delete_customer, args: { id: $result.id } }
        observe: { tool: crm.get_customer, args: { id: $result.id }, absent_when: not found }`;
  using crm = makeCrm(() => `tools:\n  - match: crm.create_customer\n    by: $.plan\n    cases:${made("pro")}${made("free")}\n`);
  const { rules } = await drill(crm);
  expect(rules.map((row) => [row.case, row.outcome])).toEqual([
    ["pro", "proven"],
    ["free", "proven"],
  ]);
});

describe("P3: a rule that doesn't put back what it says", () => {
  test("fails, with the place and both values, although undo itself was content", async () => {
    using crm = makeCrm((rules) =>
      rules.replace(`        plan: "$snapshot.plan"\n        notes: { from: "$snapshot.notes", missing: "" }\n    ignore`, "    ignore"),
    );
    const document = await drill(crm, "--only", "crm.update_customer");
    expect(document).toMatchObject({ passed: false, failed: 1, proven: 0, share: 0 });
    const places = [
      { path: "plan", before: "free", after: "pro" },
      { path: "notes", before: null, after: "drilled" },
    ];
    expect(document.rules[0]).toMatchObject({ outcome: "failed", cause: "differs" });
    expect(document.rules[0]?.differences).toEqual(expect.arrayContaining([places[0]]));
    const { code, out } = await crm.run("drill", "--only", "crm.update_customer");
    expect(code).toBe(1);
    expect(out).toContain('plan\n    before the call  "free"\n    after the undo   "pro"\n');
  });

  test("fails where the server refuses the inverse", async () => {
    using crm = makeCrm((rules) => rules.replace('args: { id: "$result.id" }\n    observe', 'args: { id: "c-none" }\n    observe'));
    const { rules } = await drill(crm, "--only", "crm.create_customer");
    expect(rules[0]).toMatchObject({ outcome: "failed", cause: "undo" });
    expect(rules[0]?.why).toContain("not found");
  });

  test("fails where undo finds drift in what nobody touched", async () => {
    using notes = scratchNotes(
      NOTES_RULES.replace(
        'inverse: { tool: "notes.set", args: { key: "$.key", value: "$snapshot.value" } }',
        'inverse: { tool: "notes.remove", args: { key: "$.key" } }',
      ),
      sampled("set", "- { args: { key: a, value: drilled } }"),
    );
    const { rules } = await drill(notes, "--only", "notes.set");
    expect(rules[0]).toMatchObject({ outcome: "failed", differences: [{ path: "", before: { key: "a", value: "first" }, after: null }] });
  });
});

describe("P3: a rule whose observe and inverse take another's thing for the call's own", () => {
  /** What `create` answers as its value is the key of somebody's note. */
  const WRONG = NOTES_RULES.replaceAll('args: { key: "$result.key" }', 'args: { key: "$result.value" }');
  const UNLISTED = WRONG.replace('  - { match: "notes.list", class: readonly }\n', "");

  test("is never proven: what the observe showed has nothing of the call", async () => {
    using notes = scratchNotes(UNLISTED, sampled("create", "- { args: { value: a } }"));
    const { rules } = await drill(notes, "--only", "notes.create");
    expect(rules).toMatchObject([{ outcome: "unproven", cause: "foreign", by: [], sample: 1 }]);
    expect(notes.state().notes).toEqual({ b: "second", c: "third", n1: "a" });
  });

  test("fails where the server lists what it has", async () => {
    using notes = scratchNotes(WRONG, sampled("create", "- { args: { value: a } }"));
    const { rules } = await drill(notes, "--only", "notes.create");
    expect(rules).toMatchObject([{ outcome: "failed", cause: "differs" }]);
    expect(rules[0]?.differences).toContainEqual({ path: "notes.list: notes.a", before: "first", after: null });
  });

  test("fails where a check of the sample shows it, in full", async () => {
    const check = "check: [{ tool: notes.get, args: { key: a } }]";
    using notes = scratchNotes(UNLISTED, sampled("create", `- { args: { value: a }, ${check} }`));
    const { rules } = await drill(notes, "--only", "notes.create");
    expect(rules).toMatchObject([
      { outcome: "failed", differences: [{ path: "notes.get", before: { key: "a", value: "first" }, after: null }] },
    ]);
  });
});

test("a check that the call changed, and that is as it was after the undo, is a proof", async () => {
  const rules =
    "\n  - { match: notes.get, class: readonly }\n  - match: notes.create\n    class: compensable\n    inverse: { tool: notes.remove, args: { key: $result.key } }\n";
  using notes = scratchNotes(rules, (text) =>
    text.replace(
      "match: notes.create",
      "match: notes.create\n    drill: [{ args: { value: new }, check: [{ tool: notes.get, args: { key: n1 } }] }]",
    ),
  );
  expect((await drill(notes)).rules).toMatchObject([{ outcome: "proven", by: ["check"] }]);
});

test("an observe that needs nothing of the result is made before the call too: what was there before isn't taken for the call's", async () => {
  const rules = NOTES_RULES.replace('args: { key: "$result.key" }, absent', "args: { key: a }, absent").replace(
    '{ tool: "notes.remove", args: { key: "$result.key" } }',
    '{ tool: "notes.set", args: { key: a, value: first } }',
  );
  using notes = scratchNotes(rules);
  const { rules: rows } = await drill(notes, "--only", "notes.create");
  expect(rows[0]?.outcome).not.toBe("proven");
});

test("the sample that failed is named, with its note, and so is what it left to those that come later", async () => {
  const wrong = NOTES_RULES.replace('value: "$snapshot.value" }', "value: second }");
  using notes = scratchNotes(wrong, (rules) =>
    sampled(
      "create",
      "- { args: { value: drilled }, before: [{ tool: notes.remove, args: { key: none } }] }\n      - { args: { value: 7 } }",
    )(sampled("set", "- { args: { key: b, value: drilled } }\n      - { args: { key: a, value: drilled }, note: another value }")(rules)),
  );
  const fresh = notes.state();
  notes.trouble("create", "normal error-before");
  const [set, create] = (await drill(notes)).rules;
  expect(set).toMatchObject({ outcome: "failed", sample: 2, note: "another value", spoiledBy: null });
  expect(create).toMatchObject({ outcome: "unproven", sample: 2, note: null, spoiledBy: "notes.set, sample 2 (another value)" });
  notes.setState(fresh);
  notes.trouble("create", "normal error-before");
  const { out } = await notes.run("drill");
  expect(out).toContain("sample 2 (another value): ");
  expect(out).toContain("it was tried on what notes.set, sample 2 (another value) had left behind");
});

test("what the server refuses, as its sample says, is left out of the sum; what it doesn't refuse is tried like any other", async () => {
  using notes = scratchNotes(NOTES_RULES, sampled("set", "- { args: { key: a, value: drilled }, refused: true }"));
  notes.trouble("set", "error-before");
  const document = await drill(notes, "--require", "1");
  expect(document).toMatchObject({ proven: 1, failed: 0, unproven: 0, share: 1, passed: true });
  expect(outcomes(document)).toEqual([
    ["set", "refused", null],
    ["create", "proven", null],
  ]);
  notes.trouble("set", "error-before");
  expect((await notes.run("drill")).out).toContain("sample 1: the server refuses it, as it says; left out of the sum");
  notes.trouble("set", "normal");
  expect(outcomes(await drill(notes))).toEqual([
    ["set", "proven", null],
    ["create", "proven", null],
  ]);
});

describe("a call that shows nothing is never a proof", () => {
  const cases: Readonly<Record<string, readonly [tool: string, sample: string, cause: string, why: string]>> = {
    "one that finds nothing to capture is held, and not let through": [
      "set",
      "- { args: { key: nowhere, value: x } }",
      "held",
      "there was nothing to capture",
    ],
    "one that fails": ["create", "- { args: { value: broken } }", "call-failed", ""],
    "one that changes nothing": ["set", "- { args: { key: a, value: first } }", "nothing-changed", "changed nothing"],
    "one whose sample needs what no call gave": [
      "set",
      "- before: [{ tool: notes.create, args: { value: v } }]\n        args: { key: $result.id, value: x }",
      "sample",
      "$result.id finds nothing",
    ],
  };
  test.each(Object.entries(cases))("%s", async (_name, [tool, sample, cause, why]) => {
    using notes = scratchNotes(NOTES_RULES, sampled(tool, sample));
    notes.trouble("create", "error-before error-before error-before");
    const { rules, passed } = await drill(notes, "--only", `notes.${tool}`);
    expect(rules).toMatchObject([{ outcome: "unproven", cause, by: [] }]);
    expect(rules[0]?.why).toContain(why);
    expect(passed).toBe(true);
  });

  test("with --require too few of them are an error", async () => {
    using notes = scratchNotes(NOTES_RULES, sampled("set", "- { args: { key: nowhere, value: x } }"));
    const { code, out } = await notes.run("drill", "--require", "0.75");
    expect(code).toBe(1);
    expect(out).toEndWith("\n1 of 2 rules proven (50 %), 1 unproven; 75 % are required\n");
    expect((await notes.run("drill", "--require", "0.5")).code).toBe(0);
    expect(await notes.run("drill", "--require", "90")).toMatchObject({ code: 2, out: "" });
  });

  test("one of a rule without a read", async () => {
    using notes = scratchNotes(
      "\n  - { match: notes.get, class: readonly }\n  - match: notes.create\n    class: compensable\n    inverse: { tool: notes.remove, args: { key: $result.key } }\n",
    );
    expect(outcomes(await drill(notes))).toEqual([["create", "unproven", "nothing-shows"]]);
  });

  test("one whose offset leaves what it made in another state", async () => {
    using notes = scratchNotes(
      NOTES_RULES.replace(
        '{ tool: "notes.remove", args: { key: "$result.key" } }',
        '{ tool: "notes.set", args: { key: "$result.key", value: closed } }',
      ),
    );
    expect(outcomes(await drill(notes, "--only", "notes.create"))).toEqual([["create", "unproven", "offset"]]);
  });

  test("one that the server dies of, or never answers; the others are tried on a new one", async () => {
    using notes = scratchNotes(NOTES_RULES, sampled("set", "- { args: { key: a, value: drilled } }"));
    notes.trouble("set", "hang-before");
    // So long may the new server take to start, on a busy machine.
    expect(outcomes(await drill(notes, "--timeout", "5s"))).toEqual([
      ["set", "unproven", "lost"],
      ["create", "proven", null],
    ]);
    notes.trouble("set", "die-after");
    const [died, other] = (await drill(notes)).rules;
    expect(died).toMatchObject({ outcome: "unproven" });
    expect(other).toMatchObject({ tool: "create", outcome: "proven" });
  });
});

test("a call that a rule's gate holds is let through by the drill", async () => {
  using notes = scratchNotes(NOTES_RULES.replace('match: "notes.create"', 'match: "notes.create"\n    gate: always'));
  expect(outcomes(await drill(notes, "--only", "notes.create"))).toEqual([["create", "proven", null]]);
  expect(notes.received().filter(({ name }) => name === "create")).toHaveLength(1);
});

test("a server that keeps its state in memory is drilled in the one process that has it", async () => {
  using notes = scratchNotes(NOTES_RULES, sampled("set", "- { args: { key: a, value: drilled } }"), ["--memory"]);
  expect(outcomes(await drill(notes))).toEqual([
    ["set", "proven", null],
    ["create", "proven", null],
  ]);
});

test("a rule that depends on what is there has a row for each, proven by the samples that lead there", async () => {
  const rules = (samples: string) => `
  - { match: notes.get, class: readonly }
  - match: notes.set
    class: reversible
    drill: [${samples}]
    snapshot: { tool: notes.get, args: { key: $.key }, absent_when: no such note }
    inverse: { tool: notes.set, args: { key: $.key, value: $snapshot.value } }
    when_absent: { class: compensable, inverse: { tool: notes.remove, args: { key: $.key } } }
`;
  const rowsOf = async (samples: string) => {
    using notes = scratchNotes(rules(samples));
    return (await drill(notes)).rules.map(({ when, outcome, cause }) => [when, outcome, cause]);
  };
  expect(await rowsOf("{ args: { key: a, value: x } }, { args: { key: new, value: x } }")).toEqual([
    [null, "proven", null],
    ["absent", "proven", null],
  ]);
  expect(await rowsOf("{ args: { key: a, value: x } }")).toEqual([
    [null, "proven", null],
    ["absent", "unproven", "no-sample"],
  ]);
});

test("a server that can't be started leaves everything unproven, with what it said", async () => {
  using sandbox = makeSandbox();
  const server = `{ command: sh, args: ["-c", "echo no database >&2; exit 3"], scratch: true }`;
  sandbox.write(
    "synartesis.yaml",
    `version: 1\nservers: { db: ${server} }\ntools:\n  - { match: db.add, class: compensable, inverse: { tool: db.drop } }\n`,
  );
  const document = await drill(sandbox, "--timeout", "5s");
  expect(outcomes(document)).toEqual([["add", "unproven", "no-server"]]);
  expect(document.rules[0]?.why).toContain("no database");
});

describe("what isn't scratch", () => {
  test("is refused, with what to do, and not called", async () => {
    using notes = makeNotes(NOTES_RULES);
    const { code, err } = await notes.run("drill");
    expect([code, notes.heard()]).toEqual([1, []]);
    expect(err).toContain("notes isn't marked for that");
    expect(err).toContain("`scratch: true`");
  });

  test.each(["", ", hidden: true"])("isn't changed by a sample or an inverse of another one either%s", async (hidden) => {
    using notes = scratchNotes(
      NOTES_RULES,
      sampled("set", "- { args: { key: a, value: x }, before: [{ tool: prod.create, args: { value: x } }] }"),
    );
    const manifest = readFileSync(join(notes.folder, "synartesis.yaml"), "utf8");
    const prod = `  prod: { command: ${JSON.stringify(notes.command[0])}, args: ${JSON.stringify(notes.command.slice(1))}${hidden} }\n`;
    notes.write("synartesis.yaml", manifest.replace("tools:", `${prod}tools:`).replace("notes.remove", "prod.remove"));
    const before = notes.state();
    expect(outcomes(await drill(notes))).toEqual([
      ["set", "unproven", "not-scratch"],
      ["create", "unproven", "not-scratch"],
    ]);
    expect(notes.state()).toEqual(before);
  });

  test("is left out beside one that is", async () => {
    using crm = makeCrm();
    const manifest = readFileSync(join(crm.folder, "synartesis.yaml"), "utf8");
    crm.write("synartesis.yaml", manifest.replace("servers:\n", "servers:\n  other: { command: node }\n"));
    const document = await drill(crm, "--only", "*.delete_customer");
    expect([outcomes(document), document.notScratch]).toEqual([[["delete_customer", "proven", null]], ["other"]]);
  });
});

describe("where a companion has folders", () => {
  const SERVER = join(ROOT, "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
  const RULE = `
  - match: "fs.write_file"
    class: reversible
    drill:
      - before: [{ tool: fs-files.write_if, args: { path: ROOT/kept, text: "before\\r\\n", if_absent: true } }]
        args: { path: ROOT/kept, content: after }
    resource: "file:$.path"
    snapshot: { tool: fs-files.read, args: { path: "$.path" } }
    inverse:
      - tool: fs-files.write_if
        args:
          path: "$.path"
          text: { from: "$snapshot.text", missing: null }
          content: { from: "$snapshot.content", missing: null }
          mode: "$snapshot.mode"
          if_digest: "$current.digest"
    when_absent: { class: irreversible }
`;
  const makeFolder = (rule: string) => {
    const sandbox = makeSandbox();
    const root = join(sandbox.folder, "root");
    mkdirSync(root);
    const servers = [
      `  fs: { command: ${JSON.stringify(Bun.which("node"))}, args: ${JSON.stringify([SERVER, root])}, scratch: true }`,
      `  fs-files: { command: synartesis, args: [companion, files, --root, ${JSON.stringify(root)}], hidden: true }`,
    ];
    sandbox.write("synartesis.yaml", `version: 1\nservers:\n${servers.join("\n")}\ntools:${rule.replaceAll("ROOT", root)}`);
    return { ...sandbox, root };
  };

  test("P3: they are compared byte by byte, and a companion can prepare a sample", async () => {
    using folder = makeFolder(RULE);
    const { rules } = await drill(folder);
    expect(rules).toMatchObject([{ tool: "write_file", outcome: "proven", by: ["read", "bytes"] }]);
    expect(treeOf(folder.root)).toEqual({ kept: Buffer.from("before\r\n").toString("hex") });
  });

  test("P3: what is left behind beside what the rule reads is a failure", async () => {
    const rule = RULE.replace("    inverse:\n", "    inverse:\n      - { tool: fs-files.make_dir, args: { path: ROOT/litter } }\n");
    using folder = makeFolder(rule);
    const { rules } = await drill(folder);
    expect(rules).toMatchObject([
      { outcome: "failed", cause: "differs", differences: [{ path: "litter", before: null, after: "folder 0755" }] },
    ]);
  });
});

test("Ctrl-C ends what was started, and removes what was made", async () => {
  using notes = scratchNotes(NOTES_RULES, sampled("set", "- { args: { key: a, value: drilled } }"));
  notes.trouble("set", "hang-before");
  const before = new Set(drillFolders());
  const child = notes.start("drill");
  await until("the call hangs", () => notes.received().some(({ name }) => name === "set"));
  const started = childrenOf(child.pid);
  expect(started).not.toEqual([]);
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  await until("its proxy ends", () => !started.some(isRunning));
  expect(drillFolders().filter((name) => !before.has(name))).toEqual([]);
});

// Does the wizard ask what is to be asked, once each, and does what was answered come out, in whatever order one goes back and forth?
import { describe, expect, test } from "bun:test";
import type { ToolDraft } from "../../src/draft/draft-tools.ts";
import { FAILED, type Facts, type Listing, nextStep, type Step, type Told } from "../../src/draft/next-step.ts";
import type { Answer, Given, Question } from "../../src/draft/questions.ts";
import type { ListedTool } from "../../src/upstream/upstream.ts";

const SILENT: Told = { answer: () => undefined, rule: () => undefined };

function tool(name: string): ListedTool {
  const inputSchema = { type: "object", properties: { id: { type: "string" }, title: { type: "string" } }, required: ["id"] };
  return { name, inputSchema, description: `Does ${name}`, raw: { name } };
}

function draft(name: string, more: Partial<ToolDraft> = {}): ToolDraft {
  return {
    name,
    class: "reversible",
    snapshot: { tool: "get_page", args: { id: "$.id" } },
    observe: null,
    inverse: { tool: name, args: { id: "$.id", title: "$snapshot.title" } },
    confidence: "high",
    reason: "get_page shows what it changes",
    notRestored: [],
    unresolved: [],
    said: `Does ${name}`,
    todo: true,
    ...more,
  };
}

function listing(server: string, open: readonly ToolDraft[]): Listing {
  return {
    kind: "listed",
    policy: undefined,
    isKnown: false,
    folders: undefined,
    server,
    tools: [tool("get_page"), ...open.map(({ name }) => tool(name))],
    open,
  };
}

function facts(listings: Readonly<Record<string, Listing>>, more: Partial<Facts> = {}): Facts {
  const found = Object.keys(listings).map((id) => ({ id, title: `Client: ${id}`, about: "node server.js", isUsual: true }));
  return { found, listed: new Map(Object.entries(listings)), isChosen: true, isWritten: false, changes: () => true, clients: [], ...more };
}

/** Answers every question by a function until the wizard wants something else. */
function walk(known: Facts, answer: (question: Question) => Answer, told = SILENT): { asked: Question[]; step: Step; given: Given[] } {
  const asked: Question[] = [];
  const given: Given[] = [];
  for (;;) {
    const step = nextStep(known, given, told);
    if (step.kind !== "ask" || asked.length > 1000) return { asked, step, given };
    asked.push(step.question);
    given.push({ id: step.question.id, answer: answer(step.question) });
  }
}

const usual = (question: Question) => question.usual;
const decisionsOf = (step: Step) => step.decided.flatMap(({ decisions }) => [...decisions]);

describe("the way through", () => {
  test("a server that a shipped policy covers is asked about once before it is written", () => {
    const { asked, step } = walk(facts({ files: listing("files", []) }, { isChosen: false }), usual);
    expect(asked.map(({ id }) => id)).toEqual(["guard", "write"]);
    expect(step.kind).toBe("write");
  });

  test("entries that share a policy are counted as entries, and their policy once", () => {
    const shared = { ...listing("a", []), isKnown: true } as Listing;
    const { asked } = walk(facts({ a: listing("a", []), b: shared, c: listing("c", []) }, { isChosen: false }), usual);
    expect(asked.at(-1)).toMatchObject({ id: "write", choices: [{ hint: "3 entries, 2 policies" }, {}, {}] });
  });

  test("a server with the tools of another is asked about once, unless somebody wants otherwise or has said so", () => {
    const like = facts({ a: listing("a", [draft("t1")]), b: listing("b", [draft("t1")]) });
    const same = walk(like, (question) => (question.id === "tool:a:t1" ? "gate" : usual(question)));
    expect(same.asked.map(({ id }) => id)).toEqual(["tool:a:t1", "same:b", "write"]);
    expect(same.asked[1]).toMatchObject({ title: "Client: b: the same answers as for Client: a?" });
    expect(decisionsOf(same.step)).toEqual([
      ["t1", { kind: "gate" }],
      ["t1", { kind: "gate" }],
    ]);
    const each = walk(like, (question) => (question.id === "same:b" ? "each" : usual(question)));
    expect(each.asked.map(({ id }) => id)).toEqual(["tool:a:t1", "same:b", "tool:b:t1", "write"]);
    const said = walk(like, usual, { ...SILENT, rule: (server) => (server === "b" ? "leave" : undefined) });
    expect(said.asked.map(({ id }) => id)).toEqual(["tool:a:t1", "write"]);
    expect(decisionsOf(said.step).at(-1)).toEqual(["t1", { kind: "leave" }]);
  });

  test("servers are started once they are chosen, and only those", () => {
    const known = { ...facts({ a: listing("a", []), b: listing("b", []) }, { isChosen: false }), listed: new Map() };
    expect(walk(known, () => ["b"]).step).toMatchObject({ kind: "list", servers: ["b"] });
    expect(walk(known, () => []).step).toMatchObject({ kind: "end", outcome: "nothing" });
  });

  test("where folders have to be said, that is asked before the tools; a server for which none are said isn't guarded", () => {
    const folders = { policy: "a policy", usual: "/here", check: (text: string) => (text.includes("/no") ? "there is none" : undefined) };
    const known = facts({ a: { ...listing("a", [draft("update_page")]), folders } as Listing, b: listing("b", []) });
    const { asked, step } = walk(known, (question) => (question.id === "folders:a" ? "/one, ~/two" : usual(question)));
    expect(asked.map(({ id }) => id)).toEqual(["folders:a", "tool:a:update_page", "write"]);
    expect(asked[0]).toMatchObject({ usual: "/here" });
    expect(step.decided[0]?.folders).toEqual(["/one", "~/two"]);
    const without = walk(known, (question) => (question.id === "folders:a" ? " , " : usual(question)));
    expect(without.step.decided.map(({ id }) => id)).toEqual(["b"]);
    const wrong = nextStep(known, [{ id: "folders:a", answer: "/one, /no" }], SILENT);
    expect(wrong).toMatchObject({ kind: "ask", question: { id: "folders:a" } });
  });

  test("a server that doesn't start is tried again or left out; if it was the only one, nothing is written", () => {
    const known = facts({ a: { kind: "failed", reason: "it ended\nwith 1", hint: "look" } });
    expect(walk(known, () => "retry").step).toMatchObject({ kind: "list", servers: ["a"] });
    expect(walk(known, () => "skip").step).toMatchObject({ kind: "end", outcome: "nothing" });
    const both = walk(facts({ a: { kind: "failed", reason: "no", hint: undefined }, b: listing("b", []) }), usual);
    expect(both.asked.map(({ id }) => id)).toEqual([FAILED]);
    expect(both.step).toMatchObject({ kind: "write", decided: [{ id: "b" }] });
  });

  test("several that don't start are one question, with the beginning and the end of what each said", () => {
    const reason = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n\n");
    const { asked } = walk(
      facts({ a: { kind: "failed", reason, hint: "look" }, b: { kind: "failed", reason: "no", hint: undefined } }),
      usual,
    );
    expect(asked.map(({ title }) => title)).toEqual(["2 servers can't be listed"]);
    const shown = ["line 0", "line 1", "line 2", "line 3", "line 4", "...", "line 18", "line 19", "look"].map((line) => `  ${line}`);
    expect(asked[0]?.details).toEqual(["Client: a", ...shown, "Client: b", "  no"]);
  });

  test("connecting is offered once the manifest is written, if there is a client", () => {
    const known = facts({ a: listing("a", []) }, { isChosen: false, isWritten: true, clients: ["Cursor"] });
    expect(walk(known, usual).step).toMatchObject({ kind: "end", outcome: "connect" });
    expect(walk(known, ({ id }) => (id === "connect" ? "no" : id === "write" ? "write" : ["a"])).step).toMatchObject({
      kind: "end",
      outcome: "written",
    });
    expect(walk({ ...known, clients: [] }, usual).asked.map(({ id }) => id)).toEqual(["guard", "write"]);
  });

  test("a server that was named and about which nothing is open is written without a question", () => {
    expect(walk(facts({ a: listing("a", []) }), usual)).toMatchObject({ asked: [], step: { kind: "write" } });
  });
});

describe("the tools", () => {
  test("each answer about a tool comes out as its decision", () => {
    const answers: Record<string, string> = { t1: "accept", t2: "gate", t3: "leave", t4: "readonly" };
    const known = facts({
      s: listing(
        "s",
        Object.keys(answers).map((name) => draft(name)),
      ),
    });
    const { step } = walk(known, (question) => answers[question.id.split(":")[2] ?? ""] ?? question.usual);
    expect(decisionsOf(step)).toMatchObject([
      ["t1", { kind: "accept", draft: { class: "reversible" } }],
      ["t2", { kind: "gate" }],
      ["t3", { kind: "leave" }],
      ["t4", { kind: "accept", draft: { class: "readonly", inverse: null } }],
    ]);
  });

  test("of 344 tools none has to be looked at: the sure ones are accepted at once, and only they", () => {
    const open = Array.from({ length: 344 }, (_, at) => draft(`t${at}`, at % 2 === 0 ? {} : { confidence: "medium" }));
    const { asked, step } = walk(facts({ s: listing("s", open) }), usual);
    expect(asked.map(({ id }) => id)).toEqual(["many:s", "write"]);
    expect(decisionsOf(step).map(([name]) => name)).toEqual(open.filter(({ confidence }) => confidence === "high").map(({ name }) => name));
  });

  test("of many tools those are asked about that were picked", () => {
    const open = Array.from({ length: 50 }, (_, at) => draft(`t${at}`));
    const { asked } = walk(facts({ s: listing("s", open) }), (question) => {
      if (question.id === "many:s") return "pick";
      return question.kind === "several" ? ["t7", "t9"] : question.usual;
    });
    expect(asked.map(({ id }) => id)).toEqual(["many:s", "pick:s", "tool:s:t7", "tool:s:t9", "write"]);
  });

  test("all that are sure can be accepted, or the rest left, from any question", () => {
    const open = [draft("t1"), draft("t2", { confidence: "low" }), draft("t3"), draft("t4", { class: "irreversible", inverse: null })];
    open.push(draft("t5", { unresolved: ["id"] }));
    const sure = walk(facts({ s: listing("s", open) }), (question) => (question.id === "tool:s:t1" ? "sure" : question.usual));
    expect(sure.asked.map(({ id }) => id)).toEqual(["tool:s:t1", "tool:s:t2", "tool:s:t5", "write"]);
    expect(decisionsOf(sure.step)).toMatchObject([
      ["t1", { kind: "accept" }],
      ["t3", { kind: "accept" }],
      ["t4", { kind: "gate" }],
      ["t2", {}],
      ["t5", {}],
    ]);
    const rest = walk(facts({ s: listing("s", open) }), (question) => (question.id === "tool:s:t2" ? "rest" : question.usual));
    expect(rest.asked.map(({ id }) => id)).toEqual(["tool:s:t1", "tool:s:t2", "write"]);
    expect(decisionsOf(rest.step).map(([name]) => name)).toEqual(["t1"]);
  });

  test("P5: a guess isn't preselected, and what nobody answered for is in no decision", () => {
    const held = { class: "irreversible", inverse: null } as const;
    const open = [draft("t1", { confidence: "low" }), draft("t2", { ...held, unresolved: ["title"] }), draft("t3", held)];
    const { asked } = walk(facts({ s: listing("s", open) }), usual);
    expect(asked.slice(0, 3).map((question) => question.usual)).toEqual(["leave", "leave", "gate"]);
    expect(asked[1]?.kind === "one" && asked[1].choices.some(({ value }) => value === "accept")).toBe(false);
  });

  test("a suggestion can be changed: class, calls and arguments, which have to be JSON objects", () => {
    const said: Record<string, string> = { class: "compensable", snapshot: "", inverse: "t2", "inverse-args": '{"id":"$result.id"}' };
    const known = facts({ s: listing("s", [draft("t1"), draft("t2")]) });
    const { asked, step } = walk(known, (question) => {
      if (question.id === "tool:s:t1") return "change";
      return question.id.startsWith("change:") ? (said[question.id.split(":")[3] ?? ""] ?? "") : question.usual;
    });
    const args = asked.find(({ kind }) => kind === "text");
    expect(args?.kind === "text" && [args.check("[1]"), args.check("{"), args.check("{}")]).toEqual([
      "not a JSON object",
      "not a JSON object",
      undefined,
    ]);
    expect(decisionsOf(step)[0]).toMatchObject([
      "t1",
      { kind: "accept", draft: { class: "compensable", snapshot: null, inverse: { tool: "t2", args: { id: "$result.id" } } } },
    ]);
  });

  test("the question shows what the suggestion would send, on sample arguments, and what isn't put back", () => {
    const { asked } = walk(facts({ s: listing("s", [draft("t1", { notRestored: ["tags"] })]) }), usual);
    expect(asked[0]?.details).toEqual([
      "t1: the server says: Does t1",
      "suggestion: reversible, that is: what was there is read first, and written back (sure)",
      "because get_page shows what it changes",
      'for the call: t1 {"id":"sample-1"}',
      '  read before: get_page {"id":"sample-1"}',
      '  undo sends: t1 {"id":"sample-1","title":"$snapshot.title"}',
      "not put back: tags",
    ]);
  });
});

describe("back, again, and by options", () => {
  test("whoever goes back from any question and answers again comes to the same end", () => {
    const open = [draft("t1"), draft("t2"), draft("t3", { confidence: "low" })];
    const known = facts({ s: listing("s", open) }, { isChosen: false });
    const straight = walk(known, usual);
    for (const at of straight.given.keys()) {
      const back = straight.given.slice(0, at);
      expect(nextStep(known, back, SILENT)).toMatchObject({ kind: "ask", question: { id: straight.given[at]?.id } });
    }
    expect(nextStep(known, straight.given, SILENT)).toEqual(straight.step);
    expect(straight.step.given).toEqual(straight.given);
    const elsewhere = nextStep(known, [{ id: "guard", answer: [] }, ...straight.given.slice(1)], SILENT);
    expect(elsewhere).toMatchObject({ kind: "end", outcome: "nothing", given: [{ id: "guard", answer: [] }] });
  });

  test("an answer kept from another day that the question doesn't take any more is asked for again", () => {
    const known = facts({ s: listing("s", [draft("t1", { class: "irreversible", inverse: null })]) });
    expect(nextStep(known, [{ id: "tool:s:t1", answer: "accept" }], SILENT)).toMatchObject({ question: { id: "tool:s:t1" } });
  });

  test("what options say isn't asked, of many tools neither", () => {
    const open = Array.from({ length: 20 }, (_, at) => draft(`t${at}`));
    const told: Told = {
      answer: ({ id }) => (id === "write" ? "write" : undefined),
      rule: (_server, { name }) => (name === "t3" ? "gate" : "accept"),
    };
    const { asked, step } = walk(facts({ s: listing("s", open) }), usual, told);
    expect(asked).toEqual([]);
    expect(decisionsOf(step).filter(([, { kind }]) => kind === "gate")).toMatchObject([["t3", {}]]);
  });
});

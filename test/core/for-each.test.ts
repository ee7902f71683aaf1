// What becomes of lists in a policy's arguments: one item for each element, and the one element that a selection means.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileTemplate } from "../../src/core/compile-template.ts";
import { type Json, parseJson, printJson } from "../../src/core/json.ts";
import { printPath } from "../../src/core/reference.ts";
import { pathsRead, referencesIn } from "../../src/core/references-in.ts";
import { type Bindings, eachElement, resolve, type Template } from "../../src/core/template.ts";
import { threeWay } from "../../src/core/three-way.ts";
import { writeTemplate } from "../../src/core/write-template.ts";

function compile(value: Json): Template {
  const compiled = compileTemplate(value);
  if (compiled.kind === "invalid") throw new Error(compiled.problems.map((problem) => problem.reason).join("; "));
  return compiled.template;
}
function outcome(value: Json, bindings: Bindings): Json {
  const resolution = resolve(compile(value), bindings);
  return resolution.kind === "missing" ? `${resolution.reference.text}: ${resolution.why}` : resolution.value;
}
function problems(value: Json): readonly string[] {
  const compiled = compileTemplate(value);
  return compiled.kind === "invalid" ? compiled.problems.map(({ path, reason }) => `${path.join(".")}: ${reason}`) : [];
}

describe("for_each makes one item of each element", () => {
  const renamed = { for_each: "$result.results[]", item: { entityName: "$item.entityName", observations: "$item.added" } };

  test("so that a field gets another name, its value keeping its type", () => {
    const result = {
      results: [
        { entityName: "a", added: ["x", "y"], more: 1 },
        { entityName: "b", added: [] },
      ],
    };
    expect(outcome({ deletions: renamed }, { result })).toEqual({
      deletions: [
        { entityName: "a", observations: ["x", "y"] },
        { entityName: "b", observations: [] },
      ],
    });
  });

  test("an empty list gives an empty list, with or without []", () => {
    expect(outcome(renamed, { result: { results: [] } })).toEqual([]);
    expect(outcome({ for_each: "$result", item: "$item" }, { result: [] })).toEqual([]);
    expect(outcome({ for_each: "$result", item: "no. $item" }, { result: [1, 2] })).toEqual(["no. 1", "no. 2"]);
  });

  test("a path through several lists goes through all their elements; what stands behind the last [] is the element", () => {
    const snapshot = { groups: [{ of: [{ n: 1 }, { n: 2 }] }, { of: [] }, { of: [{ n: 3 }] }] };
    expect(outcome({ for_each: "$snapshot.groups[].of[]", item: "$item.n" }, { snapshot })).toEqual([1, 2, 3]);
    expect(outcome({ for_each: "$snapshot.groups[].of", item: "$item[].n" }, { snapshot })).toEqual([[1, 2], [], [3]]);
  });

  test("one inside of another hides the outer $item, and goes through what belongs to it", () => {
    const nested = {
      for_each: "$snapshot.lists[]",
      item: { list: "$item.name", tasks: { for_each: "$item.tasks[]", item: { title: "$item.title", of: "$.owner" } } },
    };
    const snapshot = {
      lists: [
        { name: "a", tasks: [{ title: "t1" }, { title: "t2" }] },
        { name: "b", tasks: [] },
      ],
    };
    expect(outcome(nested, { args: { owner: "me" }, snapshot })).toEqual([
      {
        list: "a",
        tasks: [
          { title: "t1", of: "me" },
          { title: "t2", of: "me" },
        ],
      },
      { list: "b", tasks: [] },
    ]);
  });

  test("P3: what an element lacks is missing where the list is of the state or the result, and left out where it is of the arguments", () => {
    expect(outcome(renamed, { result: { results: [{ entityName: "a" }] } })).toBe("$item.added: absent");
    const given = { for_each: "$.rows[]", item: { id: "$item.id", note: "$item.note" } };
    expect(outcome(given, { args: { rows: [{ id: 1 }, { id: 2, note: "n" }] } })).toEqual([{ id: 1 }, { id: 2, note: "n" }]);
    const missing = { for_each: "$snapshot[]", item: { note: { from: "$item.note", missing: "" } } };
    expect(outcome(missing, { snapshot: [{}, { note: "n" }] })).toEqual([{ note: "" }, { note: "n" }]);
  });

  test("P3: a list that isn't there, isn't known yet, or is no list says so", () => {
    expect(outcome({ all: renamed }, {})).toBe("$result.results[]: unbound");
    expect(outcome({ all: renamed }, { result: {} })).toBe("$result.results[]: absent");
    expect(outcome({ all: { for_each: "$result", item: "$item" } }, { result: { a: 1 } })).toBe("$result: not-a-list");
    expect(outcome({ all: { for_each: "$.rows[]", item: "$item" } }, { args: {} })).toEqual({});
    const relations = { for_each: { from: "$snapshot.relations[]", missing: [] }, item: "$item.to" };
    expect(outcome({ relations }, { snapshot: {} })).toEqual({ relations: [] });
  });

  test("gives the bindings of each element to whoever repeats a whole call", () => {
    const list = compile("$result.ids[]");
    if (list.kind !== "reference") throw new Error("no reference");
    const call = compileTemplate({ id: "$item" }, list);
    const found = eachElement(list, { result: { ids: [1, 2] } });
    if (call.kind === "invalid" || found.kind === "missing") throw new Error("not compiled, or not found");
    expect(found.each.map((bindings) => resolve(call.template, bindings))).toEqual([
      { kind: "value", value: { id: 1 } },
      { kind: "value", value: { id: 2 } },
    ]);
    expect(eachElement(list, { result: {} })).toMatchObject({ kind: "missing", why: "absent" });
  });

  test("wrongly written is explained where it stands", () => {
    expect(problems({ a: "$item.x" })).toEqual(["a: `$item.x`: only within `for_each` is there an `$item`"]);
    expect(problems({ a: { for_each: "$item.x", item: 1 } })[0]).toStartWith("a.for_each: `$item.x`: only within");
    expect(problems({ a: "$.x[id=$item.id]" })[0]).toStartWith("a: ");
    expect(problems({ a: { for_each: "all $.x", item: "$item" } })).toContain(
      "a.for_each: `for_each` must be a single reference to a list, like `$snapshot.items[]`",
    );
    expect(problems({ a: { for_each: "$.x[]", items: "$item" } })).toEqual(["a: `for_each` needs an `item`: what to make of each element"]);
    expect(problems({ a: { for_each: "$.x[]", item: 1, more: 2 } })).toEqual(["a.more: `more` can't stand beside `for_each` and `item`"]);
    expect(problems({ a: { for_each: "$.x[]", item: { b: ["$itme.y"] } } })[0]).toContain("a.item.b.0: unknown reference `$itme.y`");
    expect(problems({ a: { for_each: { from: "$.x", negate: true }, item: 1 } })[0]).toStartWith("a.for_each: ");
  });

  test("is an ordinary member where nothing in it refers to anything", () => {
    expect(outcome({ for_each: "minute" }, {})).toEqual({ for_each: "minute" });
  });

  test("reads of a list only what it makes of its elements", () => {
    const read = (value: Json) => pathsRead(compile(value), "snapshot").map(printPath);
    expect(read({ all: { for_each: "$snapshot.entities", item: { n: "$item.name", o: "$item.of[].x" } } })).toEqual([
      "entities[].name",
      "entities[].of[].x",
    ]);
    expect(read({ all: { for_each: "$snapshot.ids[]", item: "$item" } })).toEqual(["ids[]"]);
    expect(read({ all: { for_each: "$snapshot.ids[]", item: "$.name" } })).toEqual(["ids[]"]);
    expect(read({ all: { for_each: "$.ids[]", item: "$snapshot.by[id=$item].name" } })).toEqual(["by[id=$item].name"]);
  });
});

describe("a selection finds the one element", () => {
  const snapshot = {
    items: [
      { id: 7, name: "a b", on: true },
      { id: "7", name: "c" },
      { id: 8, name: "c", of: { x: null } },
    ],
  };
  const select = (path: string, bindings: Bindings = {}) => outcome(`$snapshot.items${path}`, { snapshot, ...bindings });

  test("whose member is equal to a number, a word, a quoted text or what a reference names, of the same type", () => {
    expect(select("[id=7].name")).toBe("a b");
    expect(select('[id="7"].name')).toBe("c");
    expect(select('[name="a b"].id')).toBe(7);
    expect(select('["name"="a b"].id')).toBe(7);
    expect(select("[on=true].id")).toBe(7);
    expect(select("[id=$.id].name", { args: { id: "7" } })).toBe("c");
    expect(select("[id=$.ids[1]].of.x", { args: { ids: [7, 8] } })).toBeNull();
    expect(select("[id=$.by[k=$.want].id].name", { args: { want: "w", by: [{ k: "w", id: 7 }] } })).toBe("a b");
  });

  test("by the decimal value of a number, digits beyond a double included", () => {
    const exact = parseJson('[{"id":12345678901234567890,"n":1},{"id":12345678901234567891,"n":2}]');
    expect(outcome("$snapshot[id=$.id].n", { snapshot: exact, args: parseJson('{"id":12345678901234567891}') })).toBe(2);
    expect(outcome("$snapshot[id=12345678901234567890].n", { snapshot: exact })).toBe(1);
    expect(outcome("$snapshot[id=7.0].n", { snapshot: [{ id: 7, n: 1 }] })).toBe(1);
  });

  test("P3: none or several that match, no list, or nothing to select by: it finds nothing", () => {
    expect(select("[name=c].id")).toBe("$snapshot.items[name=c].id: absent");
    expect(select("[id=9].name")).toBe("$snapshot.items[id=9].name: absent");
    expect(select("[id=7].gone")).toBe("$snapshot.items[id=7].gone: absent");
    expect(select("[of=x].name")).toBe("$snapshot.items[of=x].name: absent");
    expect(outcome("$snapshot.name[id=7]", { snapshot: { name: "text" } })).toBe("$snapshot.name[id=7]: absent");
    expect(outcome({ all: "$snapshot.items[id=$.id].name" }, { snapshot, args: {} })).toBe("$.id: absent");
    expect(select("[id=$result.id].name")).toBe("$result.id: unbound");
  });

  test("also of a list that the arguments have, whose absence leaves the member out", () => {
    expect(outcome({ a: "$.rows[id=1].v", b: 1 }, { args: { rows: [{ id: 2, v: 3 }] } })).toEqual({ b: 1 });
  });

  test("wrongly written is explained", () => {
    expect(problems("$.a[id=x y]")[0]).toContain("a selection looks like `[id=$.id]`");
    expect(problems("$.a[id=]")[0]).toContain("a selection looks like");
    expect(problems("$.a[id=01]")[0]).toContain("01 has to be in quotes");
    expect(problems("$.a[id=$.b")[0]).toContain("unclosed bracket");
    expect(problems("$.a[id=$nope.b]")[0]).toContain("unknown reference `$nope.b]`");
    expect(problems("$.a[id=1]b")[0]).toContain("a dot is missing after `$.a[id=1]`");
    expect(problems(`$${".a[a=$".repeat(50)}.b${"]".repeat(50)}`)[0]).toContain("too many selections inside of each other");
  });

  test("its member tells the records of the list apart, so that somebody's change of another record is kept", () => {
    const relevant = pathsRead(compile("$snapshot.rows[sku=$.sku].price"), "snapshot");
    const rows = (a: number, b: number) => ({
      rows: [
        { sku: "a", price: a },
        { sku: "b", price: b },
      ],
    });
    const merged = threeWay(rows(1, 1), rows(2, 1), rows(2, 9), { ignore: [], sets: [], identity: [], relevant });
    expect(merged).toMatchObject({ kind: "merged", value: rows(1, 9) });
  });
});

const PATHS = [
  "",
  ".a",
  ".b",
  ".a.b",
  ".list",
  ".list[]",
  ".list[].a",
  ".list[0].b",
  ".list[a=1].b",
  ".list[a=$.a].b",
  ".list[a=$result.a]",
  "[]",
];
const namespaces = ["$", "$snapshot", "$result", "$current"] as const;
const outer = fc.tuple(fc.constantFrom(...namespaces), fc.constantFrom(...PATHS)).map(([name, path]) => name + path);
const inner = fc.constantFrom("", ".a", ".b", ".list[]", ".list[a=$item.a].b").map((path) => `$item${path}`);

/** Templates of every kind; `$item` only where there is one. */
const { template } = fc.letrec<{ template: Json; item: Json }>((tie) => ({
  template: made(tie, outer, "template"),
  item: made(tie, fc.oneof(outer, inner), "item"),
}));

function made(
  tie: fc.LetrecTypedTie<{ template: Json; item: Json }>,
  reference: fc.Arbitrary<string>,
  self: "template" | "item",
): fc.Arbitrary<Json> {
  return fc.oneof(
    { maxDepth: 4 },
    reference,
    fc.constantFrom<Json>("text", 7, null),
    reference.map((text) => `of ${text.length > 1 ? text : "$$"}`),
    fc.record({ from: reference, missing: fc.constant<Json>([]) }),
    fc.record({ from: reference, negate: fc.constant(true) }),
    fc.record({ for_each: reference, item: tie("item") }),
    fc.array(tie(self), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("x", "y"), tie(self)),
  );
}

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(1, 2, "one", null),
    fc.record({ a: tie("value"), b: tie("value"), list: fc.array(tie("value"), { maxLength: 3 }) }, { requiredKeys: [] }),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
})).value;

test("P3: a template either resolves, to what has no reference left, or says why, by a reference that stands in it", () => {
  const bindings = fc.record({ args: value, snapshot: value, current: value, result: value }, { requiredKeys: ["args"] });
  let missing = 0;
  fc.assert(
    fc.property(template, bindings, (written, given) => {
      const compiled = compile(written);
      const resolution = resolve(compiled, given as Bindings);
      if (resolution.kind === "value") return expect(printJson(resolution.value)).not.toContain("$item");
      missing++;
      const named = referencesIn(compiled).filter(({ text }) => text === resolution.reference.text);
      expect(named).not.toBeEmpty();
      expect(resolution.why === "unbound").toBe(
        resolution.reference.namespace !== "item" && !Object.hasOwn(given, resolution.reference.namespace),
      );
    }),
    { numRuns: 2000 },
  );
  expect(missing).toBeGreaterThan(100);
});

test("a template with lists and selections is written down as what it was compiled from", () => {
  fc.assert(
    fc.property(template, (written) => {
      expect(printJson(writeTemplate(compile(written)))).toBe(printJson(written));
      expect(compile(writeTemplate(compile(written)))).toEqual(compile(written));
    }),
  );
});

// What is a state with the agent's change taken back and everybody else's kept?
import { describe, expect, test } from "bun:test";
import { type Json, parseJson, printJson } from "../../src/core/json.ts";
import { readIgnoredPath } from "../../src/core/reference.ts";
import type { PathStep, Reference } from "../../src/core/template.ts";
import { changesBetween, type MergeRules, sameOnRelevant, type ThreeWay, threeWay } from "../../src/core/three-way.ts";

interface Written {
  readonly ignore?: readonly string[];
  readonly sets?: readonly string[];
  readonly identity?: readonly string[];
  readonly relevant?: readonly string[];
}

function path(text: string): Reference {
  const read = readIgnoredPath(text);
  if (read.kind === "invalid") throw new Error(read.reason);
  return read.reference;
}

function rules({ ignore = [], sets = [], identity = [], relevant }: Written = {}): MergeRules {
  const steps: readonly (readonly PathStep[])[] | undefined = relevant?.map((text) => path(text).steps);
  return { ignore: ignore.map(path), sets: sets.map(path), identity: identity.map(path), relevant: steps };
}

/** Merges states written as JSON. */
function merge(before: string, left: string, now: string, written?: Written): ThreeWay {
  return threeWay(parseJson(before), parseJson(left), parseJson(now), rules(written));
}

/** Gives the merged state as JSON, or the kind where there is none. */
function merged(before: string, left: string, now: string, written?: Written): string {
  const result = merge(before, left, now, written);
  return result.kind === "merged" ? printJson(result.value) : result.kind;
}

/** Gives the rows of a conflict as lists of path, before, left, now. */
function conflicts(before: string, left: string, now: string, written?: Written): readonly (readonly (Json | undefined)[])[] {
  const result = merge(before, left, now, written);
  return result.kind === "conflict" ? result.conflicts.map((row) => [row.path, row.before, row.left, row.now]) : [[result.kind]];
}

describe("of an object", () => {
  test("a state that is as the agent left it, or as it was before, needs no merging", () => {
    expect(merged('{"a":1}', '{"a":2}', '{"a":2.0}')).toBe("as-left");
    expect(merged('{"a":1}', '{"a":2}', '{"a":1.0}')).toBe("as-before");
    expect(merged("[1]", "[1]", "[1]")).toBe("as-before");
  });

  test("P3: what the agent changed goes back, and what somebody else changed stays", () => {
    const result = merge('{"a":1,"b":1,"c":{"d":1,"e":1}}', '{"a":2,"b":1,"c":{"d":2,"e":1}}', '{"a":2,"b":9,"c":{"d":2,"e":9}}');
    expect(result).toEqual({
      kind: "merged",
      value: { a: 1, b: 9, c: { d: 1, e: 9 } },
      kept: [
        { path: "b", from: 1, to: 9 },
        { path: "c.e", from: 1, to: 9 },
      ],
      already: 0,
    });
  });

  test("P3: a member that both changed is a conflict, which names nothing but it", () => {
    expect(conflicts('{"a":1,"b":1,"c":1}', '{"a":2,"b":2,"c":1}', '{"a":3,"b":2,"c":9}')).toEqual([["a", 1, 2, 3]]);
    expect(conflicts('{"a":{"x y":[1]}}', '{"a":{"x y":[2]}}', '{"a":{"x y":[3]}}')).toEqual([['a["x y"]', [1], [2], [3]]]);
  });

  test("a member that somebody put back already is counted, and is no edit", () => {
    expect(merge('{"a":1,"b":1}', '{"a":2,"b":2}', '{"a":1,"b":2}')).toEqual({
      kind: "merged",
      value: { a: 1, b: 1 },
      kept: [],
      already: 1,
    });
    expect(merged('{"a":1,"b":1}', '{"a":2,"b":1}', '{"a":1,"b":9}')).toBe("as-before");
  });

  test("a member that isn't there on a side is a value like others", () => {
    expect(merged('{"a":1}', '{"a":1,"n":1}', '{"a":9,"n":1}')).toBe('{"a":9}');
    expect(merged('{"a":1,"n":1}', '{"a":1}', '{"a":9}')).toBe('{"a":9,"n":1}');
    expect(merged('{"a":1}', '{"a":2}', '{"a":2,"n":1}')).toBe('{"a":1,"n":1}');
    expect(merged('{"a":1,"n":1}', '{"a":2,"n":1}', '{"a":2}')).toBe('{"a":1}');
    expect(conflicts('{"n":1}', '{"n":2}', "{}")).toEqual([["n", 1, 2, undefined]]);
    expect(conflicts("{}", '{"n":1}', '{"n":2}')).toEqual([["n", undefined, 1, 2]]);
    expect(conflicts('{"n":1}', "{}", '{"n":2}')).toEqual([["n", 1, undefined, 2]]);
  });

  test("where one side has no such object the rows name where the other two differ", () => {
    expect(conflicts("{}", '{"n":{"x":1,"y":1}}', '{"n":{"x":1,"y":2}}')).toEqual([["n.y", undefined, 1, 2]]);
    expect(conflicts('{"n":{"x":1,"y":1}}', "{}", '{"n":{"x":1,"y":2}}')).toEqual([["n.y", 1, undefined, 2]]);
    expect(conflicts('{"n":{"x":1,"y":1}}', '{"n":{"x":1,"y":2}}', "{}")).toEqual([["n.y", 1, 2, undefined]]);
  });

  test("null and other types are values", () => {
    expect(merged('{"a":null,"b":1}', '{"a":{"x":1},"b":1}', '{"a":{"x":1},"b":2}')).toBe('{"a":null,"b":2}');
    expect(conflicts('{"a":null}', '{"a":[1]}', '{"a":{}}')).toEqual([["a", null, [1], {}]]);
    expect(merged('{"b":1}', '{"a":null,"b":1}', '{"a":null,"b":2}')).toBe('{"b":2}');
    expect(merged("1", '"1"', '"1"')).toBe("as-left");
  });

  test("numbers are what their digits say, and stay as they were written", () => {
    expect(merged('{"a":1.50,"b":1}', '{"a":2,"b":1}', '{"a":2.0,"b":9007199254740993}')).toBe('{"a":1.50,"b":9007199254740993}');
    expect(merged('{"a":9007199254740992}', '{"a":9007199254740993}', '{"a":9007199254740993.0}')).toBe("as-left");
  });

  test("__proto__ and the like are ordinary names", () => {
    expect(merged('{"__proto__":{"x":1},"b":1}', '{"__proto__":{"x":2},"b":1}', '{"__proto__":{"x":2},"b":2}')).toBe(
      '{"__proto__":{"x":1},"b":2}',
    );
    expect(merged('{"b":1}', '{"constructor":1,"b":1}', '{"constructor":1,"b":2}')).toBe('{"b":2}');
    expect(conflicts("{}", '{"toString":1}', '{"toString":2}')).toEqual([["toString", undefined, 1, 2]]);
  });
});

describe("of what the rules say counts", () => {
  test("a change of what the inverse doesn't put back is neither conflict nor kept, and the merged state has it as now", () => {
    const written = { relevant: ["title", "owner.name"] };
    const [before, left] = ['{"title":"a","at":1,"owner":{"name":"x","at":1}}', '{"title":"b","at":2,"owner":{"name":"x","at":2}}'];
    expect(merged(before, left, '{"title":"b","at":3,"owner":{"name":"x","at":3}}', written)).toBe("as-left");
    expect(merged(before, left, '{"title":"a","at":3,"owner":{"name":"y","at":3}}', written)).toBe("as-before");
    const result = merge(before, left, '{"title":"b","at":3,"owner":{"name":"y","at":3},"new":1}', written);
    expect(result).toEqual({
      kind: "merged",
      value: { title: "a", at: 3, owner: { name: "y", at: 3 }, new: 1 },
      kept: [{ path: "owner.name", from: "x", to: "y" }],
      already: 0,
    });
  });

  test("all counts where the inverse reads the whole, or nothing", () => {
    for (const relevant of [undefined, [], [[]]]) {
      expect(threeWay({ a: 1 }, { a: 2 }, { a: 3 }, { ...rules(), relevant }).kind).toBe("conflict");
      expect(sameOnRelevant({ a: 1 }, { a: 2 }, { ...rules(), relevant })).toBe(false);
    }
  });

  test("ignored places never count, and are as now wherever they stand", () => {
    const written = { ignore: ["at", "o.at", "items[].etag"] };
    const before = '{"at":1,"o":{"at":1,"x":1},"items":[{"id":1,"etag":"a","n":1}],"list":[1]}';
    const left = '{"at":2,"o":5,"items":[{"id":1,"etag":"b","n":2}],"list":[1]}';
    expect(merged(before, left, '{"at":3,"o":5,"items":[{"id":1,"etag":"c","n":2}],"list":[1]}', written)).toBe("as-left");
    expect(merged(before, left, '{"at":3,"o":5,"items":[{"id":1,"etag":"c","n":2}],"list":[2]}', written)).toBe(
      '{"at":3,"o":{"at":1,"x":1},"items":[{"id":1,"etag":"c","n":1}],"list":[2]}',
    );
    expect(merged("1", "2", "3", { ignore: [] })).toBe("conflict");
    expect(threeWay(1, 2, 3, { ...rules(), ignore: [{ namespace: "snapshot", steps: [], text: "" }] }).kind).toBe("as-before");
  });

  test("an ignored place inside of what is put back whole is as now", () => {
    const [before, left] = ['{"o":[{"v":1,"etag":"a"}],"x":1}', '{"o":[{"v":2,"etag":"b"}],"x":1}'];
    expect(merged(before, left, '{"o":[{"v":2,"etag":"c"}],"x":2}', { ignore: ["o[].etag"] })).toBe('{"o":[{"v":1,"etag":"c"}],"x":2}');
    expect(merged(before, left, '{"o":[{"v":2,"etag":"c"}],"x":2}', { ignore: ["o[0].etag"] })).toBe('{"o":[{"v":1,"etag":"c"}],"x":2}');
  });

  test("elements that the inverse reads by position are merged like members", () => {
    const written = { relevant: ["rows[0].name", "rows[0].phone"] };
    expect(
      merged(
        '{"rows":[{"name":"a","phone":1,"at":1}]}',
        '{"rows":[{"name":"b","phone":1,"at":2}]}',
        '{"rows":[{"name":"b","phone":2,"at":3},{"name":"z"}]}',
        written,
      ),
    ).toBe('{"rows":[{"name":"a","phone":2,"at":3},{"name":"z"}]}');
    expect(conflicts('[{"n":1,"m":1}]', '[{"n":2,"m":1}]', '[{"n":3,"m":2}]', { relevant: ["[0].n", "[0].m"] })).toEqual([
      ["[0].n", 1, 2, 3],
    ]);
    expect(merged('{"l":[1,2],"x":1}', '{"l":[],"x":1}', '{"l":[],"x":2}', { relevant: ["l[1]", "x"] })).toBe('{"l":[1,2],"x":2}');
    expect(merged('{"l":[1],"x":1}', '{"l":[1,2],"x":1}', '{"l":[1,2],"x":2}', { relevant: ["l[1]", "x"] })).toBe('{"l":[1],"x":2}');
  });

  test("P3: an element by position can't stay where one before it must go, nor come back where one before it went", () => {
    expect(conflicts("[]", "[1]", "[1,2]", { relevant: ["[0]", "[1]"] })).toEqual([["", [], [1], [1, 2]]]);
    expect(conflicts("[1,2]", "[1]", "[]", { relevant: ["[0]", "[1]"] })).toEqual([["", [1, 2], [1], []]]);
  });

  test("a list that is read both by position and as a whole is one value", () => {
    const written = { relevant: ["l[0].n", "l[].m"] };
    expect(merged('{"l":[{"id":1,"n":1,"m":1}]}', '{"l":[{"id":1,"n":2,"m":1}]}', '{"l":[{"id":1,"n":2,"m":2}]}', written)).toBe(
      "conflict",
    );
    expect(merged('{"l":[{"id":1,"n":1,"m":1}]}', '{"l":[{"id":1,"n":2,"m":1}]}', '{"l":[{"id":1,"n":2,"m":1,"z":1}]}', written)).toBe(
      "as-left",
    );
  });
});

describe("of a list of records", () => {
  test("P3: members are merged by their identity, wherever they stand", () => {
    const result = merge(
      '[{"id":1,"n":"a"},{"id":2,"n":"b"}]',
      '[{"id":1,"n":"A"},{"id":2,"n":"b"}]',
      '[{"id":3,"n":"c"},{"id":1,"n":"A"},{"id":2,"n":"B"}]',
    );
    expect(result).toEqual({
      kind: "merged",
      value: [
        { id: 3, n: "c" },
        { id: 1, n: "a" },
        { id: 2, n: "B" },
      ],
      kept: [
        { path: "[id=3]", from: undefined, to: { id: 3, n: "c" } },
        { path: "[id=2].n", from: "b", to: "B" },
      ],
      already: 0,
    });
  });

  test("what the agent added goes, unless somebody changed it since", () => {
    expect(merged('{"l":[]}', '{"l":[{"id":1}]}', '{"l":[{"id":1},{"id":2}]}')).toBe('{"l":[{"id":2}]}');
    expect(merged("[]", '[{"id":1}]', '[{"id":2}]')).toBe("as-before");
    expect(conflicts('{"l":[]}', '{"l":[{"id":"x","n":1,"m":1}]}', '{"l":[{"id":"x","n":2,"m":1}]}')).toEqual([
      ["l[id=x].n", undefined, 1, 2],
    ]);
  });

  test("what the agent removed comes back between its old neighbours", () => {
    const all = '[{"id":1},{"id":2},{"id":3}]';
    const other = (...ids: number[]) => printJson(ids.map((id) => ({ id })));
    expect(merged(all, other(1, 3), other(1, 9, 3))).toBe(other(1, 2, 9, 3));
    expect(merged(all, other(3), other(9, 3))).toBe(other(9, 1, 2, 3));
    expect(merged(all, other(1), other(1, 9))).toBe(other(1, 2, 3, 9));
    expect(merged(all, other(1, 3), other(9, 3))).toBe(other(9, 2, 3));
    expect(merged(all, "[]", other(9))).toBe(other(9, 1, 2, 3));
    expect(conflicts('[{"id":1,"n":1}]', "[]", '[{"id":1,"n":2}]')).toEqual([["[id=1].n", 1, undefined, 2]]);
  });

  test("what somebody removed stays removed, also where the agent had changed it", () => {
    expect(merge('[{"id":1,"n":1},{"id":2,"n":1}]', '[{"id":1,"n":2},{"id":2,"n":2}]', '[{"id":2,"n":2}]')).toEqual({
      kind: "merged",
      value: [{ id: 2, n: 1 }],
      kept: [{ path: "[id=1]", from: { id: 1, n: 2 }, to: undefined }],
      already: 0,
    });
  });

  test("the order is merged like one value of its own", () => {
    const ids = (...list: number[]) => printJson(list.map((id) => ({ id })));
    expect(merged(ids(1, 2, 3), ids(3, 2, 1), ids(3, 2, 1))).toBe("as-left");
    expect(merged(ids(1, 2, 3), ids(3, 2, 1), ids(3, 2, 9, 1))).toBe(ids(1, 2, 9, 3));
    expect(merged(ids(1, 2, 3), ids(3, 2, 1), ids(1, 2, 3, 9))).toBe("as-before");
    expect(conflicts(ids(1, 2, 3), ids(3, 2, 1), ids(2, 3, 1))).toEqual([["[].id", [1, 2, 3], [3, 2, 1], [2, 3, 1]]]);
    expect(merge('[{"id":1,"n":1},{"id":2}]', '[{"id":1,"n":2},{"id":2}]', '[{"id":2},{"id":1,"n":2}]')).toEqual({
      kind: "merged",
      value: [{ id: 2 }, { id: 1, n: 1 }],
      kept: [{ path: "[].id", from: [1, 2], to: [2, 1], order: true }],
      already: 0,
    });
  });

  test("P3: what the agent changed and somebody deleted stays deleted, and is said to be gone; what was only renamed is a conflict", () => {
    const before = '[{"name":"ann","mail":"ann@x"},{"name":"bob","mail":"bob@x"}]';
    const left = '[{"name":"ann","mail":"wrong"},{"name":"bob","mail":"bob@x"}]';
    expect(merge(before, left, '[{"name":"bob","mail":"bob@x"}]')).toEqual({ kind: "as-before", gone: true });
    expect(conflicts(before, left, '[{"name":"ann lee","mail":"wrong"},{"name":"bob","mail":"bob@x"}]')).toEqual([
      ["[name=ann]", { name: "ann", mail: "ann@x" }, { name: "ann", mail: "wrong" }, undefined],
    ]);
    expect(merge(before, left, '[{"name":"carl","mail":"carl@x"},{"name":"bob","mail":"bob@x"}]')).toEqual({
      kind: "as-before",
      gone: true,
    });
  });

  test("the identity is the one of the rule, else the first of id, name and key that tells all apart", () => {
    const written = { identity: ["items[].sku"] };
    const items = (...list: [string, number][]) => printJson({ items: list.map(([sku, n]) => ({ id: n, sku, n })) });
    expect(merged(items(["a", 1], ["b", 1]), items(["a", 2], ["b", 1]), items(["b", 3], ["a", 2]), written)).toBe(
      items(["b", 3], ["a", 1]),
    );
    expect(merged('[{"key":"a","v":1}]', '[{"key":"a","v":2}]', '[{"key":"b","v":1},{"key":"a","v":2}]')).toBe(
      '[{"key":"b","v":1},{"key":"a","v":1}]',
    );
    const both = (a: number, b: number) =>
      printJson([
        { id: 1, name: "a", v: a },
        { id: 1, name: "b", v: b },
      ]);
    expect(merged(both(1, 1), both(2, 1), both(2, 2))).toBe(both(1, 2));
    expect(
      merged('[{"k":{"n":1},"v":1,"w":1}]', '[{"k":{"n":1},"v":2,"w":1}]', '[{"k":{"n":1},"v":2,"w":2}]', { identity: ["[].k.n"] }),
    ).toBe('[{"k":{"n":1},"v":1,"w":2}]');
  });

  test("an identity that never counts, or that isn't there on every element, is none", () => {
    expect(merged('[{"id":1,"v":1}]', '[{"id":2,"v":2}]', '[{"id":3,"v":2}]', { ignore: ["[].id"] })).toBe("as-left");
    expect(conflicts('[{"id":1,"v":1,"w":1}]', '[{"id":1,"v":2,"w":1}]', '[{"id":1,"v":2,"w":2},{"v":1}]').map(([at]) => at)).toEqual([""]);
    expect(conflicts('[{"id":1,"v":1}]', '[{"id":1,"v":2}]', '[{"id":1,"v":2},{"id":2,"v":0},{"id":2,"v":0}]').map(([at]) => at)).toEqual([
      "",
    ]);
    expect(
      conflicts('[{"id":1,"v":1,"w":1}]', '[{"id":1,"v":2,"w":1}]', '[{"id":1,"v":2,"w":2}]', { identity: ["[].sku"] }).map(([at]) => at),
    ).toEqual([""]);
  });

  test("identities are told apart by type, and numbers by their digits", () => {
    expect(merged('[{"id":1,"v":1},{"id":"1","v":1}]', '[{"id":1,"v":2},{"id":"1","v":1}]', '[{"id":1.0,"v":2},{"id":"1","v":2}]')).toBe(
      '[{"id":1.0,"v":1},{"id":"1","v":2}]',
    );
    expect(conflicts('[{"id":"1","v":1}]', '[{"id":"1","v":2}]', '[{"id":"1","v":3}]')).toEqual([['[id="1"].v', 1, 2, 3]]);
  });

  test("lists inside of records are merged, too", () => {
    const order = (qty: number, tags: string[], note: string) => printJson({ orders: [{ id: "o", lines: [{ no: 1, qty }], tags, note }] });
    const written = { identity: ["orders[].lines[].no"], sets: ["orders[].tags"] };
    expect(merged(order(1, ["a"], "n"), order(2, ["a", "b"], "n"), order(2, ["c", "b", "a"], "m"), written)).toBe(
      order(1, ["c", "a"], "m"),
    );
    expect(conflicts(order(1, [], ""), order(2, [], ""), order(3, [], ""), written)).toEqual([["orders[id=o].lines[no=1].qty", 1, 2, 3]]);
  });

  test("of which only some fields are put back, only these count", () => {
    const written = { relevant: ["items[].n"] };
    expect(
      merged(
        '{"items":[{"id":1,"n":1,"at":1},{"id":2,"n":1,"at":1}]}',
        '{"items":[{"id":1,"n":2,"at":2},{"id":2,"n":1,"at":1}]}',
        '{"items":[{"id":1,"n":2,"at":3},{"id":2,"n":9,"at":3}]}',
        written,
      ),
    ).toBe('{"items":[{"id":1,"n":1,"at":3},{"id":2,"n":9,"at":3}]}');
  });
});

describe("of a set", () => {
  const set = { sets: ["tags"] };
  const tags = (...list: Json[]) => printJson({ tags: list });

  test("P3: what the agent added goes, what it removed comes back, and others' members stay", () => {
    expect(merged(tags("a", "b"), tags("a", "x"), tags("p", "x", "a"), set)).toBe(tags("p", "a", "b"));
    expect(merged(tags("a"), tags("a", "x"), tags("x"), set)).toBe(tags());
    expect(merge(tags("a"), tags("a", "x"), tags("x", "a", "p"), set)).toEqual({
      kind: "merged",
      value: { tags: ["a", "p"] },
      kept: [{ path: "tags[]", from: undefined, to: "p" }],
      already: 0,
    });
  });

  test("the order doesn't count, and how often a member is there does", () => {
    expect(merged(tags(1, 2), tags(1, 2, 3), tags(3, 2.0, 1), set)).toBe("as-left");
    expect(merged(tags(1, 2), tags(1, 2, 3), tags(2, 1), set)).toBe("as-before");
    expect(merged(tags(1, 1), tags(1), tags(1, 5), set)).toBe(tags(1, 1, 5));
    expect(merged(tags(1), tags(1, 1), tags(1, 1, 5), set)).toBe(tags(1, 5));
    expect(sameOnRelevant(parseJson(tags(1, 2)), parseJson(tags(2, 1)), rules(set))).toBe(true);
    expect(sameOnRelevant(parseJson(tags(1, 2)), parseJson(tags(2, 1)), rules())).toBe(false);
    expect(sameOnRelevant(parseJson(tags(1, 1)), parseJson(tags(1)), rules(set))).toBe(false);
  });

  test("members may be values of any kind, and are one each", () => {
    expect(merged(tags({ a: 1, b: 2 }), tags(), tags([1]), set)).toBe(tags([1], { a: 1, b: 2 }));
    expect(merged(tags({ a: 1, b: 2 }), tags({ b: 2, a: 1 }, 5), tags({ b: 2, a: 1 }, 5, null), set)).toBe(tags({ b: 2, a: 1 }, null));
  });
});

describe("of another list", () => {
  test("P3: it is one value, and never merged by position", () => {
    expect(conflicts('{"l":[1,2]}', '{"l":[9,2]}', '{"l":[9,3]}')).toEqual([["l", [1, 2], [9, 2], [9, 3]]]);
    expect(merged('{"l":[1,2],"x":1}', '{"l":[2,1],"x":1}', '{"l":[2,1],"x":2}')).toBe('{"l":[1,2],"x":2}');
    expect(conflicts('[{"v":1,"w":1}]', '[{"v":2,"w":1}]', '[{"v":2,"w":2}]').map(([at]) => at)).toEqual([""]);
  });
});

test("the changes between two states go by identity, and name nothing that doesn't count", () => {
  const from = parseJson('{"items":[{"id":1,"n":1},{"id":2}],"tags":["a"],"at":1,"t":"a"}');
  const to = parseJson('{"items":[{"id":3},{"id":1,"n":2}],"tags":["b","a"],"at":2,"t":"b"}');
  expect(changesBetween(from, to, rules({ ignore: ["at"], sets: ["tags"] }))).toEqual([
    { path: "items[id=3]", from: undefined, to: { id: 3 } },
    { path: "items[id=1].n", from: 1, to: 2 },
    { path: "items[id=2]", from: { id: 2 }, to: undefined },
    { path: "tags[]", from: undefined, to: "b" },
    { path: "t", from: "a", to: "b" },
  ]);
  expect(changesBetween(undefined, from, rules())).toEqual([{ path: "", from: undefined, to: from }]);
  expect(changesBetween(from, from, rules())).toEqual([]);
});

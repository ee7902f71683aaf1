// Does a merge hold what it promises whatever the three states are? What is expected is computed without what merges.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Json, type JsonObject, objectFrom } from "../../src/core/json.ts";
import { mergeText } from "../../src/core/merge/merge-text.ts";
import type { Reference } from "../../src/core/template.ts";
import { linesOf } from "../../src/core/text-diff.ts";
import { changesBetween, type MergeRules, sameOnRelevant, threeWay } from "../../src/core/three-way.ts";

const TAGS: Reference = { namespace: "snapshot", steps: [{ kind: "member", name: "tags" }], text: "tags" };
const RULES: MergeRules = { ignore: [], sets: [TAGS], identity: [], relevant: undefined };
const RUNS = { numRuns: 400 };

const scalar = fc.constantFrom<Json>(null, true, 0, 1, "a", "");
const record = (value: fc.Arbitrary<Json>) =>
  fc.record({ id: fc.constantFrom(1, 2, 3, 4), n: value }, { requiredKeys: ["id"] }) as fc.Arbitrary<JsonObject>;
/** Small states that often share parts: objects, lists of scalars and lists of records, nested. */
const state = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "state" },
    scalar,
    fc.array(scalar, { maxLength: 3 }),
    fc.uniqueArray(record(tie("value")), { maxLength: 4, selector: (each) => each["id"] }),
    fc
      .dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("value"), { maxKeys: 3 })
      .map((each) => objectFrom(Object.entries(each))),
  ),
})).value;

/** Three states that share most of their parts, so that much of it merges. */
type Three = readonly [Json, Json, Json];
const three = fc.letrec<{ sides: Three }>((tie) => {
  const presence = fc.constantFrom("111", "111", "111", "011", "101", "110", "001", "010", "100");
  const members = fc.array(fc.tuple(presence, tie("sides")), { maxLength: 4 });
  const reversals = fc.constantFrom("000", "000", "100", "010", "001", "011", "110");
  const on = (side: number, all: readonly (readonly [string, Three])[]) =>
    all.flatMap(([there, sides], index) => (there[side] === "1" ? [[index, sides[side] as Json] as const] : []));
  const eachSide = (make: (side: number) => Json): Three => [make(0), make(1), make(2)];
  return {
    sides: fc.oneof(
      { maxDepth: 4, depthIdentifier: "three" },
      scalar.map((value): Three => [value, value, value]),
      fc.tuple(scalar, scalar, scalar),
      fc.tuple(state, state, state),
      members.map((all) => eachSide((side) => objectFrom(on(side, all).map(([index, value]) => [`m${index}`, value] as const)))),
      fc.tuple(members, reversals).map(([all, reversed]) =>
        eachSide((side) => {
          const records = on(side, all).map(([id, n]): Json => ({ id, n }));
          return reversed[side] === "1" ? records.reverse() : records;
        }),
      ),
    ),
  };
}).sides;

describe("whatever the states", () => {
  test("P3: where nobody else changed anything there, before comes back exactly", () => {
    fc.assert(
      fc.property(three, fc.array(scalar), fc.array(scalar), ([before, left], tagsBefore, tagsLeft) => {
        const [b, l, n] = [
          { s: before, tags: tagsBefore, x: 0 },
          { s: left, tags: tagsLeft, x: 0 },
          { s: left, tags: tagsLeft, x: 1 },
        ];
        const result = threeWay(b, l, n, RULES);
        if (sameOnRelevant(b, l, RULES)) return expect(result.kind).toBe("as-before");
        if (result.kind !== "merged") throw new Error(result.kind);
        const { s, tags } = result.value as { s: Json; tags: Json[] };
        expect(s).toEqual(before);
        expect(tags.map(String).sort()).toEqual(tagsBefore.map(String).sort());
        expect(result.kept).toEqual([{ path: "x", from: 0, to: 1 }]);
        expect(threeWay(b, l, l, RULES).kind).toBe("as-left");
      }),
      RUNS,
    );
  });

  test("P3: undo of nothing is nothing, and there is nothing to do where all is as before", () => {
    fc.assert(
      fc.property(three, ([a, b]) => {
        expect(threeWay(a, a, b, RULES).kind).toBe("as-before");
        expect(threeWay(a, b, a, RULES).kind).toBe("as-before");
      }),
      RUNS,
    );
  });

  test("P3: no place that somebody changed since is touched", () => {
    let merges = 0;
    fc.assert(
      fc.property(three, ([before, left, now]) => {
        const result = threeWay({ s: before, x: 0 }, { s: left, x: 1 }, { s: now, x: 1 }, RULES);
        if (result.kind !== "merged") return;
        if (result.kept.length > 0) merges++;
        const touched = changesBetween({ s: now, x: 1 }, result.value, RULES).map(({ path }) => path);
        const edited = changesBetween({ s: left, x: 1 }, { s: now, x: 1 }, RULES).map(({ path }) => path);
        expect(touched.filter((path) => edited.some((other) => isWithin(path, other) || isWithin(other, path)))).toEqual([]);
        expect(touched).toContain("x");
      }),
      { numRuns: 4000 },
    );
    expect(merges).toBeGreaterThan(100);
  });
});

function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`);
}

type Edit = "none" | "edit-a" | "edit-b" | "remove" | "add";
const agentEdit = fc.constantFrom<Edit>("none", "edit-a", "remove", "add");
const personEdit = fc.constantFrom<Edit>("none", "edit-b", "remove", "add");

/** Tells whether there is such a record before the edit of either. */
function isThere(agent: Edit, person: Edit): boolean {
  return agent !== "add" && person !== "add";
}

function edited(row: JsonObject | undefined, id: number, edit: Edit, by: string): JsonObject | undefined {
  if (edit === "remove") return undefined;
  if (edit === "add") return { id, a: by, b: by };
  if (row === undefined || edit === "none") return row;
  return { ...row, [edit === "edit-a" ? "a" : "b"]: by };
}

describe("edits of other places", () => {
  const edits = fc.array(fc.tuple(agentEdit, personEdit), { minLength: 1, maxLength: 7 }).map((all) =>
    // A record is one's alone, unless both only change fields of it.
    all.map(([agent, person]): [Edit, Edit] =>
      agent === "edit-a" && person === "edit-b" ? [agent, person] : agent === "none" ? [agent, person] : [agent, "none"],
    ),
  );

  for (const form of ["a list of records", "an object of records"] as const) {
    test(`P3: never conflict in ${form}, and each stands as if it had been the only one`, () => {
      fc.assert(
        fc.property(edits, (all) => {
          const sides = { before: [] as JsonObject[], left: [] as JsonObject[], now: [] as JsonObject[], meant: [] as JsonObject[] };
          for (const [id, [agent, person]] of all.entries()) {
            const before = isThere(agent, person) ? { id, a: "-", b: "-" } : undefined;
            const left = edited(before, id, agent, "agent");
            const rows = { before, left, now: edited(left, id, person, "person"), meant: edited(before, id, person, "person") };
            for (const side of ["before", "left", "now", "meant"] as const) if (rows[side] !== undefined) sides[side].push(rows[side]);
          }
          const as = (rows: JsonObject[]): Json =>
            form === "a list of records" ? rows : objectFrom(rows.map((row) => [`r${row["id"]}`, row] as const));
          const result = threeWay(as(sides.before), as(sides.left), as(sides.now), RULES);
          const isEditedBy = (index: 0 | 1) => all.some((edit) => edit[index] !== "none");
          if (!isEditedBy(0)) return expect(result.kind).toBe("as-before");
          if (!isEditedBy(1)) return expect(result.kind).toBe("as-left");
          if (result.kind !== "merged") throw new Error(`${result.kind}: ${JSON.stringify(sides)}`);
          const byId = (value: Json) =>
            Object.values(value as JsonObject).sort((x, y) => Number((x as JsonObject)["id"]) - Number((y as JsonObject)["id"]));
          expect(byId(result.value)).toEqual(byId(sides.meant));
        }),
        RUNS,
      );
    });
  }
});

describe("a text, whatever is in it", () => {
  const text = fc.array(fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "d"), { maxLength: 12 }).map((lines) => lines.join(""));

  test("P3: comes back exactly where nobody else changed it, and stays where the agent didn't", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(mergeText(one, other, other)).toMatchObject({ text: one, conflicts: [], kept: 0, already: 0 });
        expect(mergeText(one, one, other)).toMatchObject({ text: other, conflicts: [], reverted: 0, already: 0 });
        expect(mergeText(one, other, one)).toMatchObject({ text: one, conflicts: [], reverted: 0, kept: 0 });
      }),
      RUNS,
    );
  });

  test("P3: has every line that somebody added, and none that somebody removed", () => {
    const line = fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "d\n", "e\n", "f\n", "");
    const changedBy = {
      nobody: line.map((all) => [all, all, all] as const),
      agent: fc.tuple(line, line).map(([before, left]) => [before, left, left] as const),
      person: fc.tuple(line, line).map(([left, now]) => [left, left, now] as const),
    };
    const lines = fc.array(
      fc.oneof({ arbitrary: changedBy.nobody, weight: 6 }, changedBy.agent, changedBy.person, fc.tuple(line, line, line)),
      { minLength: 4, maxLength: 25 },
    );
    const texts = lines.map((all) => [0, 1, 2].map((side) => all.map((each) => each[side]).join("")) as [string, string, string]);
    let merges = 0;
    const counts = (value: string) => Map.groupBy(linesOf(value), (line) => line);
    fc.assert(
      fc.property(fc.oneof(texts, fc.tuple(text, text, text)), ([before, left, now]) => {
        const merged = mergeText(before, left, now);
        if (merged.conflicts.length > 0 || merged.already > 0) return;
        if (merged.kept > 0 && merged.reverted > 0) merges++;
        const [b, l, n, m] = [before, left, now, merged.text].map(counts);
        for (const line of new Set([before, left, now, merged.text].flatMap(linesOf))) {
          const count = (side: typeof b) => side?.get(line)?.length ?? 0;
          expect(count(m)).toBe(count(n) + count(b) - count(l));
        }
      }),
      { numRuns: 4000 },
    );
    expect(merges).toBeGreaterThan(40);
  });

  test("P3: with a line between any two edits never conflicts, and each stands as if it had been the only one", () => {
    const edit = fc.constantFrom("replace", "remove", "insert");
    const who = fc.constantFrom("agent", "person");
    fc.assert(
      fc.property(fc.array(fc.tuple(who, edit), { minLength: 1, maxLength: 12 }), fc.constantFrom("\n", "\r\n"), (all, end) => {
        const sides = { before: "", left: "", now: "", meant: "" };
        for (const [index, [by, kind]] of all.entries()) {
          const old = `line ${index}${end}`;
          const changed = { replace: `new ${index}${end}`, remove: "", insert: `${old}new ${index}${end}` }[kind];
          sides.before += old;
          sides.left += by === "agent" ? changed : old;
          sides.now += changed;
          sides.meant += by === "agent" ? old : changed;
          for (const side of ["before", "left", "now", "meant"] as const) sides[side] += `between${end}and ${index}${end}`;
        }
        expect(mergeText(sides.before, sides.left, sides.now)).toMatchObject({ text: sides.meant, conflicts: [], already: 0 });
      }),
      RUNS,
    );
  });
});

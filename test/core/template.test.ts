// What a policy's arguments become in a call.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { compileTemplate } from "../../src/core/compile-template.ts";
import { canonicalJson, type Json, parseJson, printJson } from "../../src/core/json.ts";
import { eachCanonicalPart } from "../../src/core/large.ts";
import { setLongText } from "../../src/core/long-text.ts";
import { placedReferencesIn, referencesIn } from "../../src/core/references-in.ts";
import { hasReplacementCharacter } from "../../src/core/result-value.ts";
import { type Bindings, resolve, type Template } from "../../src/core/template.ts";
import { writeTemplate } from "../../src/core/write-template.ts";

function compile(value: Json): Template {
  const compiled = compileTemplate(value);
  if (compiled.kind === "invalid") throw new Error(compiled.problems.map((problem) => problem.reason).join("; "));
  return compiled.template;
}
function resolved(value: Json, bindings: Bindings): Json {
  const resolution = resolve(compile(value), bindings);
  if (resolution.kind === "missing") throw new Error(`missing ${resolution.reference.text}`);
  return resolution.value;
}
function missing(value: Json, bindings: Bindings): string | undefined {
  const resolution = resolve(compile(value), bindings);
  return resolution.kind === "missing" ? resolution.reference.text : undefined;
}

describe("a template", () => {
  test("keeps a reference's type where it stands alone, and writes it as text inside text", () => {
    const bindings = { args: parseJson('{"id":12345678901234567890,"tags":["a"],"on":true,"none":null}') };
    expect(printJson(resolved({ id: "$.id", tags: "$.tags", on: "$.on", none: "$.none" }, bindings))).toBe(
      '{"id":12345678901234567890,"tags":["a"],"on":true,"none":null}',
    );
    expect(resolved("id $.id, tags $.tags, $.on $.none", bindings)).toBe('id 12345678901234567890, tags ["a"], true null');
  });

  test("takes a long text over without reading it", () => {
    const holder = {};
    const text = { size: 5, whole: () => "a\uFFFDb", eachPart: (put: (part: string) => void) => put("a\uFFFDb") };
    setLongText(holder, "text", { ...text, whole: () => expect.unreachable() });
    const value = resolved({ key: "$.id", content: "$snapshot.text" }, { args: { id: 7 }, snapshot: holder });
    const parts: string[] = [];
    eachCanonicalPart(value, (part) => parts.push(part));
    expect(parts.join("")).toBe(canonicalJson({ content: "a\uFFFDb", key: 7 }));
    expect([hasReplacementCharacter(value), hasReplacementCharacter({ key: 7 })]).toEqual([true, false]);
    setLongText(holder, "text", text);
    expect(resolved(["$snapshot.text", { text: "in $snapshot.text" }], { snapshot: holder })).toEqual([
      "a\uFFFDb",
      { text: "in a\uFFFDb" },
    ]);
  });

  test("takes $$ for a dollar, and a reference next to it for a reference", () => {
    expect(resolved("$$5 and $$.id, $$$.id", { args: { id: 7 } })).toBe("$5 and $.id, $7");
    expect(resolved("$$", {})).toBe("$");
  });

  test("shows what isn't known yet as it is written, and everything else that is missing as missing", () => {
    const early: Bindings = { args: {}, snapshot: {}, current: { size: 1 }, notYet: "current" };
    expect(resolved({ digest: "$current.digest", size: "$current.size" }, early)).toEqual({ digest: "$current.digest", size: 1 });
    expect(missing({ digest: "$snapshot.digest" }, early)).toBe("$snapshot.digest");
    expect(missing({ digest: "$current.digest" }, { args: {}, snapshot: {}, current: {} })).toBe("$current.digest");
  });

  test("without references is the very value, __proto__ included", () => {
    const value = parseJson('{"a":[1,2.50,{"__proto__":{"x":1}}],"b":null,"c":"text"}');
    expect(printJson(resolved(value, {}))).toBe(printJson(value));
  });

  test("resolves to plain data whatever the names", () => {
    const value = resolved(parseJson('{"__proto__":"$.x","constructor":"$.x"}'), { args: { x: { polluted: true } } });
    expect(printJson(value)).toBe('{"__proto__":{"polluted":true},"constructor":{"polluted":true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test("lists its references with their places", () => {
    const template = compile({ a: ["x", "$.b and $result.c"], d: { from: "$snapshot.d", missing: 0 } });
    expect(referencesIn(template).map((reference) => reference.text)).toEqual(["$.b", "$result.c", "$snapshot.d"]);
    expect(placedReferencesIn(template).map((placed) => placed.path)).toEqual([
      ["a", 1],
      ["a", 1],
      ["d", "from"],
    ]);
  });

  test("that is wrong says everything that is wrong, and where", () => {
    const compiled = compileTemplate({ a: "$snap.x", b: [{ c: "$.d[" }], e: { from: "text", missing: 1 } });
    expect(compiled.kind === "invalid" && compiled.problems.map((problem) => problem.path)).toEqual([["a"], ["b", 0, "c"], ["e", "from"]]);
  });
});

describe("a negated number", () => {
  const negated = (digits: string) => printJson(resolved({ from: "$.by", negate: true }, { args: parseJson(`{"by":${digits}}`) }));

  test("keeps its digits, whatever a double would make of them, and zero has no sign", () => {
    const pairs = [
      ["5", "-5"],
      ["-5", "5"],
      ["0.1", "-0.1"],
      ["2.50", "-2.50"],
      ["12345678901234567890", "-12345678901234567890"],
      ["-9007199254740993.000000000000001", "9007199254740993.000000000000001"],
      ["1E400", "-1E400"],
      ["0", "0"],
      ["-0", "0"],
      ["-0.00", "0.00"],
      ["0e7", "0e7"],
    ] as const;
    expect(pairs.map(([digits]) => negated(digits))).toEqual(pairs.map(([, expected]) => expected));
  });

  test("negated twice is the number", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        const once = resolved({ from: "$", negate: true }, { args: number });
        expect(Number(printJson(resolved({ from: "$", negate: true }, { args: once })))).toBe(number === 0 ? 0 : number);
      }),
    );
  });

  test("P3: that is no number, or isn't there, is missing, and says which", () => {
    const whyOf = (args: Json) => {
      const resolution = resolve(compile({ by: { from: "$.by", negate: true } }), { args });
      return resolution.kind === "missing" && [resolution.reference.text, resolution.why];
    };
    for (const by of ["5", null, true, [5], { n: 5 }]) expect(whyOf({ by })).toEqual(["$.by", "not-a-number"]);
    expect(whyOf({})).toEqual(["$.by", "absent"]);
  });

  test("is an ordinary object where there is more beside it", () => {
    expect(resolved({ from: "a", negate: true, to: "b" }, {})).toEqual({ from: "a", negate: true, to: "b" });
  });
});

describe("a reference that finds nothing", () => {
  test("is left out of its object or list under $.", () => {
    expect(resolved({ id: "$.id", notes: "$.notes", list: ["$.id", "$.notes"], deep: { x: "$.notes" } }, { args: { id: 1 } })).toEqual({
      id: 1,
      list: [1],
      deep: {},
    });
  });

  test("is missing under $., where it stands inside text or is the whole", () => {
    expect(missing({ name: "for $.who" }, { args: {} })).toBe("$.who");
    expect(missing("$.who", { args: {} })).toBe("$.who");
  });

  test("P3: is missing under $snapshot and $result, however deep", () => {
    expect(missing({ a: [{ b: "$snapshot.x" }] }, { args: {}, snapshot: {} })).toBe("$snapshot.x");
    expect(missing({ id: "$result.id" }, { args: {}, result: "created" })).toBe("$result.id");
    expect(missing({ id: "$result.id" }, { args: {} })).toBe("$result.id");
  });

  test("P3: is told before one that reads what nobody has said yet", () => {
    expect(missing({ a: "$result.id", b: ["$snapshot.x"] }, { args: {}, snapshot: {} })).toBe("$snapshot.x");
    expect(missing("$result.id and $.who", { args: {} })).toBe("$.who");
  });

  test("is supplied by missing:, but only once its namespace is known", () => {
    const template = { notes: { from: "$snapshot.notes", missing: { none: true } } };
    expect(resolved(template, { snapshot: {} })).toEqual({ notes: { none: true } });
    expect(resolved(template, { snapshot: { notes: null } })).toEqual({ notes: null });
    expect(missing(template, {})).toBe("$snapshot.notes");
  });
});

test("a template is written down as what it was compiled from", () => {
  const leaf = fc.oneof(
    fc.constantFrom<Json>("$.a", "$snapshot", '$result["a b"][0].c[]', "$current.n", "$$", "$$$.a$$", "id $.a, $$5.", {
      from: "$.n",
      negate: true,
    }),
    fc.record({ from: fc.constant("$snapshot.x"), missing: fc.jsonValue() as fc.Arbitrary<Json> }),
    fc.string().map((text) => text.replaceAll("$", "$$$$")),
    fc.constant(parseJson("12345678901234567890")),
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null)),
  );
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(leaf, fc.array(tie("value")), fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), tie("value"))),
  }));
  fc.assert(
    fc.property(value, (written) => {
      const template = compile(written);
      expect(printJson(writeTemplate(template))).toBe(printJson(written));
      expect(compile(writeTemplate(template))).toEqual(template);
    }),
  );
});

test("any value without a dollar resolves to itself", () => {
  fc.assert(
    fc.property(
      fc.jsonValue().filter((value) => !/\$|"(from|for_each)"/.test(JSON.stringify(value))),
      (value) => {
        expect(printJson(resolved(value as Json, {}))).toBe(printJson(value as Json));
      },
    ),
  );
});

test("any text, its dollars doubled, resolves to itself", () => {
  fc.assert(fc.property(fc.string(), (text) => expect(resolved(text.replaceAll("$", "$$$$"), {})).toBe(text)));
});

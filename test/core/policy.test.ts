// Which rule governs a tool.
import { describe, expect, test } from "bun:test";
import { matchesTool, ruleFor } from "../../src/core/match-rule.ts";
import type { Policy, Rule } from "../../src/core/policy.ts";
import type { ActionClass, Gate } from "../../src/core/vocabulary.ts";
import { processorTime } from "../support/patience.ts";

function rule(match: string, actionClass: ActionClass = "readonly", gate: Gate = "never"): Rule {
  return { match, class: actionClass, gate, ignore: [], failedWhen: [], position: { line: 1, column: 1 }, digest: match };
}
function governing(tool: string, ...rules: Rule[]): string {
  const found = ruleFor({ servers: [], rules } satisfies Policy, "kv", tool).rule;
  return found === "unmentioned" ? found : found.match;
}

describe("a pattern", () => {
  test("matches within one dot-separated segment", () => {
    expect(matchesTool("kv.get", "kv", "get")).toBe(true);
    expect(matchesTool("kv.*", "kv", "get")).toBe(true);
    expect(matchesTool("kv.*", "kv", "a.b")).toBe(false);
    expect(matchesTool("kv.*.b", "kv", "a.b")).toBe(true);
    expect(matchesTool("kv.a.b", "kv", "a.b")).toBe(true);
    expect(matchesTool("kv.get", "kv2", "get")).toBe(false);
    expect(matchesTool("kv.g*t", "kv", "gt")).toBe(true);
    expect(matchesTool("kv.g*t", "kv", "g")).toBe(false);
  });

  test("takes nothing but * as special", () => {
    expect(matchesTool("kv.a+b", "kv", "aab")).toBe(false);
    expect(matchesTool("kv.[ab]", "kv", "a")).toBe(false);
    expect(matchesTool("kv.a?", "kv", "ab")).toBe(false);
  });

  test("of many wildcards takes no time on a long name that doesn't match", () => {
    const spent = processorTime();
    expect(matchesTool(`kv.${"*a".repeat(20)}*b`, "kv", "a".repeat(200_000))).toBe(false);
    expect(spent()).toBeLessThan(1000);
  });
});

describe("of several rules", () => {
  test("the longest literal governs, whatever the order", () => {
    const rules = [rule("kv.*"), rule("kv.get_*"), rule("kv.get_one")];
    expect(governing("get_one", ...rules)).toBe("kv.get_one");
    expect(governing("get_one", ...rules.toReversed())).toBe("kv.get_one");
    expect(governing("get_two", ...rules)).toBe("kv.get_*");
    expect(governing("put", ...rules)).toBe("kv.*");
  });

  test("of equal literals the fewest wildcards govern", () => {
    expect(governing("get", rule("kv.*et*"), rule("kv.*et"))).toBe("kv.*et");
  });

  test("P5: of equal rank the stricter governs, and the other is named", () => {
    const loose = rule("kv.a*");
    const strict = rule("kv.*b", "irreversible", "always");
    for (const rules of [
      [loose, strict],
      [strict, loose],
    ]) {
      const found = ruleFor({ servers: [], rules }, "kv", "ab");
      expect(found).toEqual({ rule: strict, ties: [loose] });
    }
    expect(governing("ab", rule("kv.a*", "reversible", "never"), rule("kv.*b", "reversible", "on_write"))).toBe("kv.*b");
    expect(governing("ab", rule("kv.a*", "irreversible", "never"), rule("kv.*b", "reversible", "always"))).toBe("kv.a*");
  });

  test("P5: none that matches leaves the tool unmentioned", () => {
    expect(governing("put", rule("kv.get"), rule("crm.put"))).toBe("unmentioned");
    expect(governing("__proto__")).toBe("unmentioned");
  });
});

// What does a rule want looked at before a call, and after it? The keys `require` and `verify`.
import type { Check, Rule } from "../core/policy.ts";
import { ABSENCE_HINT } from "../core/read-terms.ts";
import { entryOf, itemsOf, type Located, type LocatedMap, memberOf, textOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";
import { readTemplate, type TemplateScope } from "./read-call.ts";
import { readCallWithTerms } from "./read-terms.ts";

/** Reads both lists; absent where the rule has none. */
export function readChecks(node: LocatedMap, before: TemplateScope, after: TemplateScope): Pick<Rule, "require" | "verify"> {
  const require = readList(memberOf(node, "require"), before);
  const verify = readList(memberOf(node, "verify"), after);
  return { ...(require.length === 0 ? {} : { require }), ...(verify.length === 0 ? {} : { verify }) };
}

function readList(node: Located | undefined, scope: TemplateScope): readonly Check[] {
  const names = new Set<string>();
  return itemsOf(node).flatMap((item) => {
    const check = item.kind === "map" ? readCheck(item, scope) : undefined;
    if (check === undefined) return [];
    if (names.has(check.name)) scope.problems.add(item.offset, `two checks are named \`${check.name}\``, "name each by what it shows");
    names.add(check.name);
    return [check];
  });
}

function readCheck(node: LocatedMap, scope: TemplateScope): Check | undefined {
  checkExpected(node, scope.problems);
  const name = textOf(memberOf(node, "name"));
  const read = readCallWithTerms(memberOf(node, "read"), scope);
  const absent = entryOf(node, "absent");
  if (absent !== undefined && read !== undefined && read.absentWhen.length === 0 && !read.absentResults?.length)
    scope.problems.add(absent.offset, "`absent` needs `absent_when` in the check's `read`, with words in it", ABSENCE_HINT);
  const expectNode = memberOf(node, "expect");
  const expect = expectNode && readTemplate(expectNode, scope);
  return name === undefined || read === undefined ? undefined : { name, read, expect };
}

function checkExpected(node: LocatedMap, problems: ProblemList): void {
  const expect = entryOf(node, "expect");
  const absent = entryOf(node, "absent");
  if (expect !== undefined && absent !== undefined)
    problems.add(absent.offset, "a check has either `expect` or `absent`", "make it two checks");
  else if (expect === undefined && absent === undefined)
    problems.add(
      node.offset,
      "a check says neither `expect` nor `absent`",
      "say what the read has to show, like `expect: { status: booked }`, or `absent: true`",
    );
  else if (expect?.value.kind === "map" && expect.value.entries.length === 0)
    problems.add(expect.offset, "`expect` names nothing, so everything would meet it");
}

// What does a rule say of how a read's answer is to be taken? The keys absent_when, extract, pages and complete, of each read.
import { patternTrouble } from "../core/extract.ts";
import type { SnapshotTemplate, StateRead } from "../core/policy.ts";
import type { Pages, ReadTerms } from "../core/read-terms.ts";
import { readIgnoredPath, readReference } from "../core/reference.ts";
import type { Namespace, PathStep } from "../core/template.ts";
import { entryOf, jsonOf, type Located, type LocatedMap, memberOf, recordOf, textOf, textsOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";
import { readCall, type StateNames, type TemplateScope } from "./read-call.ts";
import { isNamed } from "./shape.ts";

/** Reads how a state is read: by one call, or by several with names. */
export function readStateRead(node: Located | undefined, scope: TemplateScope): StateRead | undefined {
  if (node?.kind !== "map" || !isNamed(node.entries)) return readCallWithTerms(node, scope);
  const reads = node.entries.map(({ name, offset, value }) => {
    if (!/^[\p{L}\p{N}_-]+$/u.test(name))
      scope.problems.add(offset, `\`${name}\` can't be a read's name`, "use letters, digits, `-` and `_`, as for a member in a path");
    const call = readCallWithTerms(value, scope);
    return call && { name, ...call };
  });
  return reads.includes(undefined) ? undefined : { reads: reads.filter((read) => read !== undefined) };
}

/** Gives what there is in a state by the way it is read: the reads by their names, the fields that are extracted; undefined where that isn't said. */
export function namesOf(node: Located | undefined): StateNames | undefined {
  if (node?.kind !== "map") return undefined;
  if (isNamed(node.entries)) return new Map(node.entries.map(({ name, value }) => [name, namesOf(value)]));
  const extract = memberOf(node, "extract");
  return extract?.kind === "map" ? new Map(extract.entries.map(({ name }) => [name, undefined])) : undefined;
}

/** Reads one call that shows a state. */
export function readCallWithTerms(node: Located | undefined, scope: TemplateScope): SnapshotTemplate | undefined {
  const call = readCall(node, scope);
  const terms = node?.kind === "map" ? readTerms(node, scope.problems) : undefined;
  return call && terms && { ...call, ...terms };
}

function readTerms(node: LocatedMap, problems: ProblemList): ReadTerms {
  const absent = memberOf(node, "absent_when");
  const errors = absent?.kind === "map" ? memberOf(absent, "error") : absent;
  const results = absent?.kind === "map" ? memberOf(absent, "result") : undefined;
  const errorWords = textsOf(errors).map((text) => text.toLowerCase());
  // Said to be none is said, too: then no answer is absence.
  const saysNone = absent !== undefined && errorWords.length === 0;
  const extract = readPatterns(memberOf(node, "extract"), problems);
  const pages = readPages(memberOf(node, "pages"), problems);
  const complete = memberOf(node, "complete");
  const both = pages && extract && entryOf(node, "extract");
  if (both) problems.add(both.offset, "`extract` and `pages` don't go together", "a text has no list that goes on");
  const blocks = entryOf(node, "blocks");
  if (blocks && extract) problems.add(blocks.offset, "`blocks` and `extract` don't go together", "name two reads, one for each");
  if (absent?.kind === "map" && absent.entries.length === 0) problems.add(absent.offset, "`absent_when` says neither `error` nor `result`");
  return {
    absentWhen: errorWords,
    ...((results || saysNone) && { absentResults: readWholeTexts(results, "`absent_when`", problems) }),
    ...(extract && { extract }),
    ...(blocks && { blocks: true as const }),
    ...(pages && { pages }),
    ...(complete && { complete: jsonOf(complete) }),
  };
}

/** Reads patterns for whole texts; one that would match any is said. `what` names the key. */
export function readWholeTexts(node: Located | undefined, what: string, problems: ProblemList): readonly string[] {
  for (const item of node?.kind === "list" ? node.items : node === undefined ? [] : [node]) {
    if (/^\*+$/.test(textOf(item) ?? ""))
      problems.add(item.offset, `${what} would match every result`, 'say what the text begins with, like "Error: *"');
  }
  return textsOf(node);
}

/** Reads fields to take out of a text; patterns that can't be used are said. */
export function readPatterns(node: Located | undefined, problems: ProblemList): ReadTerms["extract"] {
  if (node?.kind !== "map") return undefined;
  if (node.entries.length === 0) problems.add(node.offset, "`extract` must not be empty", "leave it out");
  for (const { name, value } of node.entries) {
    const pattern = textOf(value);
    const trouble = pattern === undefined ? undefined : patternTrouble(pattern);
    if (trouble !== undefined)
      problems.add(value.offset, `the pattern of \`${name}\` can't be used: ${trouble}`, "patterns are written as for RE2");
  }
  return recordOf(node);
}

function readPages(node: Located | undefined, problems: ProblemList): Pages | undefined {
  if (node?.kind !== "map") return undefined;
  const read = (key: keyof Pages, namespace: Namespace | undefined, example: string) => {
    const value = memberOf(node, key);
    const text = textOf(value);
    if (value === undefined || text === undefined || text.trim() === "") return "";
    const found = namespace === undefined ? readIgnoredPath(text) : readReference(text, 0);
    const isPath =
      found.kind === "reference" &&
      found.end === text.length &&
      isToMember(found.reference.steps) &&
      (namespace === undefined || found.reference.namespace === namespace);
    if (!isPath)
      problems.add(
        value.offset,
        found.kind === "invalid" ? found.reason : `\`${key}\` must name a member, like \`${example}\`; found \`${text}\``,
        found.kind === "invalid" ? `write it like \`${example}\`` : undefined,
      );
    return text;
  };
  return {
    cursor: read("cursor", "args", "$.cursor"),
    next: read("next", "snapshot", "$snapshot.nextCursor"),
    items: read("items", undefined, "items"),
  };
}

function isToMember(steps: readonly PathStep[]): boolean {
  return steps.length > 0 && steps.every(({ kind }) => kind === "member");
}

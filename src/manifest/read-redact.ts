// What does a rule keep out of the record, and does anything of it need that all the same? What isn't kept can't be put back, so nothing may.
import { type Rule, readsIn, templateOf } from "../core/policy.ts";
import { readsHidden } from "../core/redaction.ts";
import { readReference } from "../core/reference.ts";
import { pathsRead } from "../core/references-in.ts";
import { NAMESPACES, type Reference, type Template } from "../core/template.ts";
import { itemsOf, type LocatedMap, memberOf, textOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";

/** The parts of a rule that may need what is hidden. */
type Parts = Pick<Rule, "snapshot" | "inverse" | "observe" | "confirm" | "resource" | "require" | "verify">;

/** Reads `redact`; undefined where there is none. */
export function readRedact(node: LocatedMap, parts: Parts, problems: ProblemList): readonly string[] | undefined {
  const items = itemsOf(memberOf(node, "redact"));
  const hasState = parts.snapshot !== undefined || parts.observe !== undefined;
  const paths = items.flatMap((item) => {
    const text = textOf(item);
    if (text === undefined || text.trim() === "") return [];
    const reason = troubleWith(text, hasState);
    if (reason !== undefined) problems.add(item.offset, reason);
    return reason === undefined ? [{ text, offset: item.offset }] : [];
  });
  for (const { text, offset } of paths) {
    const needing = neededBy(parts, text);
    if (needing === undefined) continue;
    const hint = "what isn't recorded can't be put back: leave it out of one of the two";
    problems.add(offset, `\`${text}\` is kept out of the record, and ${needing.what} needs it`, hint);
  }
  return paths.length === 0 ? undefined : paths.map(({ text }) => text);
}

function troubleWith(text: string, hasState: boolean): string | undefined {
  const read = text.startsWith("$") ? readReference(text, 0) : undefined;
  if (read?.kind === "invalid") return read.reason;
  if (read === undefined || read.end !== text.length)
    return `\`redact\` names what is hidden by its path, like \`$.password\` or \`$result.token\`; found \`${text}\``;
  const { namespace, steps } = read.reference;
  if (namespace === "args" || namespace === "result") return undefined;
  if (namespace !== "snapshot") return `\`${text}\`: of a state, \`redact\` names the path in \`$snapshot\``;
  if (!hasState) return `\`${text}\`: the rule declares no \`snapshot\`, and no \`observe\``;
  return steps.length === 0 ? "`$snapshot` as a whole can't be hidden: name what is in it" : undefined;
}

function neededBy({ snapshot, inverse = [], observe, confirm, resource = [], require = [], verify = [] }: Parts, redacted: string) {
  const of = (what: string, templates: readonly (Template | undefined)[]) =>
    templates.flatMap((template) =>
      NAMESPACES.flatMap((namespace) =>
        (template === undefined ? [] : pathsRead(template, namespace)).map((steps) => ({ what, reference: { namespace, steps } })),
      ),
    );
  const reads: readonly { readonly what: string; readonly reference: Pick<Reference, "namespace" | "steps"> }[] = [
    ...of("the snapshot", snapshot === undefined ? [] : readsIn(snapshot).map(templateOf)),
    ...of("the inverse", inverse.map(templateOf)),
    ...of("the observation", observe === undefined ? [] : readsIn(observe).map(templateOf)),
    ...of("the confirmation", confirm === undefined ? [] : readsIn(confirm).map(templateOf)),
    ...of("`resource`", resource),
    ...of(
      "a check",
      [...require, ...verify].flatMap(({ read, expect }) => [templateOf(read), expect]),
    ),
  ];
  return reads.find(({ reference }) => readsHidden(reference, [redacted]));
}

// How does a rule want two states compared and merged, and what does it say about undoing? The keys ignore, sets, identity, commutes and undo.
import { readDuration } from "../core/duration.ts";
import type { Rule, UndoTerms } from "../core/policy.ts";
import { printPath, readIgnoredPath } from "../core/reference.ts";
import { placedReferencesIn } from "../core/references-in.ts";
import type { PathStep, Reference } from "../core/template.ts";
import { entryOf, itemsOf, type Located, type LocatedMap, memberOf, offsetAt, textOf } from "./located.ts";
import type { ProblemList } from "./problem.ts";
import { nameTrouble } from "./read-call.ts";
import { namesOf } from "./read-terms.ts";

/** What these keys say; absent where they say nothing. */
export type UndoKeys = Pick<Rule, "ignore" | "sets" | "identity" | "commutes" | "undo">;

/** Reads them. `inverse`: the rule's, if it has one that can be read. */
export function readUndoKeys(node: LocatedMap, inverse: Rule["inverse"], problems: ProblemList): UndoKeys {
  const sets = readPaths(node, "sets", problems, setTrouble);
  const identity = readPaths(node, "identity", problems, identityTrouble);
  checkOneIdentity(node, identity, problems);
  for (const name of ["sets", "identity"]) checkCompared(node, name, problems);
  const commutes = checkCommutes(node, inverse, problems);
  const undo = readTerms(memberOf(node, "undo"));
  return {
    ignore: readPaths(node, "ignore", problems, () => undefined),
    ...(sets.length === 0 ? {} : { sets }),
    ...(identity.length === 0 ? {} : { identity }),
    ...(commutes ? { commutes } : {}),
    ...(Object.keys(undo).length === 0 ? {} : { undo }),
  };
}

/** Reads the paths of a key; those with which something is wrong are said, and left out. */
function readPaths(
  node: LocatedMap,
  key: string,
  problems: ProblemList,
  trouble: (steps: readonly PathStep[], text: string) => string | undefined,
): readonly Reference[] {
  const names = namesOf(memberOf(node, "snapshot") ?? memberOf(node, "observe"));
  return itemsOf(memberOf(node, key)).flatMap((item) => {
    const text = textOf(item);
    if (text === undefined || text.trim() === "") return [];
    const read = readIgnoredPath(text);
    const reason = read.kind === "invalid" ? read.reason : (nameTrouble(read.reference, names) ?? trouble(read.reference.steps, text));
    if (reason !== undefined) problems.add(item.offset, reason);
    return read.kind === "reference" && reason === undefined ? [read.reference] : [];
  });
}

function setTrouble(steps: readonly PathStep[], text: string): string | undefined {
  if (steps.at(-1)?.kind !== "each") return undefined;
  return `\`sets\` names the list itself, not its members: write \`${printPath(steps.slice(0, -1)) || text}\``;
}

function identityTrouble(steps: readonly PathStep[], text: string): string | undefined {
  if (steps.at(-1)?.kind === "member" && steps.at(-2)?.kind === "each") return undefined;
  return `\`identity\` names a member of every record of a list, like \`items[].sku\`; found \`${text}\``;
}

function checkOneIdentity(node: LocatedMap, identity: readonly Reference[], problems: ProblemList): void {
  const seen = new Map<string, string>();
  for (const { steps, text } of identity) {
    const list = printPath(steps.slice(0, -1));
    const first = seen.get(list);
    seen.set(list, first ?? text);
    const place = itemsOf(memberOf(node, "identity")).findLast((item) => textOf(item) === text);
    if (first !== undefined)
      problems.add(place?.offset ?? node.offset, `\`${list}\` has two members as its identity: \`${first}\` and \`${text}\``, "name one");
  }
}

function checkCompared(node: LocatedMap, key: string, problems: ProblemList): void {
  const entry = entryOf(node, key);
  if (entry === undefined || memberOf(node, "snapshot") !== undefined || memberOf(node, "observe") !== undefined) return;
  problems.add(entry.offset, `\`${key}\`: the rule has neither \`snapshot\` nor \`observe\`, so no states are compared`);
}

/** What is written back from the past undoes what was added since: that never commutes. */
function checkCommutes(node: LocatedMap, inverse: Rule["inverse"], problems: ProblemList): true | undefined {
  const entry = entryOf(node, "commutes");
  if (entry === undefined || entry.value.kind !== "scalar" || entry.value.value !== true) return undefined;
  const inverseNode = memberOf(node, "inverse");
  if (inverseNode === undefined) {
    problems.add(entry.offset, "`commutes`: the rule has no `inverse`");
    return undefined;
  }
  const isList = inverseNode.kind === "list";
  const reads = (inverse ?? [])
    .flatMap(({ forEach, args }, at) => [
      ...(forEach ? placedReferencesIn(forEach, [...(isList ? [at] : []), "for_each"]) : []),
      ...placedReferencesIn(args, [...(isList ? [at] : []), "args"]),
    ])
    .find(({ reference }) => reference.namespace === "snapshot");
  if (reads !== undefined)
    problems.add(
      offsetAt(inverseNode, reads.path),
      `\`${reads.reference.text}\`: an inverse that writes back what was there doesn't commute with what came since`,
      "leave `commutes` out, or offset the change by what `$.` and `$result.` say",
    );
  return reads === undefined ? true : undefined;
}

function readTerms(node: Located | undefined): UndoTerms {
  const within = readDuration(textOf(memberOf(node, "within")) ?? "");
  const sideEffects = textOf(memberOf(node, "side_effects"));
  const cost = textOf(memberOf(node, "cost"));
  const remedy = textOf(memberOf(node, "remedy"));
  return {
    ...(within === undefined ? {} : { within }),
    ...(sideEffects === undefined ? {} : { sideEffects }),
    ...(cost === undefined ? {} : { cost }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}

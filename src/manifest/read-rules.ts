// Which rules does a manifest give, and do their parts fit together? Everything that can be told without the servers is told here.
import { digestOf } from "../core/digest.ts";
import { matchesServer, parseToolName } from "../core/match-rule.ts";
import type { Autonomy, Presence, Rule } from "../core/policy.ts";
import type { Namespace } from "../core/template.ts";
import { ACTION_CLASSES, type ActionClass, GATES, type Gate } from "../core/vocabulary.ts";
import { entryOf, itemsOf, jsonOf, type Located, type LocatedMap, memberOf, textOf } from "./located.ts";
import { overlay } from "./overlay.ts";
import type { ProblemList } from "./problem.ts";
import { readBounds } from "./read-bounds.ts";
import { readBy } from "./read-by.ts";
import { addUndeclared, readInverse, readTemplate, type TemplatePlace } from "./read-call.ts";
import { readChecks } from "./read-checks.ts";
import { readRedact } from "./read-redact.ts";
import { readSamples } from "./read-samples.ts";
import { checkSql, readSql } from "./read-sql.ts";
import { namesOf, readPatterns, readStateRead, readWholeTexts } from "./read-terms.ts";
import { readUndoKeys } from "./read-undo-keys.ts";

/** What the rules are read with. */
export interface RuleContext {
  /** Every declared server's name. */
  readonly servers: readonly string[];
  /** `failed_when` of each server that has one. */
  readonly failedWhen: ReadonlyMap<string, readonly string[]>;
  readonly autonomy: Autonomy;
  readonly environment: string | undefined;
  readonly problems: ProblemList;
}

/** Reads the rules; what is wrong is said, and left out. */
export function readRules(tools: Located | undefined, context: RuleContext): readonly Rule[] {
  const rules: Rule[] = [];
  const places = new Map<string, number>();
  for (const node of tools?.kind === "list" ? tools.items : []) {
    if (node.kind !== "map") continue;
    const rule = readRule(node, context);
    if (rule === undefined) continue;
    checkSql(node, rule, context.problems);
    const offset = memberOf(node, "match")?.offset ?? node.offset;
    const first = places.get(rule.match);
    if (first !== undefined)
      context.problems.add(
        offset,
        `duplicate pattern \`${rule.match}\``,
        `the first is in line ${context.problems.positionAt(first).line}`,
      );
    places.set(rule.match, first ?? offset);
    rules.push(rule);
  }
  return rules;
}

function readRule(node: LocatedMap, context: RuleContext): Rule | undefined {
  const match = textOf(memberOf(node, "match"));
  if (match !== undefined) checkMatch(match, memberOf(node, "match") ?? node, context);
  const by = readBy(node, context.problems);
  if (by === undefined) return readWhole(node, { match }, context);
  const rules = by.cases.flatMap(({ name, value }) => {
    const rule = value.kind === "map" ? readWhole(overlay(node, value), { match, case: name }, context) : undefined;
    return rule === undefined ? [] : [[name, rule] as const];
  });
  if (match === undefined) return undefined;
  // A call without a case is governed by this much: irreversible, and held.
  return {
    match,
    cases: { by: by.reference, rules: new Map(rules) },
    class: "irreversible",
    gate: "always",
    ...withRedact(redactOfAny(readRedact(node, { ...readParts(node, undefined, context) }, context.problems), rules)),
    ...readBounds(node, context.environment, context.problems), // what denies a call denies it whatever the case
    ignore: [],
    failedWhen: [],
    ...readSamples(node, context),
    position: context.problems.positionAt(node.offset),
    digest: digestOf(jsonOf(node)),
  };
}

/** A value that no case knows may be meant for any of them (`SET` for `set`). */
function redactOfAny(own: Rule["redact"] = [], cases: readonly (readonly [string, Rule])[]): Rule["redact"] {
  const paths = new Set([...own, ...cases.flatMap(([, rule]) => rule.redact ?? [])]);
  return paths.size === 0 ? undefined : [...paths];
}

function withRedact(redact: Rule["redact"]): Pick<Rule, "redact"> {
  return redact === undefined ? {} : { redact };
}

/** Which part of a rule it is; neither a case nor a variant: the rule itself. */
type Part = { readonly match: string | undefined } & Pick<Rule, "case" | "when">;

/** Reads what governs a call, whole. */
function readWhole(node: LocatedMap, part: Part, context: RuleContext): Rule | undefined {
  const { problems } = context;
  const { match, ...which } = part;
  const actionClass = readClass(node, part, problems);
  if (actionClass !== undefined) checkParts(node, actionClass, problems);
  const parts = readParts(node, part.when, context);
  const variants = part.when === undefined && actionClass !== undefined ? readVariants(node, actionClass, part, context) : {};
  if (match === undefined || actionClass === undefined) return undefined;
  return {
    match,
    ...which,
    class: actionClass,
    gate: GATES.find((name) => name === textOf(memberOf(node, "gate"))) ?? defaultGate(actionClass, context.autonomy),
    ...parts,
    ...variants,
    ...withRedact(readRedact(node, { ...parts }, problems)),
    ...readBounds(node, context.environment, problems),
    ...readUndoKeys(node, parts.inverse, problems),
    ...readSql(node, problems),
    ...readSamples(node, context),
    failedWhen: [...readFailedWhen(memberOf(node, "failed_when"), problems), ...serverFailedWhen(match, context)],
    position: problems.positionAt(node.offset),
    // An approval of one part must not do for another.
    digest: digestOf(Object.keys(which).length === 0 ? jsonOf(node) : [jsonOf(node), which]),
  };
}

function readClass(node: LocatedMap, part: Part, problems: ProblemList): ActionClass | undefined {
  const what = part.when === undefined ? (part.case === undefined ? "a rule" : "a case") : `\`when_${part.when}\``;
  const written = memberOf(node, "class");
  if (written === undefined) problems.add(node.offset, `\`class\` is missing in ${what}`, "what undo can do for them");
  const actionClass = ACTION_CLASSES.find((name) => name === textOf(written));
  if (actionClass !== "readonly" || part.when === undefined) return actionClass;
  problems.add(
    written?.offset ?? node.offset,
    `${what} can't make a change a read`,
    "say what a change is: reversible, compensable or irreversible",
  );
  return undefined;
}

/** Reads what a rule is once it is known what its snapshot shows. */
function readVariants(
  node: LocatedMap,
  actionClass: ActionClass,
  part: Part,
  context: RuleContext,
): Pick<Rule, "whenAbsent" | "whenPresent"> {
  const read = (when: Presence): Rule | undefined => {
    const entry = entryOf(node, `when_${when}`);
    if (entry === undefined || entry.value.kind !== "map") return undefined;
    if (actionClass === "readonly") context.problems.add(entry.offset, `a readonly rule must not have \`${entry.name}\``);
    else if (memberOf(node, "snapshot") === undefined)
      context.problems.add(entry.offset, `\`${entry.name}\`: the rule declares no \`snapshot\`, which would show it`);
    else return readWhole(overlay(node, entry.value), { ...part, when }, context);
    return undefined;
  };
  const [whenAbsent, whenPresent] = [read("absent"), read("present")];
  return { ...(whenAbsent && { whenAbsent }), ...(whenPresent && { whenPresent }) };
}

function readParts(
  node: LocatedMap,
  when: Presence | undefined,
  { servers, problems }: RuleContext,
): Pick<Rule, "snapshot" | "inverse" | "observe" | "confirm" | "resource" | "resultFields"> {
  const hasRead = memberOf(node, "snapshot") !== undefined;
  const known: readonly Namespace[] = hasRead && when !== "absent" ? ["args", "result", "snapshot"] : ["args", "result"];
  const names = namesOf(memberOf(node, "snapshot"));
  const scope = (allowed: readonly Namespace[], place: TemplatePlace) => ({ servers, problems, allowed, place, when, names });
  const snapshot = readStateRead(memberOf(node, "snapshot"), scope(["args"], "a snapshot"));
  const inverse = readInverse(memberOf(node, "inverse"), scope(hasRead ? [...known, "current"] : known, "an inverse"));
  const fields = readPatterns(memberOf(node, "extract"), problems);
  const observe = readStateRead(memberOf(node, "observe"), scope(known, "an observation"));
  const beforehand = known.filter((name) => name !== "result");
  const confirm = readStateRead(memberOf(node, "confirm"), scope(beforehand, "a confirmation"));
  const resource = itemsOf(memberOf(node, "resource"))
    .map((item) => readTemplate(item, scope(known, "a resource")))
    .filter((template) => template !== undefined);
  return {
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(inverse === undefined ? {} : { inverse }),
    ...(observe === undefined ? {} : { observe }),
    ...(confirm === undefined ? {} : { confirm }),
    ...(resource.length === 0 ? {} : { resource }),
    ...(fields && { resultFields: fields }),
    ...readChecks(node, scope(beforehand, "a requirement"), scope(known, "a verification")),
  };
}

function checkMatch(match: string, node: Located, { servers, problems }: RuleContext): void {
  const name = parseToolName(match);
  if (name === undefined) {
    const example = servers[0] === undefined ? "`server.tool`" : `\`${servers[0]}.${match.replaceAll(".", "") || "tool"}\``;
    problems.add(node.offset, `\`match\` must be qualified, as server.tool; found \`${match}\``, `did you mean ${example}?`);
  } else if (!servers.some((server) => matchesServer(match, server))) {
    addUndeclared(name.server, node, servers, problems);
  }
}

function checkParts(node: LocatedMap, actionClass: ActionClass, problems: ProblemList): void {
  const undoable = actionClass === "reversible" || actionClass === "compensable";
  const inverse = entryOf(node, "inverse");
  if (undoable && inverse === undefined) {
    problems.add(node.offset, `a ${actionClass} rule needs an \`inverse\``, "say which call puts it back, or make it irreversible");
  }
  const rule = `${actionClass === "readonly" ? "a" : "an"} ${actionClass} rule`;
  for (const name of undoable
    ? []
    : ["inverse", "observe", "confirm", ...(actionClass === "readonly" ? ["undo", "require", "verify"] : [])]) {
    const entry = entryOf(node, name);
    if (entry !== undefined) problems.add(entry.offset, `${rule} must not have \`${name}\``);
  }
  for (const name of undoable ? [] : ["within", "side_effects", "cost"]) {
    const entry = entryOf(memberOf(node, "undo"), name);
    if (entry !== undefined && actionClass === "irreversible")
      problems.add(entry.offset, `${rule} is never undone: of \`undo\` it can only have \`remedy\``);
  }
}

/** Reads `failed_when` of a rule or a server. */
export function readFailedWhen(node: Located | undefined, problems: ProblemList): readonly string[] {
  return readWholeTexts(node, "`failed_when`", problems);
}

function serverFailedWhen(match: string, { servers, failedWhen }: RuleContext): readonly string[] {
  return servers.filter((server) => matchesServer(match, server)).flatMap((server) => failedWhen.get(server) ?? []);
}

function defaultGate(actionClass: ActionClass, autonomy: Autonomy): Gate {
  const answer = actionClass === "readonly" ? undefined : autonomy[actionClass];
  if (answer === undefined || answer === "deny") return actionClass === "irreversible" ? "always" : "never";
  return answer === "ask" ? "always" : "never";
}

// Under which rule does a call go whose gate is `on_write`? Under one for reads where its SQL certainly is one, else under one that holds it.
import { isJsonObject, type Json } from "../core/json.ts";
import type { Rule, SqlArgument } from "../core/policy.ts";
import { readPath } from "../core/reference.ts";
import { certainRead } from "./certain-read.ts";

/** More than this many texts in a call aren't looked at. */
const MAX_TEXTS = 20;

/**
 * Gives the rule for this very call. A certain read is `readonly` and passes, whatever the rule is for changes; anything else keeps its gate,
 * says why in `unclear`, and is a change. Never rejects.
 */
export async function ruleOnWrite(rule: Rule, args: Json): Promise<Rule> {
  const unclear = await findUnclear(rule.sql, args);
  if (unclear === undefined) return asRead(rule);
  // What may write isn't a read, even where the rule says so of the tool.
  return { ...rule, class: rule.class === "readonly" ? "irreversible" : rule.class, unclear };
}

/** What a rule says about changes doesn't count; what it accepts, and from whom, does. */
function asRead(rule: Rule): Rule {
  const { snapshot, observe, inverse, resource, whenAbsent, whenPresent, sets, identity, commutes, undo, require, verify, ...kept } = rule;
  return { ...kept, class: "readonly", gate: "never", ignore: [] };
}

/** Says what isn't certainly a read, as a part of a sentence. */
async function findUnclear(sql: SqlArgument | undefined, args: Json): Promise<string | undefined> {
  if (sql !== undefined) {
    const found = readPath(args, sql.statement.steps);
    if (found.kind === "absent") return `there is no ${sql.statement.text}`;
    return typeof found.value === "string" ? why(found.value, sql.dialect) : `${sql.statement.text} is no text`;
  }
  const texts = textsIn(args);
  if (texts === undefined) return `it has more than ${MAX_TEXTS} texts, or names that may be more than names`;
  if (texts.length === 0) return "there is no text in it";
  for (const text of texts) {
    const unclear = await why(text, undefined);
    if (unclear !== undefined) return unclear;
  }
  return undefined;
}

async function why(...statement: Parameters<typeof certainRead>): Promise<string | undefined> {
  const reading = await certainRead(...statement);
  return reading.kind === "read" ? undefined : reading.why;
}

/** Gives every text at any depth; undefined where they are too many, or a member's name isn't a plain word. */
function textsIn(args: Json): readonly string[] | undefined {
  const waiting: Json[] = [args];
  const texts: string[] = [];
  for (let at = 0; at < waiting.length; at += 1) {
    const value = waiting[at];
    if (typeof value === "string" && texts.push(value) > MAX_TEXTS) return undefined;
    if (Array.isArray(value)) for (const item of value) waiting.push(item);
    if (!isJsonObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      if (!/^\w{1,40}$/.test(name)) return undefined;
      waiting.push(member);
    }
  }
  return texts;
}

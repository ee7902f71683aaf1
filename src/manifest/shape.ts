// Which keys may a manifest hold, and what may stand behind each? One description, for the loader and for the published JSON Schema.
// It says nothing about how the parts fit together; read-servers.ts and read-rules.ts do.
import { ACTION_CLASSES, GATES, SQL_DIALECTS } from "../core/vocabulary.ts";
import { ANY_TEXTS, type KeyShape, type ObjectShape, type Shape, TEXT, TEXTS } from "./shape-kinds.ts";
import { SERVER, TOKEN } from "./shape-servers.ts";

const CALL: Readonly<Record<string, KeyShape>> = {
  tool: { shape: TEXT, required: true, about: "the tool to call, as `server.tool`" },
  args: { shape: { kind: "template" }, about: "its arguments, with references" },
};

const ABSENCE: ObjectShape = {
  kind: "object",
  name: "`absent_when`",
  keys: {
    error: { shape: ANY_TEXTS, about: "what the server's error says" },
    result: { shape: ANY_TEXTS, about: "whole texts (`*` for anything) of a plain result" },
  },
};

const PAGES: ObjectShape = {
  kind: "object",
  name: "`pages`",
  keys: {
    cursor: { shape: TEXT, required: true, about: "the read's argument that takes the cursor, like `$.cursor`" },
    next: { shape: TEXT, required: true, about: "where an answer has the next cursor, like `$snapshot.nextCursor`" },
    items: { shape: TEXT, required: true, about: "the list that goes on, like `items`" },
  },
};

const READ: Readonly<Record<string, KeyShape>> = {
  ...CALL,
  absent_when: {
    shape: { kind: "texts-or", more: ABSENCE },
    about: "what the server says when the thing does not exist; `[]`: this read says that of nothing",
  },
  extract: { shape: { kind: "map", values: TEXT }, about: "fields to take out of the text, each by a pattern (RE2)" },
  blocks: { shape: { kind: "true" }, about: "the state is the list of the answer's blocks, files and pictures too" },
  pages: { shape: PAGES, about: "how the read goes on where one answer doesn't show everything" },
  complete: { shape: { kind: "map", values: { kind: "any" } }, about: "the parts that a whole answer has; any other is a failed read" },
};

const REPEATED: Readonly<Record<string, KeyShape>> = {
  ...CALL,
  for_each: { shape: TEXT, about: "a list: the call is made once for each element, which is `$item` in its arguments" },
};

function call(name: string, reads: boolean): ObjectShape {
  return { kind: "object", name, keys: reads ? READ : REPEATED };
}

/** Tells whether a mapping holds several reads behind names, not one read. */
export function isNamed(entries: readonly { readonly name: string }[]): boolean {
  return entries.length > 0 && !entries.some(({ name }) => Object.hasOwn(READ, name));
}

const PATHS: Shape = { kind: "list", items: TEXT };

const UNDO_TERMS: ObjectShape = {
  kind: "object",
  name: "`undo`",
  keys: {
    within: { shape: { kind: "duration" }, about: "for how long after the call it can be undone, like 7d" },
    side_effects: { shape: TEXT, about: "what undoing does besides" },
    cost: { shape: TEXT, about: "what undoing costs" },
    remedy: { shape: TEXT, about: "what a person may do where nothing puts it back" },
  },
};

const CHECKS: Shape = {
  kind: "list",
  items: {
    kind: "object",
    name: "a check",
    keys: {
      name: { shape: TEXT, required: true, about: "what it shows, in words" },
      read: { shape: call("the read of a check", true), required: true, about: "the tool to ask" },
      expect: { shape: { kind: "value" }, about: "what the read has to show; other members don't count" },
      absent: { shape: { kind: "true" }, about: "nothing may be there" },
    },
  },
};

const SQL: Shape = {
  kind: "object",
  name: "`sql`",
  keys: {
    statement: { shape: TEXT, required: true, about: "the argument with the statement, like `$.sql`" },
    dialect: { shape: { kind: "text", oneOf: SQL_DIALECTS }, required: true, about: "how it is written" },
  },
};

/** What may depend on what the snapshot shows. */
const VARIANT_KEYS: Readonly<Record<string, KeyShape>> = {
  class: { shape: { kind: "text", oneOf: ACTION_CLASSES }, about: "what undo can do for them" },
  gate: { shape: { kind: "text", oneOf: GATES }, about: "when a call waits for a person" },
  inverse: {
    shape: { kind: "one-or-more", items: call("an inverse", false) },
    about: "the call that puts it back, or a list of calls, made in order",
  },
  observe: { shape: { kind: "named", one: call("an observation", true) }, about: "the read that shows what the call left behind" },
  confirm: {
    shape: { kind: "named", one: call("a confirmation", true) },
    about: "a second, independent read: once the call is put back, it has to show what it showed before",
  },
  ignore: { shape: PATHS, about: "paths in the state that never count as drift" },
  sets: { shape: PATHS, about: "lists in the state whose order means nothing, like `tags`" },
  identity: { shape: PATHS, about: "by what the records of a list are told apart, like `items[].sku`" },
  commutes: { shape: { kind: "true" }, about: "the inverse is right whatever happened in between: nothing counts as drift" },
  extract: {
    shape: { kind: "map", values: TEXT },
    about: "fields to take out of the result's text, each by a pattern (RE2): what `$result` is then",
  },
  undo: { shape: UNDO_TERMS, about: "what undoing comes with, for the person who decides" },
  require: { shape: CHECKS, about: "what has to be so before a call is sent" },
  verify: { shape: CHECKS, about: "what shows, after a call, whether it really happened" },
  failed_when: { shape: TEXTS, about: "whole texts (`*` for anything) by which a plain result says that the call failed" },
};

function variant(name: string): ObjectShape {
  return { kind: "object", name, keys: VARIANT_KEYS };
}

/** Calls that try a rule out. */
const SAMPLES: Shape = {
  kind: "list",
  items: {
    kind: "object",
    name: "a sample",
    keys: {
      args: {
        shape: { kind: "template" },
        required: true,
        about: "the arguments of the call; `$result` is what the latest call of `before` gave",
      },
      before: {
        shape: { kind: "list", items: { kind: "object", name: "a call before a sample", keys: CALL } },
        about: "calls that prepare it; nothing undoes them",
      },
      check: {
        shape: { kind: "list", items: { kind: "object", name: "a read that checks a sample", keys: CALL } },
        about: "reads that have to show the same before the call and after its undo",
      },
      refused: {
        shape: { kind: "true" },
        about: "the server refuses it, or changes nothing by it: what would govern it is left out of the sum",
      },
      note: { shape: TEXT, about: "what the sample shows" },
    },
  },
};

const LIMITS: ObjectShape = {
  kind: "object",
  name: "`limits`",
  keys: {
    per_run: { shape: { kind: "count" }, about: "how many calls in one run" },
    per_minute: { shape: { kind: "count" }, about: "how many calls in any minute" },
    items: {
      shape: {
        kind: "object",
        name: "`items`",
        keys: {
          path: { shape: TEXT, required: true, about: "the argument that holds the list, like `$.names`" },
          max: { shape: { kind: "count" }, required: true, about: "how many elements it may have" },
        },
      },
      about: "how much one call may do",
    },
  },
};

/** What may depend on what a call says it does. */
const CASE_KEYS: Readonly<Record<string, KeyShape>> = {
  ...VARIANT_KEYS,
  snapshot: { shape: { kind: "named", one: call("a snapshot", true) }, about: "the read that captures the state before a change" },
  resource: { shape: TEXTS, about: "the things that a call touches, as texts with references" },
  args: { shape: { kind: "schema" }, about: "the arguments that the rule is for, as a JSON Schema" },
  limits: { shape: LIMITS, about: "how often, and how much at once" },
  redact: { shape: TEXTS, about: "what is kept out of the record, like `$.password`" },
  otherwise: { shape: { kind: "text", oneOf: ["hold", "deny"] }, about: "what becomes of a call beyond `args` or `limits` (default hold)" },
  scopes: { shape: TEXTS, about: "what the caller must be allowed, all of it" },
  environments: { shape: TEXTS, about: "the environments that the rule is for" },
  sql: { shape: SQL, about: "which argument `gate: on_write` reads, and in which dialect" },
  drill: { shape: SAMPLES, about: "calls by which `synartesis drill` proves it" },
  when_absent: { shape: variant("`when_absent`"), about: "what else holds where the snapshot finds nothing" },
  when_present: { shape: variant("`when_present`"), about: "what else holds where the snapshot finds something" },
};

const RULE: ObjectShape = {
  kind: "object",
  name: "a rule",
  keys: {
    match: { shape: TEXT, required: true, about: "the tools it is about, as `server.tool`; `*` stays within one dot-separated segment" },
    ...CASE_KEYS,
    by: { shape: TEXT, about: "the argument that says what a call does, like `$.method`" },
    cases: {
      shape: { kind: "map", values: { kind: "object", name: "a case", keys: CASE_KEYS } },
      about: "what holds for each value of that argument; a call with another value is held",
    },
  },
};

const ANSWER: Shape = { kind: "text", oneOf: ["allow", "ask", "deny"] };

const AUTONOMY: ObjectShape = {
  kind: "object",
  name: "`autonomy`",
  keys: {
    reversible: { shape: ANSWER, about: "for calls whose state is put back (default allow)" },
    compensable: { shape: ANSWER, about: "for calls that are offset (default allow)" },
    irreversible: { shape: ANSWER, about: "for calls that nothing undoes (default ask)" },
    unmentioned: { shape: { kind: "text", oneOf: ["ask", "deny"] }, about: "for tools that no rule mentions (default ask)" },
  },
};

/** The whole manifest. */
export const MANIFEST: ObjectShape = {
  kind: "object",
  name: "a manifest",
  keys: {
    version: { shape: { kind: "number", only: 1 }, required: true, about: "the version of the format" },
    servers: { shape: { kind: "map", values: SERVER }, required: true, about: "the guarded servers, by name" },
    tools: { shape: { kind: "list", items: RULE }, about: "the rules; a tool that none mentions is held" },
    autonomy: { shape: AUTONOMY, about: "what happens to calls of a class where a rule has no `gate`" },
    environment: { shape: TEXT, about: "what the manifest is for, like staging" },
    tokens: { shape: { kind: "list", items: TOKEN }, about: "who may come by HTTP (`proxy --http`)" },
  },
};

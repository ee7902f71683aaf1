// What does a server itself say of its tools, and of what a call did? Recorded and shown; it may make undo stricter. Never makes anything pass,
// or last longer, than the policy lets it: whoever says so may be wrong.
import { isJsonObject, type Json } from "./json.ts";

/** The annotations of a tool that are hints (MCP, ToolAnnotations); what a server doesn't say is absent. */
export type ToolHints = Readonly<Partial<Record<(typeof HINTS)[number], boolean>>>;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Reads the hints of a tool's annotations; undefined where there are none. */
export function toolHints(annotations: Json | undefined): ToolHints | undefined {
  if (!isJsonObject(annotations)) return undefined;
  const said = HINTS.filter((name) => typeof annotations[name] === "boolean");
  return said.length === 0 ? undefined : Object.fromEntries(said.map((name) => [name, annotations[name]]));
}

/** Tells whether the hints say that the tool is more than a read. */
export function deniesReading({ readOnlyHint, destructiveHint }: ToolHints): boolean {
  return readOnlyHint === false || destructiveHint === true;
}

/** Tells whether the hints are those that the protocol takes where nothing is said, which libraries write out where nobody chose any. */
export function areDefaults({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: ToolHints): boolean {
  return readOnlyHint === false && destructiveHint === true && idempotentHint === false && openWorldHint === true;
}

/** What the result of a call says of its effect, in `_meta["hatp/journal"]`. */
export interface EffectHints {
  readonly version?: string;
  readonly effect?: string;
  readonly sideEffects?: string;
  /** Until when it can be undone: ISO 8601, or what the server wrote, where that is no moment. */
  readonly undoBy?: string;
  /** It can't be undone. */
  readonly irreversible?: true;
}

/** ISO 8601, with or without a time, and with or without a zone. */
const MOMENT = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** Where they stand in `_meta`. */
const KEY = "hatp/journal";
/** Of a text that a server writes so much is kept. */
const LONGEST = 500;

/** Reads what a result says of the effect; undefined where it says nothing. */
export function effectOf(result: Json | undefined): EffectHints | undefined {
  const meta = isJsonObject(result) ? result["_meta"] : undefined;
  return isJsonObject(meta) ? readEffect(meta[KEY]) : undefined;
}

/** Reads the hints themselves, as a server has them or as they were recorded. */
export function readEffect(said: Json | undefined): EffectHints | undefined {
  if (!isJsonObject(said)) return undefined;
  const version = textOf(said["version"]);
  const effect = textOf(said["effect"]);
  const sideEffects = textOf(said["sideEffects"]);
  const undoBy = momentOf(said["undoBy"]);
  const found: EffectHints = {
    ...(version !== undefined && { version }),
    ...(effect !== undefined && { effect }),
    ...(sideEffects !== undefined && { sideEffects }),
    ...(undoBy !== undefined && { undoBy }),
    ...((said["irreversible"] === true || said["reversible"] === false) && { irreversible: true }),
  };
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Gives the moment that `undoBy` names, in milliseconds since the epoch; undefined where it names none. */
export function undoByOf(effect: EffectHints | undefined): number | undefined {
  const text = effect?.undoBy ?? "";
  const moment = MOMENT.test(text) ? Date.parse(text) : Number.NaN; // what isn't ISO 8601 is read differently everywhere
  return Number.isNaN(moment) ? undefined : moment;
}

/** A text, a number, a list of texts, or an object with a summary. */
function textOf(said: Json | undefined): string | undefined {
  if (Array.isArray(said))
    return textOf(
      said
        .map(textOf)
        .filter((text) => text !== undefined)
        .join("; "),
    );
  if (isJsonObject(said)) return textOf(said["summary"] ?? said["description"]);
  if (typeof said === "number") return String(said);
  return typeof said === "string" && said.trim() !== "" ? said.slice(0, LONGEST) : undefined;
}

/** A moment without a zone is taken for one in UTC; a number counts seconds or, from 10^11 on, milliseconds since the epoch. */
function momentOf(said: Json | undefined): string | undefined {
  if (typeof said === "number") {
    const moment = new Date(said < 1e11 ? said * 1000 : said);
    return Number.isNaN(moment.getTime()) ? String(said) : moment.toISOString();
  }
  const text = textOf(said);
  const [, time, , , zone] = MOMENT.exec(text ?? "") ?? [];
  const moment =
    text === undefined || !MOMENT.test(text) ? Number.NaN : Date.parse(time !== undefined && zone === undefined ? `${text}Z` : text);
  return Number.isNaN(moment) ? text : new Date(moment).toISOString();
}

/** What the record of a rule has of the tool's hints, when the call was made. */
export function hintsIn(rule: Json): ToolHints | undefined {
  return isJsonObject(rule) ? toolHints(rule["hints"]) : undefined;
}

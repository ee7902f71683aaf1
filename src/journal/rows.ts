// How does a row become an object? Tolerantly: a column that makes no sense is named in `damaged` and holds the most careful reading, so
// that one damaged row never hides the others. Never writes.
import { type EffectHints, readEffect } from "../core/hints.ts";
import { isJsonObject, type Json, parseJson } from "../core/json.ts";
import {
  ACTION_CLASSES,
  ACTION_STATUSES,
  DECISION_KINDS,
  REASONS,
  RUN_KINDS,
  RUN_STATES,
  SNAPSHOT_STATES,
  VERIFICATIONS,
} from "../core/vocabulary.ts";
import type { Cell, Row } from "./connection.ts";
import type { Action, Decision, ProcessIdentity, Run, ServerIdentity } from "./journal.ts";

export function toRun(row: Row): Run {
  const read = new RowReader(row);
  const run: Run = {
    id: read.text("id"),
    kind: read.word("kind", RUN_KINDS, "agent"),
    state: read.word("state", RUN_STATES, "open"),
    client: read.json("client", asClient),
    clientProcess: read.json("client_process", asProcess),
    clientHello: read.json("client_hello", (value) => value),
    identity: read.json("identity", asTextOrNull),
    policyDigest: read.text("policy_digest"),
    servers: read.json("servers", asServers) ?? [],
    undoes: read.optionalText("undoes"),
    plan: row["plan"] === null ? null : read.json("plan", asText),
    startedAt: read.number("started_at"),
    endedAt: read.optionalNumber("ended_at"),
  };
  return read.damaged.length === 0 ? run : { ...run, damaged: read.damaged };
}

/** Makes rows into actions; equal rules are one value in memory, since a run of thousands has a few. */
export function toActions(rows: Iterable<Row>): readonly Action[] {
  const rules = new Map<Cell | undefined, Json>();
  return Array.from(rows, (row) => {
    const action = toAction(row, rules.get(row["rule"]));
    if (action.damaged === undefined) rules.set(row["rule"], action.rule);
    return action;
  });
}

/** Makes a row into an action; `rule` is its rule where that has been read before. */
export function toAction(row: Row, rule?: Json): Action {
  const read = new RowReader(row);
  const action: Action = {
    id: read.text("id"),
    run: read.text("run"),
    seq: read.number("seq"),
    order: read.number("event"),
    server: read.json("server", asText) ?? "",
    tool: read.json("tool", asText) ?? "",
    class: read.word("class", ACTION_CLASSES, "irreversible"),
    status: read.word("status", ACTION_STATUSES, "unknown"),
    reason: row["reason"] === null ? null : read.word("reason", REASONS, null),
    detail: read.json("detail", asTextOrNull),
    rule: rule ?? read.json("rule", (value) => value),
    callKey: read.text("call_key"),
    resources: read.json("resources", asTexts) ?? [],
    args: read.text("args"),
    read: read.optionalText("read"),
    snapshotState: read.word("snapshot_state", SNAPSHOT_STATES, "none"),
    snapshot: read.optionalText("snapshot"),
    postState: read.word("post_state", SNAPSHOT_STATES, "none"),
    post: read.optionalText("post"),
    result: read.optionalText("result"),
    inverse: read.optionalText("inverse"),
    verification: row["verification"] === null ? null : read.word("verification", VERIFICATIONS, "inconclusive"),
    checks: read.optionalText("checks"),
    effect: row["effect"] === null ? null : read.json("effect", asEffect),
    undoes: read.optionalText("undoes"),
    approval: read.optionalText("approval"),
    receivedAt: read.number("received_at"),
    sentAt: read.optionalNumber("sent_at"),
    settledAt: read.optionalNumber("settled_at"),
  };
  return read.damaged.length === 0 ? action : { ...action, damaged: read.damaged };
}

export function toDecision(row: Row): Decision {
  const read = new RowReader(row);
  const decision: Decision = {
    id: read.text("id"),
    action: read.text("action"),
    kind: read.word("kind", DECISION_KINDS, "hold"),
    by: read.json("made_by", asText) ?? "",
    reasons: read.json("reasons", asTexts) ?? [],
    madeAt: read.number("made_at"),
    expiresAt: read.optionalNumber("expires_at"),
    spentBy: read.optionalText("spent_by"),
  };
  return read.damaged.length === 0 ? decision : { ...decision, damaged: read.damaged };
}

/** Reads the columns of one row and remembers which made no sense. */
class RowReader {
  readonly damaged: string[] = [];
  readonly #row: Row;

  constructor(row: Row) {
    this.#row = row;
  }

  text(column: string): string {
    const cell = this.#row[column];
    return typeof cell === "string" ? cell : this.#note(column, "");
  }

  optionalText(column: string): string | null {
    return this.#row[column] === null ? null : this.text(column);
  }

  number(column: string): number {
    const cell = this.#row[column];
    return typeof cell === "number" ? cell : this.#note(column, 0);
  }

  optionalNumber(column: string): number | null {
    return this.#row[column] === null ? null : this.number(column);
  }

  word<W extends string, F>(column: string, words: readonly W[], fallback: F): W | F {
    return words.find((word) => word === this.#row[column]) ?? this.#note(column, fallback);
  }

  /** `shape` gives undefined for a value of another shape. */
  json<T>(column: string, shape: (value: Json) => T | undefined): T | null {
    const cell = this.#row[column];
    try {
      const shaped = typeof cell === "string" ? shape(parseJson(cell)) : undefined;
      return shaped === undefined ? this.#note(column, null) : shaped;
    } catch {
      return this.#note(column, null);
    }
  }

  #note<T>(column: string, fallback: T): T {
    this.damaged.push(column);
    return fallback;
  }
}

function asText(value: Json): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function asTextOrNull(value: Json): string | null | undefined {
  return value === null ? null : asText(value);
}

function asTexts(value: Json): readonly string[] | undefined {
  return isList(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

function asClient(value: Json): Run["client"] | undefined {
  if (value === null) return null;
  if (!isJsonObject(value)) return undefined;
  const { name, version } = value;
  return typeof name === "string" && typeof version === "string" ? { name, version } : undefined;
}

function asProcess(value: Json): ProcessIdentity | null | undefined {
  if (value === null) return null;
  if (!isJsonObject(value)) return undefined;
  const { pid, startTicks, bootId } = value;
  return typeof pid === "number" && typeof startTicks === "string" && typeof bootId === "string" ? { pid, startTicks, bootId } : undefined;
}

function asServers(value: Json): readonly ServerIdentity[] | undefined {
  if (!isList(value)) return undefined;
  const servers = value.map(asServer);
  return servers.every((server) => server !== undefined) ? servers : undefined;
}

function asServer(value: Json): ServerIdentity | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, source, info, process, roots, schemas, hidden } = value;
  const running = process === undefined ? undefined : asProcess(process);
  if (typeof name !== "string" || !isJsonObject(source) || info === undefined || roots === undefined || running === undefined)
    return undefined;
  const marks = schemas === undefined ? {} : asMarks(schemas);
  return marks && { name, source, info, process: running, roots, ...marks, ...(hidden === true && { hidden }) };
}

function asEffect(value: Json): EffectHints | undefined {
  return readEffect(value);
}

function asMarks(value: Json): Pick<ServerIdentity, "schemas"> | undefined {
  if (!isJsonObject(value)) return undefined;
  const marks = Object.entries(value).flatMap(([tool, mark]) => (typeof mark === "string" ? [[tool, mark] as const] : []));
  return marks.length === Object.keys(value).length ? { schemas: Object.fromEntries(marks) } : undefined;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

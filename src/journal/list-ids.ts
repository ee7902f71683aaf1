// Which ids could somebody mean? Looked up for a shell that completes a word. Never writes, migrates or waits for long: it runs at a key press.
import { SETTLED_STATUSES } from "../core/vocabulary.ts";
import { Connection, type Row } from "./connection.ts";
import { HOLD_EXPIRES_IN } from "./decisions.ts";
import { behindLink } from "./folder.ts";

/** An id, and what is known of it at once. */
export interface KnownId {
  readonly id: string;
  /** Of a run its kind and client, of an action its server and tool, as others gave them. */
  readonly about: string;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
}

/** So many are given: nobody chooses among more. */
const AT_MOST = 100;

const RUNS = (where: string) =>
  `SELECT id, CASE kind WHEN 'agent' THEN coalesce(json_extract(client, '$.name'), 'unknown client') ELSE kind END AS about,
     started_at AS at FROM runs WHERE ${where} ORDER BY event DESC LIMIT ${AT_MOST}`;
const ACTIONS = (where: string) =>
  `SELECT id, server || '.' || tool AS about, received_at AS at FROM actions WHERE ${where} ORDER BY event DESC LIMIT ${AT_MOST}`;

const LISTS = {
  runs: RUNS("true"),
  "open-runs": RUNS("state = 'open'"),
  "undoable-runs": RUNS(
    `kind = 'agent' AND EXISTS (SELECT 1 FROM actions WHERE run = runs.id AND class <> 'readonly'
       AND status NOT IN (${SETTLED_STATUSES.map((status) => `'${status}'`).join(", ")}))`,
  ),
  "undo-runs": RUNS("kind = 'undo' AND state <> 'undone'"),
  "held-calls": ACTIONS(`status = 'held' AND received_at > :now - ${HOLD_EXPIRES_IN}`),
  "deniable-calls": ACTIONS(
    `status = 'held' AND received_at > :now - ${HOLD_EXPIRES_IN} OR status = 'approved' AND EXISTS (
       SELECT 1 FROM decisions WHERE action = actions.id AND kind = 'allow' AND spent_by IS NULL AND expires_at > :now)`,
  ),
  "unknown-calls": ACTIONS("status = 'unknown'"),
} as const;

export type IdList = keyof typeof LISTS;

/** Gives the ids of one list, newest first; `now` is in milliseconds since the epoch. @throws SQLiteError where the file can't be read as it is */
export function listIds(file: string, list: IdList, now: number): readonly KnownId[] {
  const connection = new Connection(behindLink(file), "read");
  try {
    const sql = LISTS[list].replaceAll(":now", String(Math.trunc(now)));
    return connection.all(sql).map(({ id, about, at }: Row) => ({ id: String(id), about: String(about), at: Number(at) }));
  } finally {
    connection.close();
  }
}

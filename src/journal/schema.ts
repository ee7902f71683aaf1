// Which tables make up the journal? As SQL; every closed vocabulary becomes a CHECK. Columns that hold words from outside are
// JSON text, because SQLite's text can't carry a lone surrogate. `event` is the number of the event that made the row.
import type { Digest } from "../core/digest.ts";
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

/** "SYNA", in the header of the file: tells a journal from any other SQLite database. */
export const APPLICATION_ID = 0x53594e41;

/** The version that this program writes; a change of anything below, or of a vocabulary that it takes in, makes a new one. */
export const SCHEMA_VERSION = 3;

/** What `schemaDigest` gives for the versions before, as they were made. */
export const EARLIER_SCHEMAS: Readonly<Record<number, Digest>> = {
  1: "f99ff99c6cc646aa937a9d68c36209b7976e9362090020ac179e16a56bd66898",
  2: "d0682f430a1303a076deb1c6d0408e5a63f12d0a1d292263ae314e9c6148fa43",
};

/** The tables that are projections of the events; each has the key `id`. */
export const PROJECTIONS = ["journal", "runs", "actions", "decisions"] as const;
export type Projection = (typeof PROJECTIONS)[number];

/** The columns that hold a blob's digest, per projection. */
export const DIGEST_COLUMNS: Readonly<Record<Projection, readonly string[]>> = {
  journal: [],
  runs: ["policy_digest"],
  actions: ["args", "read", "snapshot", "post", "result", "inverse", "checks"],
  decisions: [],
};

/** The actions that wait for an answer, or whose answer may not have been acted on; in queries exactly as in the index. */
export const WAITING = "(status = 'held' OR status = 'approved')";
export const ANSWERABLE = "(status = 'held' OR status = 'approved' OR status = 'denied')";

/** The actions that may have changed something, or would; in queries exactly as in the index. */
export const CHANGING = "class <> 'readonly'";

/** As a CASE, because SQLite builds a table in memory for every IN that it evaluates; null passes where the column may be null. */
function oneOf(column: string, words: readonly string[]): string {
  return `CHECK (CASE ${column} ${words.map((word) => `WHEN '${word}' THEN 1`).join(" ")} ELSE ${column} IS NULL END)`;
}

/** `meta`, `holders` and `leases` are not part of the record (settings, and which processes are at work on what); the rest is. */
export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  payload TEXT,
  payload_digest TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE blobs (
  digest TEXT PRIMARY KEY,
  encoding TEXT NOT NULL CHECK (encoding IN ('json', 'zstd')),
  content BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE blob_parts (
  digest TEXT NOT NULL,
  number INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (digest, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  predecessor TEXT
) STRICT;

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  kind TEXT NOT NULL ${oneOf("kind", RUN_KINDS)},
  state TEXT NOT NULL ${oneOf("state", RUN_STATES)},
  join_key TEXT,
  client TEXT NOT NULL,
  client_process TEXT NOT NULL,
  client_hello TEXT NOT NULL,
  identity TEXT NOT NULL,
  policy_digest TEXT NOT NULL,
  servers TEXT NOT NULL,
  undoes TEXT,
  plan TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE INDEX runs_by_join_key ON runs (join_key) WHERE join_key IS NOT NULL;
CREATE UNIQUE INDEX runs_by_plan ON runs (plan) WHERE plan IS NOT NULL;

CREATE TABLE holders (
  run TEXT NOT NULL,
  pid INTEGER NOT NULL,
  start_ticks TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  PRIMARY KEY (run, pid, start_ticks, boot_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  key TEXT NOT NULL,
  turn INTEGER NOT NULL,
  pid INTEGER NOT NULL,
  start_ticks TEXT NOT NULL,
  boot_id TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  PRIMARY KEY (key, turn)
) STRICT, WITHOUT ROWID;

CREATE TABLE actions (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  run TEXT NOT NULL,
  seq INTEGER NOT NULL,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  class TEXT NOT NULL ${oneOf("class", ACTION_CLASSES)},
  status TEXT NOT NULL ${oneOf("status", ACTION_STATUSES)},
  reason TEXT ${oneOf("reason", REASONS)},
  detail TEXT NOT NULL,
  rule TEXT NOT NULL,
  call_key TEXT NOT NULL,
  resources TEXT NOT NULL,
  args TEXT NOT NULL,
  read TEXT,
  snapshot_state TEXT NOT NULL ${oneOf("snapshot_state", SNAPSHOT_STATES)},
  snapshot TEXT,
  post_state TEXT NOT NULL ${oneOf("post_state", SNAPSHOT_STATES)},
  post TEXT,
  result TEXT,
  inverse TEXT,
  verification TEXT ${oneOf("verification", VERIFICATIONS)},
  checks TEXT,
  effect TEXT,
  undoes TEXT,
  approval TEXT,
  received_at INTEGER NOT NULL,
  sent_at INTEGER,
  settled_at INTEGER
) STRICT;
CREATE UNIQUE INDEX actions_by_run ON actions (run, seq);
CREATE INDEX actions_by_call_key ON actions (call_key) WHERE ${ANSWERABLE};
CREATE INDEX actions_waiting ON actions (event) WHERE ${WAITING};
CREATE INDEX actions_changing ON actions (event) WHERE ${CHANGING};
CREATE INDEX actions_changing_by_time ON actions (received_at) WHERE ${CHANGING};
CREATE INDEX actions_by_undoes ON actions (undoes) WHERE undoes IS NOT NULL;

CREATE TABLE decisions (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL,
  action TEXT NOT NULL,
  kind TEXT NOT NULL ${oneOf("kind", DECISION_KINDS)},
  made_by TEXT NOT NULL,
  reasons TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  expires_at INTEGER,
  spent_by TEXT,
  told_at INTEGER
) STRICT;
CREATE INDEX decisions_by_action ON decisions (action);
`;

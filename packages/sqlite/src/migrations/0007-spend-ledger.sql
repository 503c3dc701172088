-- Every request id that the ledger knows: for ever, whatever becomes of the details.
CREATE TABLE IF NOT EXISTS spend_ids (
  request_id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Who pays and for which model: kept once, referred to by its number. `name` is a JSON list of all six.
CREATE TABLE IF NOT EXISTS spend_accounts (
  account INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  key_id TEXT,
  team_id TEXT,
  user_id TEXT,
  organisation_id TEXT,
  project_id TEXT,
  model TEXT
) STRICT;

-- The details of an event. Amounts in nano-dollars; a cost of NULL: unpriced.
CREATE TABLE IF NOT EXISTS spend_events (
  event INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL,
  account INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER NOT NULL,
  cost INTEGER,
  input INTEGER,
  cached_input INTEGER,
  cache_write INTEGER,
  output INTEGER,
  reasoning INTEGER,
  provider TEXT,
  connection_id TEXT,
  outcome TEXT NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS spend_events_by_end ON spend_events (ended_at);

CREATE INDEX IF NOT EXISTS spend_events_by_start ON spend_events (started_at) WHERE started_at IS NOT NULL;

-- Everything that a subject ever spent, and the part of it whose requests do not say when they started.
CREATE TABLE IF NOT EXISTS spend_subjects (
  subject INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  total INTEGER NOT NULL,
  undated INTEGER NOT NULL
) STRICT;

-- The other part, by the quarter of an hour (UTC) that the requests started in.
CREATE TABLE IF NOT EXISTS spend_by_start (
  subject INTEGER NOT NULL,
  quarter INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (subject, quarter)
) STRICT, WITHOUT ROWID;

-- Sums by when the requests ended: each event once among the quarters of an hour, and once among the days (UTC).
CREATE TABLE IF NOT EXISTS spend_by_end (
  span_ms INTEGER NOT NULL,
  opens INTEGER NOT NULL,
  account INTEGER NOT NULL,
  cost INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  input INTEGER NOT NULL,
  cached_input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  PRIMARY KEY (span_ms, opens, account)
) STRICT, WITHOUT ROWID;

-- Items of a queue that could not be read.
CREATE TABLE IF NOT EXISTS spend_dead_letters (
  letter INTEGER PRIMARY KEY AUTOINCREMENT,
  position TEXT NOT NULL UNIQUE,
  raw TEXT NOT NULL,
  why TEXT NOT NULL,
  request_id TEXT,
  kept_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  closed_at INTEGER
) STRICT;

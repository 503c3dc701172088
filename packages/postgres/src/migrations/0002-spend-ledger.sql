-- Every request id that the ledger knows: for ever, whatever becomes of the details.
CREATE TABLE IF NOT EXISTS spend_ids (
  request_id text PRIMARY KEY
);

-- Who pays and for which model: kept once, referred to by its number. `digest` is the SHA-256 of all six.
CREATE TABLE IF NOT EXISTS spend_accounts (
  account bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest bytea NOT NULL UNIQUE,
  key_id text,
  team_id text,
  user_id text,
  organisation_id text,
  project_id text,
  model text
);

-- The details of an event. Amounts in nano-dollars; a cost of NULL: unpriced.
CREATE TABLE IF NOT EXISTS spend_events (
  request_id text NOT NULL,
  account bigint NOT NULL,
  started_at bigint,
  ended_at bigint NOT NULL,
  cost bigint,
  input bigint,
  cached_input bigint,
  cache_write bigint,
  output bigint,
  reasoning bigint,
  provider text,
  connection_id text,
  outcome text NOT NULL
);

CREATE INDEX IF NOT EXISTS spend_events_by_end ON spend_events (ended_at);

CREATE INDEX IF NOT EXISTS spend_events_by_start ON spend_events (started_at);

-- Everything that a subject ever spent, and the part of it whose requests do not say when they started.
CREATE TABLE IF NOT EXISTS spend_subjects (
  subject text PRIMARY KEY,
  total bigint NOT NULL,
  undated bigint NOT NULL
);

-- The other part, by the quarter of an hour (UTC) that the requests started in.
CREATE TABLE IF NOT EXISTS spend_by_start (
  subject text NOT NULL,
  quarter bigint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (subject, quarter)
);

-- Sums by when the requests ended: each event once among the quarters of an hour, and once among the days (UTC).
CREATE TABLE IF NOT EXISTS spend_by_end (
  span_ms bigint NOT NULL,
  opens bigint NOT NULL,
  account bigint NOT NULL,
  cost bigint NOT NULL,
  requests bigint NOT NULL,
  unpriced bigint NOT NULL,
  input bigint NOT NULL,
  cached_input bigint NOT NULL,
  output bigint NOT NULL,
  PRIMARY KEY (span_ms, opens, account)
);

-- Items of a queue that could not be read.
CREATE TABLE IF NOT EXISTS spend_dead_letters (
  letter bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  position text NOT NULL UNIQUE,
  raw text NOT NULL,
  why text NOT NULL,
  request_id text,
  kept_at bigint NOT NULL,
  state text NOT NULL,
  closed_at bigint
);

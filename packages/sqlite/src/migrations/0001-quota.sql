-- Every statement may meet a file that has what it makes already.

-- A counter's name is long and its numbers change often: the name is kept once, the numbers refer to it by its key.
CREATE TABLE IF NOT EXISTS quota_counters (
  counter INTEGER PRIMARY KEY,
  ledger TEXT NOT NULL,
  id TEXT NOT NULL,
  UNIQUE (ledger, id)
) STRICT;

-- Amounts in grains: whole, signed, between -(2^53 - 1) and 2^53 - 1.
CREATE TABLE IF NOT EXISTS quota_consumption (
  counter INTEGER NOT NULL,
  bucket INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (counter, bucket)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS quota_consumption_by_expiry ON quota_consumption (expires_at);

CREATE TABLE IF NOT EXISTS quota_pools (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  connection_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  unallocated TEXT NOT NULL,
  saturation_threshold REAL,
  when_store_fails TEXT,
  incarnation TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS quota_allocations (
  pool_id TEXT NOT NULL REFERENCES quota_pools (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  api_key_id TEXT NOT NULL,
  weight REAL NOT NULL,
  policy TEXT NOT NULL,
  cap_unit TEXT,
  cap_window TEXT,
  cap_grains INTEGER,
  PRIMARY KEY (pool_id, position),
  UNIQUE (pool_id, api_key_id)
) STRICT, WITHOUT ROWID;

-- Dimensions as JSON, amounts in units, the way the REST API writes them.
CREATE TABLE IF NOT EXISTS provider_plans (
  connection_id TEXT PRIMARY KEY,
  dimensions TEXT NOT NULL,
  revision INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS quota_settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- One number per topic that grows with every change, so that other processes need not read a table to see that it is as it was.
CREATE TABLE IF NOT EXISTS quota_revisions (
  topic TEXT PRIMARY KEY,
  revision INTEGER NOT NULL
) STRICT;

-- What a deployment counts (failures, usage, requests, tokens) in one UTC minute.
CREATE TABLE IF NOT EXISTS live_minutes (
  id TEXT NOT NULL,
  counted TEXT NOT NULL,
  minute INTEGER NOT NULL,
  amount REAL NOT NULL,
  PRIMARY KEY (id, counted, minute)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS live_cooldowns (
  id TEXT PRIMARY KEY,
  ends_at REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- The newest samples as a JSON list of [moment, ms], oldest first.
CREATE TABLE IF NOT EXISTS live_latencies (
  id TEXT PRIMARY KEY,
  samples TEXT NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS short_lived_texts (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  ends_at REAL NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS short_lived_texts_by_end ON short_lived_texts (ends_at);

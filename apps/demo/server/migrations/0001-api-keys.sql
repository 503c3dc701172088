CREATE TABLE IF NOT EXISTS api_keys (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  -- SHA-256 of the secret. Secrets have 256 random bits, so a plain hash cannot be searched backwards.
  secret_hash   BLOB NOT NULL UNIQUE,
  disabled      INTEGER NOT NULL DEFAULT 0,
  -- Demo keys are public knowledge: they open nothing but a gateway that only this machine can reach.
  loopback_only INTEGER NOT NULL DEFAULT 0,
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

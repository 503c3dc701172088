-- Who belongs to whom, and what each may ask for in a UTC minute. A limit that is NULL is none of its own; 0 lets nothing pass.
CREATE TABLE IF NOT EXISTS organisations (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  rpm        INTEGER CHECK (rpm BETWEEN 0 AND 9007199254740991),
  tpm        INTEGER CHECK (tpm BETWEEN 0 AND 9007199254740991),
  -- Grows with every change: what an edit was based on.
  version    INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS teams (
  id              TEXT PRIMARY KEY,
  name            TEXT NOT NULL,
  organisation_id TEXT REFERENCES organisations (id),
  rpm             INTEGER CHECK (rpm BETWEEN 0 AND 9007199254740991),
  tpm             INTEGER CHECK (tpm BETWEEN 0 AND 9007199254740991),
  version         INTEGER NOT NULL DEFAULT 1,
  created_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS teams_by_organisation ON teams (organisation_id);

-- A key that never belonged anywhere and never had a limit has no row.
CREATE TABLE IF NOT EXISTS api_key_places (
  api_key_id      TEXT PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  team_id         TEXT REFERENCES teams (id),
  -- Of a key without a team: a key in a team is in that team's organisation.
  organisation_id TEXT REFERENCES organisations (id) CHECK (organisation_id IS NULL OR team_id IS NULL),
  rpm             INTEGER CHECK (rpm BETWEEN 0 AND 9007199254740991),
  tpm             INTEGER CHECK (tpm BETWEEN 0 AND 9007199254740991),
  version         INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS api_key_places_by_team ON api_key_places (team_id);
CREATE INDEX IF NOT EXISTS api_key_places_by_organisation ON api_key_places (organisation_id);

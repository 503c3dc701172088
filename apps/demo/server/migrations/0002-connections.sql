CREATE TABLE IF NOT EXISTS connections (
  id         TEXT PRIMARY KEY,
  provider   TEXT NOT NULL,
  -- NULL: the simulator of whichever process answers; its port changes with every start.
  base_url   TEXT,
  -- JSON lists; NULL: every model, and the dialects the provider is known for.
  models     TEXT,
  dialects   TEXT,
  -- Grows with every change: what an edit was based on.
  version    INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

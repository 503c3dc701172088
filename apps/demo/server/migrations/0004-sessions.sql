-- Who is signed in on the pages. A row is a session that was begun and not ended; whoever signs out has none.
CREATE TABLE IF NOT EXISTS sessions (
  -- HMAC-SHA-256 of the session's random id, the admin token as its key: another token finds no session, and neither can be had back from it.
  id_hash  BLOB PRIMARY KEY,
  -- Epoch milliseconds. Used is kept to the minute.
  begun_at INTEGER NOT NULL,
  used_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Events on their way to the ledger. Taken out from the front only, so positions have no gaps; and none is given twice, so a
-- position never names another item.
CREATE TABLE IF NOT EXISTS spend_queue (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  handed_in_at INTEGER NOT NULL,
  -- The event as JSON.
  payload TEXT NOT NULL,
  -- What it has added to the hot spend, apart from the payload, so that it can be taken back where that is damaged: nano-dollars, the minute
  -- that the request started in (-1: nobody knows), and a JSON list of names.
  amount INTEGER NOT NULL,
  minute INTEGER NOT NULL,
  subjects TEXT NOT NULL
) STRICT;

-- Every id that was handed in and is not forgotten yet, with its position in the queue, whether it still waits there or not.
CREATE TABLE IF NOT EXISTS spend_queue_ids (
  position INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE
) STRICT;

-- Up to which position items were taken out, and when.
CREATE TABLE IF NOT EXISTS spend_queue_acks (
  position INTEGER PRIMARY KEY,
  acknowledged_at INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS spend_queue_acks_by_time ON spend_queue_acks (acknowledged_at);

-- What waits, by subject and by the minute that the requests started in (-1: nobody knows). No row: nothing.
CREATE TABLE IF NOT EXISTS spend_hot (
  subject TEXT NOT NULL,
  minute INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  PRIMARY KEY (subject, minute)
) STRICT, WITHOUT ROWID;

-- A budget as JSON. From the period that opens at `whole_from` on, its periods have a row if anything was counted in them.
CREATE TABLE IF NOT EXISTS budgets (
  subject TEXT PRIMARY KEY,
  budget TEXT NOT NULL,
  whole_from INTEGER NOT NULL,
  revision INTEGER NOT NULL
) STRICT;

-- What requests that started in a period took of it: `spent` is in the ledger, `pending` in `pending_spend`. Kept as sums, so that a check costs
-- the same however many rows are pending.
CREATE TABLE IF NOT EXISTS budget_periods (
  subject TEXT NOT NULL,
  opens INTEGER NOT NULL,
  spent INTEGER NOT NULL,
  pending INTEGER NOT NULL,
  PRIMARY KEY (subject, opens)
) STRICT, WITHOUT ROWID;

-- What a request holds, or (`lease_end` NULL) what it cost where its event is still to come. `subjects` is a JSON list of names.
CREATE TABLE IF NOT EXISTS pending_spend (
  request_id TEXT PRIMARY KEY,
  subjects TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  lease_end INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS pending_spend_by_lease ON pending_spend (lease_end) WHERE lease_end IS NOT NULL;

-- A budget as JSON. From the period that opens at `whole_from` on, its periods have a row if anything was counted in them. Who changes what counts
-- against a budget locks its row first.
CREATE TABLE IF NOT EXISTS budgets (
  subject text PRIMARY KEY,
  budget text NOT NULL,
  whole_from bigint NOT NULL,
  revision bigint NOT NULL
);

-- What requests that started in a period took of it: `spent` is in the ledger, `pending` in `pending_spend`. Kept as sums, so that a check costs
-- the same however many rows are pending.
CREATE TABLE IF NOT EXISTS budget_periods (
  subject text NOT NULL,
  opens bigint NOT NULL,
  spent bigint NOT NULL,
  pending bigint NOT NULL,
  PRIMARY KEY (subject, opens)
) WITH (fillfactor = 50);

-- What a request holds, or (`lease_end` NULL) what it cost where its event is still to come.
CREATE TABLE IF NOT EXISTS pending_spend (
  request_id text PRIMARY KEY,
  subjects text[] NOT NULL,
  started_at bigint NOT NULL,
  amount bigint NOT NULL,
  lease_end bigint
);

CREATE INDEX IF NOT EXISTS pending_spend_by_lease ON pending_spend (lease_end) WHERE lease_end IS NOT NULL;

/**
 * How a transaction begins that writes what counts against budgets. `LEDGER_OPEN`: others do so beside it, and nobody gives budgets meanwhile, as whoever
 * gives one adds up what all of them have written. `COMMITS_OUT`: nor does anybody enter events, as a row that is made anew must not be one
 * whose event is being entered.
 */
export const LEDGER_OPEN = "BEGIN; SELECT pg_advisory_xact_lock_shared(1902474081, 1)";
export const LEDGER_CLOSED = "BEGIN; SELECT pg_advisory_xact_lock(1902474081, 1)";
export const COMMITTING = `${LEDGER_OPEN}; SELECT pg_advisory_xact_lock_shared(1902474081, 2)`;
export const COMMITS_OUT = `${LEDGER_OPEN}; SELECT pg_advisory_xact_lock(1902474081, 2)`;

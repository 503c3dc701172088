import quota from "./migrations/0001-quota.sql";
import poolLending from "./migrations/0002-pool-lending.sql";
import poolShadow from "./migrations/0003-pool-shadow.sql";
import lendingLimit from "./migrations/0004-allocation-lending-limit.sql";
import borrowingLimit from "./migrations/0005-allocation-borrowing-limit.sql";
import spendQueue from "./migrations/0006-spend-queue.sql";
import spendLedger from "./migrations/0007-spend-ledger.sql";
import budgets from "./migrations/0008-budgets.sql";
import liveState from "./migrations/0009-live-state.sql";
import type { Migration } from "./migrate.js";

/** The tables of this package, in the order in which they came. A file that has shipped is never changed; a new one is added. */
export const QUOTA_MIGRATIONS: readonly Migration[] = Object.freeze([
  { number: 1, name: "0001-quota", sql: quota },
  { number: 2, name: "0002-pool-lending", sql: poolLending },
  { number: 3, name: "0003-pool-shadow", sql: poolShadow },
  { number: 4, name: "0004-allocation-lending-limit", sql: lendingLimit },
  { number: 5, name: "0005-allocation-borrowing-limit", sql: borrowingLimit },
  { number: 6, name: "0006-spend-queue", sql: spendQueue },
  { number: 7, name: "0007-spend-ledger", sql: spendLedger },
  { number: 8, name: "0008-budgets", sql: budgets },
  { number: 9, name: "0009-live-state", sql: liveState },
]);

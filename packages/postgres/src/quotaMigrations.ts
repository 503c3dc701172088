import quota from "./migrations/0001-quota.sql";
import spendLedger from "./migrations/0002-spend-ledger.sql";
import budgets from "./migrations/0003-budgets.sql";
import type { Migration } from "./migrate.js";

/** The tables of this package, in the order in which they came. A file that has shipped is never changed; a new one is added. */
export const QUOTA_MIGRATIONS: readonly Migration[] = Object.freeze([
  { number: 1, name: "0001-quota", sql: quota },
  { number: 2, name: "0002-spend-ledger", sql: spendLedger },
  { number: 3, name: "0003-budgets", sql: budgets },
]);

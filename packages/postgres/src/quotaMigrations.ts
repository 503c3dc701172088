import quota from "./migrations/0001-quota.sql";
import type { Migration } from "./migrate.js";

/** The tables of this package, in the order in which they came. A file that has shipped is never changed; a new one is added. */
export const QUOTA_MIGRATIONS: readonly Migration[] = Object.freeze([
  { number: 1, name: "0001-quota", sql: quota },
]);

import type { QuotaStoreStatus } from "./useQuotaStore.js";

/** What a store is called in a sentence. */
export function driverName(driver: QuotaStoreStatus["serving"]): string {
  return NAMES[driver];
}

const NAMES: Readonly<Record<QuotaStoreStatus["serving"], string>> = {
  sqlite: "SQLite",
  redis: "Redis",
  none: "nothing",
};

export { openQuotaDatabase } from "./openQuotaDatabase.js";
export type { QuotaDatabase, QuotaDatabaseOptions } from "./openQuotaDatabase.js";
export { QuotaDatabaseError } from "./quotaDatabaseError.js";
export type { QuotaDatabaseFault } from "./quotaDatabaseError.js";

export { createSqliteUsageStore } from "./createSqliteUsageStore.js";
export type { SqliteUsageStoreOptions } from "./createSqliteUsageStore.js";
export { liveCounters } from "./liveCounters.js";
export { createSqlitePoolDirectory } from "./createSqlitePoolDirectory.js";
export type { SqlitePoolDirectoryOptions } from "./createSqlitePoolDirectory.js";
export { createSqlitePlanOverrides } from "./createSqlitePlanOverrides.js";
export type { SqlitePlanOverridesOptions } from "./createSqlitePlanOverrides.js";
export { replacePoolsAndPlans } from "./replacePoolsAndPlans.js";
export { createSqliteSettings } from "./createSqliteSettings.js";
export type { Settings, SettingValue } from "@quota/engine";

export { createSqliteSpendQueue } from "./createSqliteSpendQueue.js";
export { createSqliteSpendBooks } from "./createSqliteSpendBooks.js";
export type { SqliteSpendBooks, SqliteSpendBooksOptions } from "./createSqliteSpendBooks.js";
export { createSqliteLiveState } from "./createSqliteLiveState.js";
export type { SqliteLiveStateOptions } from "./createSqliteLiveState.js";
export { createSqliteAffinity } from "./createSqliteAffinity.js";
export type { SqliteAffinityOptions } from "./createSqliteAffinity.js";

export { migrate } from "./migrate.js";
export type { Migration, Migrations } from "./migrate.js";
export { backupTo } from "./backupTo.js";
export { integrityOf } from "./integrityOf.js";
export type { Integrity } from "./integrityOf.js";

export { openPostgres } from "./openPostgres.js";
export type { PostgresDatabase, PostgresOptions } from "./openPostgres.js";
export type { PostgresTransaction } from "./postgresTransaction.js";
export { PostgresError } from "./postgresError.js";
export type { PostgresFault } from "./postgresError.js";
export { migrate } from "./migrate.js";
export type { Migration, Migrations } from "./migrate.js";
export { storedText, textStored } from "./storedText.js";

export { snapshotOf } from "./snapshotOf.js";
export type { LoadedRow, Snapshot, SnapshotOptions, WritableRows } from "./snapshotOf.js";

export { createPostgresSpendBooks } from "./createPostgresSpendBooks.js";
export type { PostgresSpendBooks, PostgresSpendBooksOptions } from "./createPostgresSpendBooks.js";
export { createPostgresPoolDirectory } from "./createPostgresPoolDirectory.js";
export type { PostgresPoolDirectoryOptions } from "./createPostgresPoolDirectory.js";
export { createPostgresPlanOverrides } from "./createPostgresPlanOverrides.js";
export type { PostgresPlanOverridesOptions } from "./createPostgresPlanOverrides.js";
export { replacePoolsAndPlans } from "./replacePoolsAndPlans.js";
export { createPostgresSettings, SETTINGS_TOPIC } from "./createPostgresSettings.js";
export type { Settings, SettingValue } from "@quota/engine";

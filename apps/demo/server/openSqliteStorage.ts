import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  backupTo,
  createSqliteAffinity,
  createSqliteLiveState,
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  createSqliteSettings,
  createSqliteSpendBooks,
  createSqliteSpendQueue,
  createSqliteUsageStore,
  integrityOf,
  liveCounters,
  migrate,
  openQuotaDatabase,
} from "@quota/sqlite";
import type { Logger } from "pino";
import { createApiKeys } from "./apiKeys.js";
import { createConfig } from "./config/createConfig.js";
import { createConnections } from "./connections.js";
import { GATEWAY_MIGRATIONS } from "./gatewayMigrations.js";
import { createOrganisations } from "./organisations.js";
import { createRateForest } from "./rateForest.js";
import { createSecretFiles } from "./secretFiles.js";
import { createSqliteSessionRows } from "./session/createSqliteSessionRows.js";
import { createSessions } from "./session/sessions.js";
import { StartError } from "./startError.js";
import type { Storage } from "./storage.js";
import { createSqliteTables } from "./tables/createSqliteTables.js";
import { createTeams } from "./teams.js";

/** Everything in one SQLite file, `DATA_DIR/storage.sqlite`; the secrets of connections in files of mode 0600 beside it. */
export async function openSqliteStorage({
  dataDir,
  logger,
}: {
  readonly dataDir: string;
  readonly logger: Logger;
}): Promise<Storage> {
  const db = await openQuotaDatabase({ file: fileIn(dataDir) });
  const opened = [db];
  try {
    await migrate(db, GATEWAY_MIGRATIONS);
    const secrets = createSecretFiles(join(dataDir, "secrets"));
    const importer = await openQuotaDatabase({ file: fileIn(dataDir) });
    opened.push(importer);
    const store = createSqliteUsageStore(db);
    const tables = createSqliteTables(db, secrets);
    const forest = createRateForest(tables, { logger });
    const spend = {
      queue: createSqliteSpendQueue(db),
      ...createSqliteSpendBooks(db, { logger }),
      live: createSqliteLiveState(db, { logger }),
      affinity: createSqliteAffinity(db, { logger }),
    };
    const touch = db.connection.prepare("SELECT count(*) FROM connections");
    return {
      store,
      live: (now) => liveCounters(db, now),
      pools: createSqlitePoolDirectory(db, { logger }),
      plans: createSqlitePlanOverrides(db, { logger }),
      settings: createSqliteSettings(db),
      secretSettings: createSecretFiles(join(dataDir, "secrets", "settings")),
      // Whoever looks has told the log; the file is looked at again when it has changed again.
      watch: (look) => db.watch(() => void Promise.allSettled([look()])),
      keys: createApiKeys(tables, forest),
      teams: createTeams(tables, forest),
      organisations: createOrganisations(tables, forest),
      forest,
      connections: createConnections(tables),
      spend,
      syncLedger: () => void db.connection.pragma("synchronous = FULL"),
      sessionsOf: (adminToken) =>
        createSessions(createSqliteSessionRows(db), adminToken, (error) =>
          logger.warn(
            { scope: "gateway:sessions", err: error },
            "When a session was last used cannot be written.",
          ),
        ),
      // On a handle of its own: whoever keeps parts of the file at hand then sees a replacement as any neighbour's change.
      config: createConfig({
        tables: createSqliteTables(importer, secrets),
        pools: createSqlitePoolDirectory(importer),
        plans: createSqlitePlanOverrides(importer),
      }),
      touch: () => void touch.get(),
      shared: undefined,
      integrity: () => integrityOf(db),
      backup: (file) => backupTo(db, file),
      async close() {
        await store.close();
        for (const each of [spend.queue, spend.budgets, spend.ledger]) await each.close();
        for (const each of opened) each.close();
      },
    };
  } catch (error) {
    for (const each of opened) each.close();
    throw error;
  }
}

/** Copies the database of a data directory into a new file; a gateway may be running on it. */
export async function backupSqliteStorage({
  dataDir,
  file,
}: {
  readonly dataDir: string;
  readonly file: string;
}): Promise<void> {
  if (!existsSync(fileIn(dataDir)))
    throw new StartError(`There is no database in DATA_DIR ${dataDir}; set DATA_DIR to that of a gateway.`);
  const db = await openQuotaDatabase({ file: fileIn(dataDir), readonly: true });
  try {
    await backupTo(db, file);
  } finally {
    db.close();
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, "storage.sqlite");
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  backupTo,
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  createSqliteSettings,
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
import apiKeysSql from "./migrations/0001-api-keys.sql";
import connectionsSql from "./migrations/0002-connections.sql";
import ratePlanSql from "./migrations/0003-rate-plan.sql";
import sessionsSql from "./migrations/0004-sessions.sql";
import keyOrdinalsSql from "./migrations/0005-key-ordinals.sql";
import { createOrganisations } from "./organisations.js";
import { createRateForest } from "./rateForest.js";
import { createSecretFiles } from "./secretFiles.js";
import { createSessions } from "./session/sessions.js";
import { StartError } from "./startError.js";
import type { Storage } from "./storage.js";
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
    await migrate(db, {
      namespace: "gateway",
      migrations: [
        { number: 1, name: "0001-api-keys", sql: apiKeysSql },
        { number: 2, name: "0002-connections", sql: connectionsSql },
        { number: 3, name: "0003-rate-plan", sql: ratePlanSql },
        { number: 4, name: "0004-sessions", sql: sessionsSql },
        { number: 5, name: "0005-key-ordinals", sql: keyOrdinalsSql },
      ],
    });
    const secrets = createSecretFiles(join(dataDir, "secrets"));
    const importer = await openQuotaDatabase({ file: fileIn(dataDir) });
    opened.push(importer);
    const store = createSqliteUsageStore(db);
    const forest = createRateForest(db, { logger });
    const touch = db.connection.prepare("SELECT count(*) FROM connections");
    return {
      store,
      live: (now) => liveCounters(db, now),
      pools: createSqlitePoolDirectory(db, { logger }),
      plans: createSqlitePlanOverrides(db, { logger }),
      settings: createSqliteSettings(db),
      watch: (look) => db.watch(look),
      keys: createApiKeys(db, forest),
      teams: createTeams(db, forest),
      organisations: createOrganisations(db, forest),
      forest,
      connections: createConnections(db, secrets),
      sessionsOf: (adminToken) =>
        createSessions(db, adminToken, (error) =>
          logger.warn(
            { scope: "gateway:sessions", err: error },
            "When a session was last used cannot be written.",
          ),
        ),
      config: createConfig(importer, secrets),
      touch: () => void touch.get(),
      integrity: () => integrityOf(db),
      backup: (file) => backupTo(db, file),
      async close() {
        await store.close();
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

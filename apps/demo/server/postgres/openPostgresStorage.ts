import { randomUUID } from "node:crypto";
import { StoreError } from "@quota/engine";
import {
  createPostgresPlanOverrides,
  createPostgresPoolDirectory,
  createPostgresSettings,
  createPostgresSpendBooks,
  migrate,
  openPostgres,
  PostgresError,
  SETTINGS_TOPIC,
  type PostgresDatabase,
} from "@quota/postgres";
import type { Logger } from "pino";
import { createApiKeys } from "../apiKeys.js";
import { createConfig } from "../config/createConfig.js";
import { createConnections } from "../connections.js";
import { openSqliteStorage } from "../openSqliteStorage.js";
import { createOrganisations } from "../organisations.js";
import { createRateForest } from "../rateForest.js";
import { createSessions } from "../session/sessions.js";
import { StartError } from "../startError.js";
import type { Storage } from "../storage.js";
import { createTeams } from "../teams.js";
import { createPostgresSecretSettings } from "./createPostgresSecretSettings.js";
import { createPostgresSessionRows } from "./createPostgresSessionRows.js";
import { createPostgresTables } from "./createPostgresTables.js";
import { openSecretBox } from "./openSecretBox.js";
import { POSTGRES_MIGRATIONS } from "./postgresMigrations.js";

/**
 * Everything that gateways on several machines share, in one PostgreSQL database: keys, teams, organisations, connections with their secrets, sessions,
 * settings, pools and plans. In the file of the data directory stays what is this machine's own: counters, unless Redis counts, and spend on its way.
 *
 * @throws {StartError} in one sentence, with what to do about it.
 */
export async function openPostgresStorage({
  url,
  secretsKey,
  timeoutMs,
  dataDir,
  logger,
}: {
  readonly url: string;
  readonly secretsKey: string;
  /** How long a statement may take. Default 2000 ms. */
  readonly timeoutMs?: number | undefined;
  readonly dataDir: string;
  readonly logger: Logger;
}): Promise<Storage> {
  const closing: (() => Promise<unknown>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const db = await openPostgres({ url, timeoutMs, logger });
    closing.push(() => db.close());
    await migrate(db, POSTGRES_MIGRATIONS);
    const box = await openSecretBox(db, secretsKey);
    const tables = await createPostgresTables(db, { box, logger });
    closing.push(() => tables.close());
    const pools = await createPostgresPoolDirectory(db, { logger });
    const plans = await createPostgresPlanOverrides(db, { logger });
    const forest = createRateForest(tables, { logger });
    const id = await databaseId(db);
    const local = await openSqliteStorage({ dataDir, logger });
    closing.push(() => local.close());
    const books = await createPostgresSpendBooks(db, { logger });
    closing.push(async () => {
      await books.budgets.close();
      await books.ledger.close();
    });
    return {
      store: local.store,
      live: local.live,
      pools,
      plans,
      keys: createApiKeys(tables, forest),
      teams: createTeams(tables, forest),
      organisations: createOrganisations(tables, forest),
      forest,
      connections: createConnections(tables),
      spend: { ...local.spend, ...books },
      settings: createPostgresSettings(db),
      secretSettings: createPostgresSecretSettings(db, box),
      watch: (look) => db.watch(SETTINGS_TOPIC, look),
      sessionsOf: (adminToken) =>
        createSessions(createPostgresSessionRows(db), adminToken, (error) =>
          logger.warn(
            { scope: "gateway:sessions", err: error },
            "When a session was last used cannot be written.",
          ),
        ),
      config: createConfig({ tables, pools, plans }),
      async touch() {
        await db.rows("SELECT 1 FROM quota_settings LIMIT 1");
      },
      shared: { id, place: db.place },
      integrity: () => local.integrity(),
      backup: (file) => local.backup(file),
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    if (error instanceof PostgresError || error instanceof StoreError)
      throw new StartError(`QUOTA_DATABASE_URL: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Made by the first who opens the database. */
async function databaseId(db: PostgresDatabase): Promise<string> {
  await db.rows("INSERT INTO quota_settings (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
    DATABASE_ID,
    JSON.stringify(randomUUID()),
  ]);
  return (await createPostgresSettings(db).get(DATABASE_ID)) as string;
}

/** The setting that names a database. */
const DATABASE_ID = "gateway.databaseId";

import { createDatabase, type LocalDatabase } from "@quota/local-postgres";
import { describeWithPostgres } from "@quota/local-postgres/vitest";
import {
  migrate,
  openPostgres,
  createPostgresPlanOverrides,
  createPostgresPoolDirectory,
} from "@quota/postgres";
import pino from "pino";
import { beforeAll, describe, onTestFinished } from "vitest";
import { createConfig } from "../server/config/createConfig.js";
import { createPostgresSessionRows } from "../server/postgres/createPostgresSessionRows.js";
import { createPostgresTables } from "../server/postgres/createPostgresTables.js";
import { openSecretBox } from "../server/postgres/openSecretBox.js";
import { POSTGRES_MIGRATIONS } from "../server/postgres/postgresMigrations.js";
import { openSqliteTables, repositoriesOn, type OpenedTables } from "./openTables.js";

/** A suite of the gateway's tables, run over each database that it can keep them in. What `open` opens is fresh, and closed with the test. */
export function describeEachDatabase(title: string, body: (open: () => Promise<OpenedTables>) => void): void {
  describe(`${title} in SQLite`, () => body(() => openSqliteTables()));
  describeWithPostgres(`${title} in PostgreSQL`, (serverUrl) => {
    let database: LocalDatabase;
    beforeAll(async () => {
      database = await createDatabase(serverUrl);
      const db = await openPostgres({ url: database.url, timeoutMs: 20_000 });
      await migrate(db, POSTGRES_MIGRATIONS);
      await db.close();
      return () => database.drop();
    });
    body(async () => {
      await database.query(EMPTY);
      return await openPostgresTables(database.url);
    });
  });
}

/** One database for all tests of a suite: to make one takes longer than most of them do. */
const EMPTY = `DELETE FROM gateway_keys; DELETE FROM gateway_teams; DELETE FROM gateway_organisations; DELETE FROM gateway_connections;
  DELETE FROM gateway_gone; DELETE FROM gateway_sessions; DELETE FROM quota_pools; DELETE FROM provider_plans;
  DELETE FROM quota_revisions WHERE topic <> 'gateway'; UPDATE quota_revisions SET revision = 0`;

async function openPostgresTables(url: string): Promise<OpenedTables> {
  const db = await openPostgres({ url, timeoutMs: 20_000 });
  onTestFinished(() => db.close());
  const box = await openSecretBox(db, KEY);
  const tables = await createPostgresTables(db, { box, logger: pino({ level: "silent" }) });
  onTestFinished(() => tables.close());
  const [pools, plans] = await Promise.all([
    createPostgresPoolDirectory(db),
    createPostgresPlanOverrides(db),
  ]);
  return {
    tables,
    sessions: createPostgresSessionRows(db),
    ...repositoriesOn(tables),
    config: createConfig({ tables, pools, plans }),
    another: () => openPostgresTables(url),
  };
}

/** 32 bytes, so that no test waits for scrypt. */
const KEY = Buffer.alloc(32, 7).toString("base64");

import { createDatabase } from "@quota/local-postgres";
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
    let migrated: string;
    beforeAll(async () => {
      const template = await createDatabase(serverUrl);
      const db = await openPostgres({ url: template.url });
      await migrate(db, POSTGRES_MIGRATIONS);
      await db.close();
      migrated = template.name;
      return () => template.drop();
    });
    body(() => openPostgresTables(serverUrl, migrated));
  });
}

async function openPostgresTables(serverUrl: string, template: string): Promise<OpenedTables> {
  const database = await createDatabase(serverUrl, template);
  onTestFinished(() => database.drop());
  const open = async (): Promise<OpenedTables> => {
    const db = await openPostgres({ url: database.url, timeoutMs: 20_000 });
    onTestFinished(() => db.close());
    const box = await openSecretBox(db, KEY);
    const tables = await createPostgresTables(db, { box, logger: pino({ level: "silent" }) });
    onTestFinished(() => tables.close());
    const pools = await createPostgresPoolDirectory(db);
    const plans = await createPostgresPlanOverrides(db);
    return {
      tables,
      sessions: createPostgresSessionRows(db),
      ...repositoriesOn(tables),
      config: createConfig({ tables, pools, plans }),
      another: open,
    };
  };
  return await open();
}

/** 32 bytes, so that no test waits for scrypt. */
const KEY = Buffer.alloc(32, 7).toString("base64");

import { join } from "node:path";
import { migrate, openQuotaDatabase, type QuotaDatabase } from "@quota/sqlite";
import { onTestFinished } from "vitest";
import { GATEWAY_MIGRATIONS } from "../server/gatewayMigrations.js";
import { temporaryDirectory } from "./temporaryDirectory.js";

/** A fresh database with the gateway's own tables, closed with the test. */
export async function openDatabase(directory = temporaryDirectory()): Promise<QuotaDatabase> {
  const db = await openQuotaDatabase({ file: join(directory, "storage.sqlite") });
  onTestFinished(() => db.close());
  await migrate(db, GATEWAY_MIGRATIONS);
  return db;
}

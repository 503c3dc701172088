import { readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, openQuotaDatabase, type QuotaDatabase } from "@quota/sqlite";
import { onTestFinished } from "vitest";
import { temporaryDirectory } from "./temporaryDirectory.js";

/** A fresh database with the gateway's own tables, closed with the test. */
export async function openDatabase(directory = temporaryDirectory()): Promise<QuotaDatabase> {
  const db = await openQuotaDatabase({ file: join(directory, "storage.sqlite") });
  onTestFinished(() => db.close());
  const sqlOf = (name: string): string =>
    readFileSync(new URL(`../server/migrations/${name}.sql`, import.meta.url), "utf8");
  const names = ["0001-api-keys", "0002-connections", "0003-rate-plan", "0004-sessions", "0005-key-ordinals"];
  await migrate(db, {
    namespace: "gateway",
    migrations: names.map((name) => ({ number: Number(name.slice(0, 4)), name, sql: sqlOf(name) })),
  });
  return db;
}

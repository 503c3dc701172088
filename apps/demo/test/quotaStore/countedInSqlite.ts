import { join } from "node:path";
import { createSqliteUsageStore, liveCounters, openQuotaDatabase } from "@quota/sqlite";
import { onTestFinished } from "vitest";
import type { CountedStore } from "../../server/quotaStore/copyCounters.js";
import { temporaryDirectory } from "../temporaryDirectory.js";

/** A store that can say what it holds, in a file of its own. */
export async function countedInSqlite(): Promise<CountedStore> {
  const db = await openQuotaDatabase({ file: join(temporaryDirectory(), "storage.sqlite") });
  onTestFinished(() => db.close());
  return { store: createSqliteUsageStore(db), live: (now) => liveCounters(db, now) };
}

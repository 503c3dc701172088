import { join } from "node:path";
import { createMemoryUsageStore } from "@quota/engine";
import { createSqliteUsageStore, openQuotaDatabase } from "@quota/sqlite";
import { compareRateTrees } from "./rateTree.js";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";

const folder = scratchFolder();

const memory = await compareRateTrees("memory store", () => Promise.resolve(createMemoryUsageStore()));
const sqlite = await compareRateTrees("SQLite store", async (name) =>
  createSqliteUsageStore(await openQuotaDatabase({ file: join(folder, `${name}.sqlite`) })),
);
await saveResult("ratePlan", [...memory, ...sqlite]);

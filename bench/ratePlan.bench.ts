import { join } from "node:path";
import { createMemoryUsageStore } from "@quota/engine";
import { startRedisServer } from "@quota/local-redis";
import { createRedisStore, openRedis } from "@quota/redis";
import { createSqliteUsageStore, openQuotaDatabase } from "@quota/sqlite";
import type { Redis } from "ioredis";
import { processorTime, wallTime } from "./clocks.js";
import { compareRateTrees } from "./compareRateTrees.js";
import { saveResult } from "./saveResult.js";
import { scratchFolder } from "./scratchFolder.js";
import { walkInStore } from "./walkInStore.js";
import { walkOverRedis } from "./walkOverRedis.js";

const folder = scratchFolder();
const openSqlite = async (name: string) =>
  createSqliteUsageStore(await openQuotaDatabase({ file: join(folder, `${name}.sqlite`) }));
const inStore = {
  walkGuarantee: "the same answer and store: every node's use is read, and the definition asked",
  measure: processorTime,
};

const memory = await compareRateTrees({
  where: "memory store",
  open: () => Promise.resolve(createMemoryUsageStore()),
  walk: (plan) => Promise.resolve(walkInStore(createMemoryUsageStore(), plan)),
  ...inStore,
});
const sqlite = await compareRateTrees({
  where: "SQLite store",
  open: openSqlite,
  walk: async (plan) => walkInStore(await openSqlite("walking"), plan),
  ...inStore,
});

const server = await startRedisServer();
const redis = (await openRedis(server.url)) as Redis;
const overRedis = await compareRateTrees({
  where: "Redis, wall time",
  open: (name) => createRedisStore(redis, { prefix: `${name}:` }),
  walk: (plan) => walkOverRedis(redis, plan),
  walkGuarantee:
    "the same answer: one script a call, on the same server, reads every limited node's use; decodes the plan, kept there as JSON",
  measure: wallTime,
});
redis.disconnect();
await server.stop();

await saveResult(
  "ratePlan",
  [...memory, ...sqlite, ...overRedis],
  [
    "memory and SQLite: processor time of this process; Redis: wall time, 16 in flight, batched; the server shares the machine",
  ],
);

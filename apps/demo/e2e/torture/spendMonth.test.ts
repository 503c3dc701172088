import { join } from "node:path";
import { startRedisServer } from "@quota/local-redis";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../../test/temporaryDirectory.js";
import { spendMonth } from "./spendMonth.js";

describeWithRedis("a month of traffic through Redis", () => {
  test(
    "ends with nothing hot, and with sums that are right to the nano-dollar",
    { timeout: 120_000 },
    async () => {
      const server = await startRedisServer();
      onTestFinished(() => server.stop());
      const file = join(temporaryDirectory(), "ledger.sqlite");
      const month = await spendMonth({ events: 10_000, seed: "a month", redisUrl: server.url, file });
      expect(month.faults).toEqual([]);
      expect(month.repeats).toBeGreaterThan(50);
      expect(month.total).toBeGreaterThan(BigInt(Number.MAX_SAFE_INTEGER) / 100n);
    },
  );
});

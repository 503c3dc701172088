import { describeWithPostgres } from "@quota/local-postgres/vitest";
import { describeWithRedis } from "@quota/local-redis/vitest";
import { afterAll, expect, test } from "vitest";
import { buildDemo } from "../buildDemo.js";
import { torture } from "./torture.js";

// The short form of `pnpm torture`.
describeWithRedis("gateways, and the Redis that they hand spend to, killed under load,", () => {
  describeWithPostgres(
    "on SQLite, on Redis and SQLite, and three on Redis and PostgreSQL,",
    (postgresUrl) => {
      let built: Awaited<ReturnType<typeof buildDemo>> | undefined;
      afterAll(() => built?.remove());

      test(
        "have every whole answer in the ledger once, nothing hot, nothing pending and no budget exceeded",
        { timeout: 180_000 },
        async () => {
          const { main } = (built ??= await buildDemo());
          const told: string[] = [];
          const { whole, faults } = await torture({
            seed: "the short form",
            rounds: 3,
            main,
            postgresUrl,
            say: (line) => told.push(line),
          });
          expect(faults, told.join("\n")).toEqual([]);
          expect(whole).toBeGreaterThan(30);
        },
      );
    },
  );
});

import { createMemoryUsageStore, StoreError } from "@quota/engine";
import { describe, expect, test } from "vitest";
import type { OpenedRedis } from "../../server/quotaStore/openedRedis.js";
import { tryDatabase, tryRedis } from "../../server/quotaStore/tryStore.js";

const NOW = Date.UTC(2026, 0, 5, 12);
const fails = async (): Promise<never> => {
  throw new StoreError("redis://:hunter2@redis.example:6379 is away", { applied: "no" });
};

function redis(parts: Partial<OpenedRedis>): OpenedRedis {
  return {
    store: createMemoryUsageStore(),
    clock: { now: () => NOW },
    live: async function* () {
      yield* [];
    },
    ask: async () => undefined,
    close: async () => undefined,
    ...parts,
  };
}

function troubles() {
  const told: string[] = [];
  return { told, onTrouble: ({ said }: { said: string }, why: string) => void told.push(`${why} ${said}`) };
}

describe("a store on trial", () => {
  test.each<[sentence: string, parts: Partial<OpenedRedis>, works: boolean, told: RegExp]>([
    ["that cannot be closed has been tried all the same", { close: fails }, true, /could not be closed/u],
    ["that tells no name works all the same", { server: fails }, true, /does not say what it is/u],
    [
      "that takes no step does not work",
      { store: { ...createMemoryUsageStore(), transact: fails } },
      false,
      /cannot be used/u,
    ],
  ])("%s, and the log says why, without the address", async (_sentence, parts, works, told) => {
    const log = troubles();
    expect(await tryRedis(async () => redis(parts), log.onTrouble)).toMatchObject({ works });
    expect(log.told).toEqual([expect.stringMatching(told)]);
    expect(log.told[0]).toContain("is away");
    expect(log.told[0]).not.toContain("hunter2");
  });

  test("that is the database says in the log what is wrong with it", async () => {
    const log = troubles();
    const store = { ...createMemoryUsageStore(), transact: fails };
    expect(await tryDatabase(store, NOW, log.onTrouble)).toEqual({
      works: false,
      reason: "The database does not answer.",
    });
    expect(log.told).toEqual([expect.stringContaining("is away")]);
  });
});

import {
  describeReserves,
  reserveChecks,
  shakenReserveChecks,
  type UsageStoreUnderTest,
} from "@quota/conformance";
import { createMemoryUsageStore, type UsageStore } from "@quota/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { optimisticStore } from "./optimisticStore.js";
import { plainStore, type Parts } from "./plainStore.js";
import { stopAtFirstFailure } from "./stopAtFirstFailure.js";

describeReserves("memory", async () => {
  const store = createMemoryUsageStore();
  return { store, dispose: () => store.close() };
});

describeReserves("the optimistic store", async () => sharing((data) => optimisticStore({ data })), {
  shaken: async (pause) => sharing((data) => optimisticStore({ data, pause })),
});

describe("reserves are kept over no store that", () => {
  stopAtFirstFailure();

  test.each(shakenReserveChecks)("does not wait for itself — by: $name", async ({ run }) => {
    // What two requests lose of each other shows in one history of about twenty-five: a run that sees none goes on with others.
    const checking = (async () => {
      for (let seed = 1; seed <= 10; seed += 1) {
        fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
        await run(async (pause) => sharing((data) => plainStore({ data, pause, order: "none" })));
      }
    })();
    await expect(checking).rejects.toThrow();
  });

  test.each(shakenReserveChecks)("writes verdicts that fell — by: $name", async ({ run }) => {
    const checking = run(async (pause) =>
      sharing((data) => optimisticStore({ data, pause, stands: () => true })),
    );
    await expect(checking).rejects.toThrow();
  });

  test("forgets what it is given to add — by: one history", async () => {
    const memory = createMemoryUsageStore();
    const store: UsageStore = {
      ...memory,
      transact: (step) =>
        memory.transact({
          ...step,
          decide(amounts) {
            const verdict = step.decide(amounts);
            return { ...verdict, additions: verdict.additions.map((addition) => Math.max(-1, addition)) };
          },
        }),
    };
    await expect(reserveChecks[0]!.run({ store, dispose: () => store.close() })).rejects.toThrow();
  });
});

/** Two handles on the same data. */
function sharing(make: (data: Parts["data"]) => UsageStore): UsageStoreUnderTest {
  const data: Parts["data"] = new Map();
  return { store: make(data), another: async () => make(data), dispose: () => Promise.resolve() };
}

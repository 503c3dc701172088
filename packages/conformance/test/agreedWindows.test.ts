import {
  agreedWindowsChecks,
  describeAgreedWindows,
  shakenAgreedWindowsChecks,
  type UsageStoreUnderTest,
} from "@quota/conformance";
import { createMemoryUsageStore, type UsageStore } from "@quota/engine";
import { describe, expect, test } from "vitest";
import { optimisticStore } from "./optimisticStore.js";
import { plainStore, type Parts } from "./plainStore.js";
import { stopAtFirstFailure } from "./stopAtFirstFailure.js";

describeAgreedWindows("memory", async () => {
  const store = createMemoryUsageStore();
  return { store, dispose: () => store.close() };
});

describeAgreedWindows("the optimistic store", async () => sharing((data) => optimisticStore({ data })), {
  shaken: async (pause) => sharing((data) => optimisticStore({ data, pause })),
});

describe("windows are agreed on over no store that", () => {
  stopAtFirstFailure();
  const racy: Partial<Parts> = { order: "none" };

  test.each(shakenAgreedWindowsChecks)("does not wait for itself — by: $name", async ({ run }) => {
    const checking = run(async (pause) => sharing((data) => plainStore({ data, pause, ...racy })));
    await expect(checking).rejects.toThrow();
  });

  test.each(shakenAgreedWindowsChecks)("writes verdicts that fell — by: $name", async ({ run }) => {
    const checking = run(async (pause) =>
      sharing((data) => optimisticStore({ data, pause, stands: () => true })),
    );
    await expect(checking).rejects.toThrow();
  });

  test.each([
    "a rise that four processes see at once is claimed once, and all of it is somebody's",
    "a window that begins with its first use begins once, whoever comes first, and holds what all of them used",
  ])("does not wait for itself — by: %s", async (name) => {
    const check = agreedWindowsChecks.find((each) => each.name === name);
    await expect(check?.run(sharing((data) => plainStore({ data, ...racy })))).rejects.toThrow();
  });
});

/** Two handles on the same data. */
function sharing(make: (data: Parts["data"]) => UsageStore): UsageStoreUnderTest {
  const data: Parts["data"] = new Map();
  return { store: make(data), another: async () => make(data), dispose: () => Promise.resolve() };
}

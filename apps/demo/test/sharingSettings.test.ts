import { expect, test } from "vitest";
import { createSharingSettings } from "../server/sharingSettings/createSharingSettings.js";

test("whoever watches a number of sharing hears of its own changes, and of no other's", async () => {
  const sharing = await createSharingSettings({
    storage: {
      settings: { get: async () => undefined, change: async () => undefined },
      watch: () => () => undefined,
    },
    environment: {
      saturationThreshold: undefined,
      softDeprioritizeFactor: undefined,
      consumptionRetentionDays: undefined,
    },
    logger: { warn: () => undefined },
  });
  const heard: number[] = [];
  sharing.watch("consumptionRetentionDays", () => {
    heard.push(sharing.now("consumptionRetentionDays"));
  });
  await sharing.change({ saturationThreshold: 0.9, softDeprioritizeFactor: 0.1 });
  expect(heard).toEqual([]);
  await sharing.change({ consumptionRetentionDays: 3, saturationThreshold: 0.8 });
  await sharing.change({ consumptionRetentionDays: 3 });
  expect(heard).toEqual([3]);
});

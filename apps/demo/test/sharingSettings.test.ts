import { expect, test } from "vitest";
import { createSharingSettings } from "../server/sharingSettings/createSharingSettings.js";

test("who watches the database hears that a change could not be read, and is asked again until it can", async () => {
  let fails = false;
  let stored = 0.25;
  let look: () => unknown = () => undefined;
  const warned: unknown[] = [];
  const sharing = await createSharingSettings({
    storage: {
      settings: {
        get: async (name) => {
          if (fails) throw new Error("away");
          return name.includes("saturation") ? stored : undefined;
        },
        change: async () => undefined,
      },
      watch: (heard) => ((look = heard), () => undefined),
    },
    environment: {
      saturationThreshold: undefined,
      softDeprioritizeFactor: undefined,
      consumptionRetentionDays: undefined,
    },
    logger: { warn: (entry) => void warned.push(entry) },
  });
  const before = sharing.now("saturationThreshold");
  fails = true;
  stored = 0.75;
  await expect(look()).rejects.toThrow("away");
  expect(warned).toMatchObject([{ scope: "quota:settings" }]);
  expect(sharing.now("saturationThreshold")).toBe(before);
  fails = false;
  await look();
  expect(sharing.now("saturationThreshold")).toBe(0.75);
});

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

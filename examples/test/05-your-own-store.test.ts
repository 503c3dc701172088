import { describeUsageStore } from "@quota/conformance";
import { expect, it } from "vitest";
import { createKeyValueStore, main, mapService } from "../05-your-own-store.js";

describeUsageStore(
  "the key-value store",
  async () => {
    const service = mapService();
    const store = createKeyValueStore(service);
    return { store, another: async () => createKeyValueStore(service), dispose: () => store.close() };
  },
  {
    shaken: async (pause) => {
      const data = new Map<string, never>();
      const store = createKeyValueStore(mapService(data, pause));
      const another = async () => createKeyValueStore(mapService(data, pause));
      return { store, another, dispose: () => store.close() };
    },
  },
);

it("serves two gateways as one", async () => {
  const said: string[] = [];
  await main((line) => said.push(line));
  expect(said).toEqual([
    "alice is capped at 5; of 20 requests at once, through two gateways, 5 are admitted",
  ]);
});

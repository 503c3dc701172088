import { describeReserves } from "@quota/conformance";
import { createSqliteUsageStore } from "../src/index.js";
import { scratch } from "./scratch.js";

describeReserves("createSqliteUsageStore", async () => {
  const place = scratch();
  return {
    store: createSqliteUsageStore(await place.open()),
    another: async () => createSqliteUsageStore(await place.open()),
    dispose: async () => place.remove(),
  };
});

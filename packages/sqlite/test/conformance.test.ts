import { describePlanOverrides, describePoolDirectory, describeUsageStore } from "@quota/conformance";
import {
  createSqlitePlanOverrides,
  createSqlitePoolDirectory,
  createSqliteUsageStore,
} from "../src/index.js";
import { scratch } from "./scratch.js";

describeUsageStore("createSqliteUsageStore", async () => {
  const place = scratch();
  return {
    store: createSqliteUsageStore(await place.open()),
    another: async () => createSqliteUsageStore(await place.open()),
    dispose: async () => place.remove(),
  };
});

describePoolDirectory("createSqlitePoolDirectory", async () => {
  const place = scratch();
  return {
    directory: createSqlitePoolDirectory(await place.open()),
    another: async () => createSqlitePoolDirectory(await place.open()),
    dispose: async () => place.remove(),
  };
});

describePlanOverrides("createSqlitePlanOverrides", async () => {
  const place = scratch();
  return {
    overrides: createSqlitePlanOverrides(await place.open()),
    another: async () => createSqlitePlanOverrides(await place.open()),
    dispose: async () => place.remove(),
  };
});

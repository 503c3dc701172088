import { createMemoryPlanOverrides, createMemoryPoolDirectory, createMemoryUsageStore } from "@quota/engine";
import { describePlanOverrides, describePoolDirectory, describeUsageStore } from "@quota/conformance";

describeUsageStore("memory", async () => {
  const store = createMemoryUsageStore();
  return { store, dispose: () => store.close() };
});

describePoolDirectory("memory", async () => ({
  directory: createMemoryPoolDirectory(),
  dispose: () => Promise.resolve(),
}));

describePlanOverrides("memory", async () => ({
  overrides: createMemoryPlanOverrides(),
  dispose: () => Promise.resolve(),
}));

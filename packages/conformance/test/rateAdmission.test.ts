import { describeRateAdmission } from "@quota/conformance";
import { createMemoryUsageStore } from "@quota/engine";
import { optimisticStore } from "./optimisticStore.js";

describeRateAdmission("memory", async () => {
  const store = createMemoryUsageStore();
  return { store, dispose: () => store.close() };
});

describeRateAdmission(
  "the optimistic store",
  async () => {
    const data = new Map<string, { amount: number; expiresAt: number }>();
    return {
      store: optimisticStore({ data }),
      another: async () => optimisticStore({ data }),
      dispose: () => Promise.resolve(),
    };
  },
  {
    shaken: async (pause) => {
      const data = new Map<string, { amount: number; expiresAt: number }>();
      return {
        store: optimisticStore({ data, pause }),
        another: async () => optimisticStore({ data, pause }),
        dispose: () => Promise.resolve(),
      };
    },
  },
);

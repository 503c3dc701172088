import {
  createMemoryAffinity,
  createMemoryLiveState,
  createMemorySpendBooks,
  createMemorySpendQueue,
} from "@quota/engine";
import {
  describeAffinity,
  describeBudgetLedger,
  describeLiveState,
  describeSpendLedger,
  describeSpendQueue,
} from "@quota/conformance";

const dispose = async (): Promise<void> => Promise.resolve();

describeSpendQueue("memory", async () => {
  const queue = createMemorySpendQueue();
  return { queue, spoil: async (index, raw) => queue.spoil(index, raw), dispose: () => queue.close() };
});

describeSpendLedger("memory", async () => ({ ...createMemorySpendBooks(), dispose }));

describeBudgetLedger("memory", async () => ({ ...createMemorySpendBooks(), dispose }));

describeLiveState("memory", async () => ({ live: createMemoryLiveState(), dispose }));

describeAffinity("memory", async () => ({ affinity: createMemoryAffinity(), dispose }));

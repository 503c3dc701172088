import { StoreError, type UsageStore } from "@quota/engine";

/** The store of a gateway that is to count in Redis, together with others, and has not reached it yet: whatever is asked meets `whenStoreFails`. */
export function createAbsentStore(reason: () => string): UsageStore {
  const away = async (): Promise<never> => {
    throw new StoreError(reason(), { applied: "no" });
  };
  return { transact: away, read: away, forget: away, close: () => Promise.resolve() };
}

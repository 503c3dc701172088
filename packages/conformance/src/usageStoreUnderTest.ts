import type { UsageStore } from "@quota/engine";

/** A usage store in which nothing is written yet. Made anew for every check. */
export interface UsageStoreUnderTest {
  readonly store: UsageStore;
  /**
   * Opens a second handle on the same data, as another process would. A store that lives in one process has none: leave it out,
   * and the checks that want a neighbour use `store` for both.
   */
  readonly another?: () => Promise<UsageStore>;
  /** `by itself`: the backend drops what has expired, and `forget` has nothing to do (default `when asked`). */
  readonly forgets?: "when asked" | "by itself";
  /** Takes away what was opened. The store may have been closed already. */
  readonly dispose: () => Promise<void>;
}

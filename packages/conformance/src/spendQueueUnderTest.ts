import type { SpendQueue } from "@quota/engine";

/** A spend queue in which nothing waits. Made anew for every check. */
export interface SpendQueueUnderTest {
  readonly queue: SpendQueue;
  /** Opens a second handle on the same queue, as another process would. Leave it out where there is none. */
  readonly another?: () => Promise<SpendQueue>;
  /**
   * Writes `raw` behind the queue's back in place of the payload of the item that is `index` behind the head (0 is the head), as a fault of a disk
   * would. What the queue keeps apart from the payload stays: its amounts and its request id.
   */
  readonly spoil: (index: number, raw: string) => Promise<void>;
  /** `by itself`: the backend forgets acknowledged ids, and `forgetAcknowledged` has nothing to do (default `when asked`). */
  readonly forgets?: "when asked" | "by itself";
  /** Takes away what was opened, second handles too. The queue may have been closed already. */
  readonly dispose: () => Promise<void>;
}

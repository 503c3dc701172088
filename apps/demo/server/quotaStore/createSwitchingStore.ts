import { StoreError, type UsageStore } from "@quota/engine";

/** A store that can become another one while requests are on their way. */
export interface SwitchingStore extends UsageStore {
  /** The store that is asked now. */
  readonly current: UsageStore;
  /**
   * Holds back whatever is new, waits for what is under way, runs `carry`, and goes on with `next`: nothing is written between the end of
   * `carry` and the first step on `next`. If `carry` throws, it goes on with what it had. Whoever waits is not told of either.
   *
   * @throws what `carry` throws.
   */
  switchTo(next: UsageStore, carry: () => Promise<void>): Promise<void>;
}

/** Hears how the store does. A step that its own decision or its neighbours spoil says nothing about the store. */
export interface StoreListener {
  worked(): void;
  failed(error: StoreError): void;
}

/** Asks `first`, until it is told to ask another store. Closing it closes the store that is asked then. */
export function createSwitchingStore(first: UsageStore, listener?: StoreListener): SwitchingStore {
  let current = first;
  /** While a switch is under way: resolves at its end. */
  let frozen: Promise<void> | undefined;
  let underWay = 0;
  let idle: (() => void) | undefined;

  function ended(): void {
    underWay -= 1;
    if (underWay === 0) idle?.();
  }

  function run<Result>(work: (store: UsageStore) => Promise<Result>): Promise<Result> {
    if (frozen !== undefined) return frozen.then(() => run(work));
    underWay += 1;
    const answer = work(current);
    answer.then(
      () => {
        ended();
        listener?.worked();
      },
      (error: unknown) => {
        ended();
        if (error instanceof StoreError) listener?.failed(error);
      },
    );
    return answer;
  }

  async function switchTo(next: UsageStore, carry: () => Promise<void>): Promise<void> {
    while (frozen !== undefined) await frozen;
    let thaw = (): void => undefined;
    frozen = new Promise((resolve) => (thaw = resolve));
    try {
      if (underWay > 0) await new Promise<void>((resolve) => (idle = resolve));
      await carry();
      current = next;
    } finally {
      idle = undefined;
      frozen = undefined;
      thaw();
    }
  }

  return {
    get current() {
      return current;
    },
    switchTo,
    transact: (step) => run((store) => store.transact(step)),
    read: (ledger, counters) => run((store) => store.read(ledger, counters)),
    forget: (before) => run((store) => store.forget(before)),
    async close() {
      while (frozen !== undefined) await frozen;
      await current.close();
    },
  };
}

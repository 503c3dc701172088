import { createMemoryUsageStore, type UsageStore } from "@quota/engine";

/** A usage store that keeps every step until the test lets it go on, or makes it fail. */
export function heldStore() {
  const inner = createMemoryUsageStore();
  let waiting: { readonly goOn: () => void; readonly fail: (error: Error) => void }[] = [];
  let asked: (() => void) | undefined;
  let isHolding = true;
  const store: UsageStore = {
    ...inner,
    async transact(step) {
      if (isHolding)
        await new Promise<void>((resolve, reject) => {
          waiting.push({ goOn: resolve, fail: reject });
          asked?.();
        });
      return inner.transact(step);
    },
  };
  const released = (): typeof waiting => {
    isHolding = false;
    const all = waiting;
    waiting = [];
    return all;
  };
  return {
    store,
    /** Until so many steps wait here. */
    async waits(count = 1): Promise<void> {
      while (waiting.length < count) await new Promise<void>((resolve) => (asked = resolve));
    },
    /** Lets those go on that wait now; later ones wait again. */
    goOnOnce(): void {
      released().forEach(({ goOn }) => goOn());
      isHolding = true;
    },
    goOn: () => released().forEach(({ goOn }) => goOn()),
    fail: (error: Error) => released().forEach(({ fail }) => fail(error)),
  };
}

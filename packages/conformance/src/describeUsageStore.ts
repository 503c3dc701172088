import { opening, runChecks } from "./runChecks.js";
import { shakenUsageStoreChecks, type OpenShaken } from "./shakenUsageStoreChecks.js";
import { usageStoreChecks } from "./usageStoreChecks.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/**
 * Runs the contract of a usage store as vitest tests: what a store that passes has shown is that the engine can rely on it.
 *
 * @param open makes an empty store, and says how to dispose of it; called once per test.
 * @param options.shaken makes an empty store that awaits `pause()` around each conversation with its backend; without it, the
 *   orders in which conversations overlap are those that happen to occur.
 * @example
 * describeUsageStore("my store", async () => {
 *   const store = createMyStore();
 *   return { store, dispose: () => store.close() };
 * });
 */
export function describeUsageStore(
  name: string,
  open: () => Promise<UsageStoreUnderTest>,
  options: { readonly shaken?: OpenShaken } = {},
): void {
  runChecks(`${name} is a usage store`, usageStoreChecks, opening(open));
  const { shaken } = options;
  if (shaken !== undefined)
    runChecks(`${name}, shaken, is a usage store`, shakenUsageStoreChecks, (run) => run(shaken));
}

import { spendQueueChecks } from "./spendQueueChecks.js";
import { opening, runChecks } from "./runChecks.js";
import type { SpendQueueUnderTest } from "./spendQueueUnderTest.js";

/**
 * Runs the contract of a spend queue as vitest tests.
 *
 * @param open makes an empty one, and says how to dispose of it; called once per test.
 * @example
 * describeSpendQueue("my queue", async () => {
 *   const queue = createMyQueue();
 *   return { queue, spoil: async (index, raw) => overwriteMyPayload(index, raw), dispose: () => queue.close() };
 * });
 */
export function describeSpendQueue(name: string, open: () => Promise<SpendQueueUnderTest>): void {
  runChecks(`${name} is a spend queue`, spendQueueChecks, opening(open));
}

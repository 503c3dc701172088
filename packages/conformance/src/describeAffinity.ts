import { affinityChecks } from "./affinityChecks.js";
import { opening, runChecks } from "./runChecks.js";
import type { AffinityUnderTest } from "./affinityUnderTest.js";

/**
 * Runs the contract of an affinity as vitest tests.
 *
 * @param open makes an empty one, and says how to dispose of it; called once per test.
 * @example
 * describeAffinity("mine", async () => ({ affinity: createMyAffinity(), dispose: async () => {} }));
 */
export function describeAffinity(name: string, open: () => Promise<AffinityUnderTest>): void {
  runChecks(`${name} is an affinity`, affinityChecks, opening(open));
}

import { poolDirectoryChecks } from "./poolDirectoryChecks.js";
import type { PoolDirectoryUnderTest } from "./poolDirectoryUnderTest.js";
import { opening, runChecks } from "./runChecks.js";

/**
 * Runs the contract of a pool directory as vitest tests.
 *
 * @param open makes an empty directory, and says how to dispose of it; called once per test.
 * @example
 * describePoolDirectory("my directory", async () => ({ directory: createMyDirectory(), dispose: async () => {} }));
 */
export function describePoolDirectory(name: string, open: () => Promise<PoolDirectoryUnderTest>): void {
  runChecks(`${name} is a pool directory`, poolDirectoryChecks, opening(open));
}

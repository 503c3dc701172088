import { liveStateChecks } from "./liveStateChecks.js";
import { opening, runChecks } from "./runChecks.js";
import type { LiveStateUnderTest } from "./liveStateUnderTest.js";

/**
 * Runs the contract of a live state as vitest tests.
 *
 * @param open makes an empty one, and says how to dispose of it; called once per test.
 * @example
 * describeLiveState("my state", async () => ({ live: createMyState(), dispose: async () => {} }));
 */
export function describeLiveState(name: string, open: () => Promise<LiveStateUnderTest>): void {
  runChecks(`${name} is a live state`, liveStateChecks, opening(open));
}

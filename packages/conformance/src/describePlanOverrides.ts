import { planOverridesChecks, type PlanOverridesUnderTest } from "./planOverridesChecks.js";
import { opening, runChecks } from "./runChecks.js";

/**
 * Runs the contract of stored plan overrides as vitest tests.
 *
 * @param open makes empty overrides, and says how to dispose of them; called once per test.
 * @example
 * describePlanOverrides("my overrides", async () => ({ overrides: createMyOverrides(), dispose: async () => {} }));
 */
export function describePlanOverrides(name: string, open: () => Promise<PlanOverridesUnderTest>): void {
  runChecks(`${name} are plan overrides`, planOverridesChecks, opening(open));
}

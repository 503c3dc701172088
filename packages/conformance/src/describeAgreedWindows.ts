import fc from "fast-check";
import { agreedWindowsRaces, deedsArbitrary, expectConserved } from "./agreedWindowsRaces.js";
import { agreedWindowsSentences } from "./agreedWindowsSentences.js";
import type { Check } from "./check.js";
import { opening, runChecks } from "./runChecks.js";
import { shaken, type OpenShaken } from "./shakenUsageStoreChecks.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** What processes agree on in a ledger, over a store: examples first, then everything at once. */
export const agreedWindowsChecks: readonly Check<UsageStoreUnderTest>[] = [
  ...agreedWindowsSentences,
  ...agreedWindowsRaces,
];

/** The same while conversations with the backend overlap in every order. */
export const shakenAgreedWindowsChecks: readonly Check<OpenShaken>[] = [
  {
    name: "in whatever order the backend answers, nothing is lost, counted twice or let in above the limit",
    async run(open) {
      const property = fc.asyncProperty(fc.scheduler(), deedsArbitrary, async (scheduler, deeds) =>
        shaken(open, scheduler, async (handles) => expectConserved(handles, deeds)),
      );
      await fc.assert(property, { numRuns: 40 });
    },
  },
];

/**
 * Runs what `createQuotaEngine` promises of windows and percentages that several processes agree on, over a store, as vitest tests. A store that
 * passes `describeUsageStore` passes these.
 *
 * @param open and @param options as `describeUsageStore` takes them.
 * @example
 * describeAgreedWindows("my store", async () => {
 *   const store = createMyStore();
 *   return { store, dispose: () => store.close() };
 * });
 */
export function describeAgreedWindows(
  name: string,
  open: () => Promise<UsageStoreUnderTest>,
  options: { readonly shaken?: OpenShaken } = {},
): void {
  runChecks(`windows agreed on over ${name}`, agreedWindowsChecks, opening(open));
  const { shaken: openShaken } = options;
  if (openShaken !== undefined)
    runChecks(`windows agreed on over ${name}, shaken`, shakenAgreedWindowsChecks, (run) => run(openShaken));
}

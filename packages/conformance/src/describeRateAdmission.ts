import fc from "fast-check";
import type { Check } from "./check.js";
import { ceilingArbitrary, expectShakenCeiling, rateAdmissionCrowds } from "./rateAdmissionCrowds.js";
import { rateAdmissionModel } from "./rateAdmissionModel.js";
import { rateAdmissionRevisions } from "./rateAdmissionRevisions.js";
import { rateAdmissionSentences } from "./rateAdmissionSentences.js";
import { rateSettlementSentences } from "./rateSettlementSentences.js";
import { rateScopesSentences } from "./rateScopesSentences.js";
import { opening, runChecks } from "./runChecks.js";
import { shaken, type OpenShaken } from "./shakenUsageStoreChecks.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** What rate admission promises over a store: examples first, then random histories against the definition, then crowds. */
export const rateAdmissionChecks: readonly Check<UsageStoreUnderTest>[] = [
  ...rateAdmissionSentences,
  ...rateSettlementSentences,
  ...rateScopesSentences,
  ...rateAdmissionRevisions,
  ...rateAdmissionModel,
  ...rateAdmissionCrowds,
];

/** The same while conversations with the backend overlap in every order. */
export const shakenRateAdmissionChecks: readonly Check<OpenShaken>[] = [
  {
    name: "in whatever order the backend answers, a ceiling is granted exactly and what is held stays true",
    async run(open) {
      const property = fc.asyncProperty(fc.scheduler(), ceilingArbitrary, async (scheduler, limits) =>
        shaken(open, scheduler, async (handles) => expectShakenCeiling(handles, limits)),
      );
      await fc.assert(property, { numRuns: 40 });
    },
  },
];

/**
 * Runs what `createRateAdmission` promises over a store as vitest tests. A store that passes `describeUsageStore` passes these; they show
 * that it does, with rate plans, revisions and crowds at a ceiling.
 *
 * @param open and @param options as `describeUsageStore` takes them.
 * @example
 * describeRateAdmission("my store", async () => {
 *   const store = createMyStore();
 *   return { store, dispose: () => store.close() };
 * });
 */
export function describeRateAdmission(
  name: string,
  open: () => Promise<UsageStoreUnderTest>,
  options: { readonly shaken?: OpenShaken } = {},
): void {
  runChecks(`rate admission over ${name}`, rateAdmissionChecks, opening(open));
  const { shaken: openShaken } = options;
  if (openShaken !== undefined)
    runChecks(`rate admission over ${name}, shaken`, shakenRateAdmissionChecks, (run) => run(openShaken));
}

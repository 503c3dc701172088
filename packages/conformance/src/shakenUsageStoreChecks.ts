import type { UsageStore } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { counter, deciding, look, transact, withNeighbour } from "./steps.js";
import { crowdArbitrary, expectSerial } from "./usageStoreModel.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/**
 * Opens a store that awaits `pause()` before and after each of its conversations with its backend (a client wrapped in the
 * adapter's test does it), so that the checks decide which conversation goes on next.
 */
export type OpenShaken = (pause: () => Promise<void>) => Promise<UsageStoreUnderTest>;

/** The contract of a usage store when its conversations with the backend overlap in every order that can be thought of. */
export const shakenUsageStoreChecks: readonly Check<OpenShaken>[] = [
  {
    name: "in whatever order the backend answers, steps ran one after the other",
    async run(open) {
      const crowds = fc.array(crowdArbitrary, { minLength: 1, maxLength: 2 });
      const property = fc.asyncProperty(fc.scheduler(), crowds, async (scheduler, asked) =>
        shaken(open, scheduler, async (handles) => expectSerial(asked, handles, "ledger")),
      );
      await fc.assert(property, { numRuns: 60 });
    },
  },
  {
    name: "in whatever order the backend answers, a ceiling is granted exactly",
    async run(open) {
      const property = fc.asyncProperty(
        fc.scheduler(),
        fc.integer({ min: 1, max: 8 }),
        async (scheduler, ceiling) =>
          shaken(open, scheduler, async (handles) => {
            const everyone = counter("everyone");
            const answers = await Promise.all(
              Array.from({ length: 10 }, (_, i) =>
                transact(
                  handles[i % 2 === 0 ? 0 : 1],
                  deciding([everyone], ([used = 0]) =>
                    used < ceiling
                      ? { result: true, additions: [1], holdsUpTo: [ceiling - 1] }
                      : { result: false, additions: [0] },
                  ),
                ),
              ),
            );
            expect(answers.filter(Boolean)).toHaveLength(ceiling);
            expect(await look(handles[0], [everyone])).toEqual([ceiling]);
          }),
      );
      await fc.assert(property, { numRuns: 60 });
    },
  },
];

/** Opens, works and disposes, while the scheduler picks which conversation goes on next. */
export async function shaken(
  open: OpenShaken,
  scheduler: fc.Scheduler,
  work: (handles: readonly [UsageStore, UsageStore]) => Promise<void>,
): Promise<void> {
  const subject = await scheduler.waitFor(open(async () => scheduler.schedule(Promise.resolve())));
  try {
    await scheduler.waitFor(withNeighbour(subject, async (neighbour) => work([subject.store, neighbour])));
  } finally {
    await scheduler.waitFor(subject.dispose());
  }
}

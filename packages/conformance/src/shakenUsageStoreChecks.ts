import type { UsageStore, Verdict } from "@quota/engine";
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
  {
    name: "in whatever order the backend answers, a counter whose bound is undefined is exactly as shown when the verdict is committed",
    async run(open) {
      const property = fc.asyncProperty(fc.scheduler(), async (scheduler) =>
        shaken(open, scheduler, async (handles) => {
          // Whoever draws a ticket minds which one it is, and nobody minds how many wait.
          const [drawn, waiting] = [counter("drawn"), counter("waiting")];
          const tickets = await Promise.all(
            Array.from({ length: 8 }, (_, i) =>
              transact(
                handles[i % 2 === 0 ? 0 : 1],
                deciding([drawn, waiting], ([number = 0]) => ({
                  result: number,
                  additions: [1, 1],
                  holdsUpTo: [undefined, Infinity],
                })),
              ),
            ),
          );
          expect(tickets.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
          expect(await look(handles[0], [drawn, waiting])).toEqual([8, 8]);
        }),
      );
      await fc.assert(property, { numRuns: 60 });
    },
  },
  {
    name: "in whatever order the backend answers, batches of several processes pass no ceiling and lose nothing",
    async run(open) {
      const asked = fc.array(gatewayArbitrary, { minLength: 2, maxLength: 4 });
      const property = fc.asyncProperty(fc.scheduler(), asked, async (scheduler, gateways) =>
        shaken(open, scheduler, async ([store, neighbour]) => {
          const ceiling = 5;
          const [settled, held] = [counter("settled"), counter("held")];
          // Each gateway's requests are asked in one turn, so that a store that batches has batches to make.
          const answers = await Promise.all(
            gateways.flatMap(({ handle, costs }) =>
              costs.map(async (cost) => {
                const through = handle === 0 ? store : neighbour;
                const admitted = await transact(through, deciding([settled, held], admission(cost, ceiling)));
                if (admitted)
                  await transact(
                    through,
                    deciding([settled, held], () => ({
                      result: undefined,
                      additions: [cost, -cost],
                      holdsUpTo: [Infinity, Infinity],
                    })),
                  );
                return admitted ? cost : 0;
              }),
            ),
          );
          const granted = answers.reduce((sum, cost) => sum + cost, 0);
          expect(granted).toBeLessThanOrEqual(ceiling);
          expect(await look(store, [settled, held])).toEqual([granted, 0]);
          // What is settled never comes back: who would fit now would have fitted then.
          const costs = gateways.flatMap((gateway) => gateway.costs);
          for (const [i, cost] of costs.entries())
            if (answers[i] === 0) expect(granted + cost).toBeGreaterThan(ceiling);
        }),
      );
      await fc.assert(property, { numRuns: 60 });
    },
  },
];

/** A process with some requests, by what they cost, all of them asked at once. */
const gatewayArbitrary = fc.record({
  handle: fc.constantFrom(0, 1),
  costs: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
});

/** Holds a cost while it fits under what is settled and held; its bounds split what is left between the two. */
function admission(cost: number, ceiling: number): (amounts: readonly number[]) => Verdict<boolean> {
  return ([settled = 0, held = 0]) => {
    const slack = ceiling - cost - settled - held;
    if (slack < 0) return { result: false, additions: [0, 0] };
    const holdsUpTo = [settled + Math.floor(slack / 2), held + Math.ceil(slack / 2)];
    return { result: true, additions: [0, cost], holdsUpTo };
  };
}

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

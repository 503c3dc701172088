import type { Counter, UsageStore } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { serialOrder, type DoneStep } from "./serialOrder.js";
import { HOUR, look, NOW, transact, withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";

/** The contract of a usage store, by random histories, each compared with a plain Map or with every order it may have had. */
export const usageStoreModel: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "random histories of steps, one after the other, agree with a plain Map",
    async run(subject) {
      let histories = 0;
      await withNeighbour(subject, async (neighbour) => {
        const property = fc.asyncProperty(fc.array(eventArbitrary, { maxLength: 25 }), async (events) => {
          histories += 1;
          await follow(events, [subject.store, neighbour], `history ${String(histories)}`);
        });
        await fc.assert(property, { numRuns: 60 });
      });
    },
  },
  {
    name: "steps asked at the same moment ran in some order, one after the other",
    async run(subject) {
      let histories = 0;
      await withNeighbour(subject, async (neighbour) => {
        const property = fc.asyncProperty(fc.array(crowdArbitrary, { maxLength: 5 }), async (crowds) => {
          histories += 1;
          await expectSerial(crowds, [subject.store, neighbour], `crowd ${String(histories)}`);
        });
        await fc.assert(property, { numRuns: 80 });
      });
    },
  },
];

/** Three counters, two of one id: enough for steps to overlap in every way. */
const CROWDED: readonly Counter[] = [
  { id: "a", bucket: 1, expiresAt: NOW + 24 * HOUR },
  { id: "a", bucket: 2, expiresAt: NOW + 24 * HOUR },
  { id: "b", bucket: 1, expiresAt: NOW + 24 * HOUR },
];

type Handle = 0 | 1;

/** One step of a crowd: which of the counters it names, what it adds to them, and over which handle it is asked. */
export interface CrowdStep {
  readonly positions: readonly number[];
  readonly additions: readonly number[];
  readonly handle: Handle;
}

const changeArbitrary = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -(2 ** 45), max: 2 ** 45 }),
);

const crowdStepArbitrary: fc.Arbitrary<CrowdStep> = fc
  .shuffledSubarray([0, 1, 2], { minLength: 1 })
  .chain((positions) =>
    fc.record({
      positions: fc.constant(positions),
      additions: fc.array(changeArbitrary, { minLength: positions.length, maxLength: positions.length }),
      handle: fc.constantFrom<Handle>(0, 1),
    }),
  );

/** Steps to be asked at the same moment; few enough for every order to be tried. */
export const crowdArbitrary: fc.Arbitrary<readonly CrowdStep[]> = fc.array(crowdStepArbitrary, {
  minLength: 2,
  maxLength: 5,
});

/** Asks each crowd at once, crowd after crowd, and looks for an order that explains what every step was shown. */
export async function expectSerial(
  crowds: readonly (readonly CrowdStep[])[],
  stores: readonly [UsageStore, UsageStore],
  ledger: string,
): Promise<void> {
  let amounts: readonly number[] = CROWDED.map(() => 0);
  for (const crowd of crowds) {
    const done = await Promise.all(
      crowd.map(({ positions, additions, handle }) =>
        transact(stores[handle], {
          ledger,
          counters: positions.flatMap((position) => CROWDED[position] ?? []),
          now: NOW,
          decide: (shown): { result: DoneStep; additions: readonly number[] } => ({
            result: { positions, shown: [...shown], additions },
            additions,
          }),
        }),
      ),
    );
    const after = serialOrder(amounts, done);
    expect(after, `no order explains what these steps were shown: ${JSON.stringify(done)}`).toBeDefined();
    amounts = after ?? amounts;
    expect(
      await look(stores[0], CROWDED, ledger),
      "the steps were shown one thing, and another was kept",
    ).toEqual(amounts);
  }
}

/** What may happen in a history. */
interface Event {
  readonly kind: "step" | "throwing step" | "read" | "forget";
  readonly handle: Handle;
  readonly ledger: string;
  readonly picks: readonly { readonly id: string; readonly bucket: number; readonly change: number }[];
  /** How long after the event before it. */
  readonly minutes: number;
}

const eventArbitrary: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom("step", "step", "step", "throwing step", "read", "forget"),
  handle: fc.constantFrom<Handle>(0, 1),
  ledger: fc.constantFrom("one", "two"),
  picks: fc.uniqueArray(
    fc.record({
      id: fc.constantFrom("a", "a|1", "__proto__", "{b}"),
      bucket: fc.integer({ min: 1, max: 3 }),
      change: changeArbitrary,
    }),
    { maxLength: 6, selector: ({ id, bucket }) => `${id} ${String(bucket)}` },
  ),
  minutes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90 })),
});

/** Runs a history against the store and against a Map of what was counted, and compares them at every event. */
async function follow(
  events: readonly Event[],
  handles: readonly [UsageStore, UsageStore],
  history: string,
): Promise<void> {
  const counted = new Map<string, number>();
  const writers = new Set<UsageStore>();
  let now = NOW;
  for (const { kind, handle, ledger, picks, minutes } of events) {
    now += (minutes * HOUR) / 60;
    const store = handles[handle];
    const names = picks.map(({ id, bucket }) => JSON.stringify([ledger, id, bucket]));
    const counters = picks.map(({ id, bucket }) => ({ id, bucket, expiresAt: NOW + bucket * 4 * HOUR }));
    const isLive = counters.map(({ expiresAt }) => expiresAt > now);
    const expected = names.map((name, i) => (isLive[i] ? (counted.get(name) ?? 0) : 0));
    const additions = picks.map(({ change }) => change);
    const step = { ledger: `${history} ${ledger}`, counters, now };

    switch (kind) {
      case "step":
        expect(
          await transact(store, { ...step, decide: (shown) => ({ result: [...shown], additions }) }),
        ).toEqual(expected);
        writers.add(store);
        names.forEach((name, i) => counted.set(name, (expected[i] ?? 0) + (additions[i] ?? 0)));
        break;
      case "throwing step":
        await expect(
          transact(store, {
            ...step,
            decide: () => {
              throw new RangeError("no decision");
            },
          }),
        ).rejects.toThrow(RangeError);
        break;
      case "read": {
        const live = counters.filter((_, i) => isLive[i]);
        const read = await store.read(step.ledger, live);
        // A handle's own steps are read at once; a neighbour's may be read late.
        if ([...writers].every((writer) => writer === store))
          expect(read).toEqual(expected.filter((_, i) => isLive[i]));
        else expect(read).toHaveLength(live.length);
        break;
      }
      case "forget":
        await store.forget(now);
        break;
    }
  }
}

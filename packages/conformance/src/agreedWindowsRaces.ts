import type { DimensionSpec } from "@quota/core";
import type { UsageStore } from "@quota/engine";
import fc from "fast-check";
import { expect } from "vitest";
import type { Check } from "./check.js";
import { withNeighbour } from "./steps.js";
import type { UsageStoreUnderTest } from "./usageStoreUnderTest.js";
import { KEYS, MONDAY, officeOver, PERCENT, REQUESTS, serve, FIVE_HOURS } from "./windowsOffice.js";

/** Something that one of two processes does, at the same time as everything else. */
export type Deed =
  | { readonly kind: "serve"; readonly by: 0 | 1; readonly key: number; readonly tokens: number }
  /** The percentage has risen. */
  | { readonly kind: "rise"; readonly by: 0 | 1; readonly percent: number }
  /** The provider's window of requests is said to lie elsewhere. */
  | { readonly kind: "reset"; readonly by: 0 | 1; readonly hours: number }
  | { readonly kind: "anchor"; readonly anchor: number };

const by = fc.constantFrom(0 as const, 1 as const);

/** What happens to a pool at once. */
export const deedsArbitrary: fc.Arbitrary<readonly Deed[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("serve" as const),
        by,
        key: fc.nat({ max: KEYS.length }),
        tokens: fc.nat({ max: 5000 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("rise" as const),
        by,
        percent: fc.integer({ min: 1, max: 9 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("reset" as const),
        by,
        hours: fc.integer({ min: 1, max: 9 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("anchor" as const), anchor: fc.nat({ max: 3 }) }),
    },
  ),
  { minLength: 2, maxLength: 12 },
);

const ANCHORS: readonly DimensionSpec["anchor"][] = [undefined, "first-use", { calendar: "UTC" }, "epoch"];
const LIMIT = 5;

/**
 * Does everything at once, in two processes, and then looks: a percentage is somebody's to its last grain, no request is lost or counted
 * twice, and none is let in above the limit.
 */
export async function expectConserved(
  stores: readonly [UsageStore, UsageStore],
  deeds: readonly Deed[],
): Promise<void> {
  const planned = (i: number): readonly DimensionSpec[] => {
    const anchor = ANCHORS[i];
    return [PERCENT, { ...REQUESTS, limit: LIMIT, ...(anchor !== undefined && { anchor }) }];
  };
  const { office, close } = await officeOver(stores, planned(0));
  const two = [office.process(), office.process({ handle: 1 })];
  office.time.now += 60_000;
  const saidAt = office.time.now - 1000;
  await two[0]!.observe("seat", [office.reading(0, { receivedAt: saidAt })]);

  let told = 0;
  let letIn = 0;
  await Promise.all(
    deeds.map(async (deed, i) => {
      const receivedAt = saidAt + 1 + i;
      switch (deed.kind) {
        case "serve":
          if (await serve(two[deed.by]!, KEYS[deed.key] ?? "stranger", deed.tokens)) letIn += 1;
          break;
        case "rise":
          told += deed.percent;
          await two[deed.by]!.observe("seat", [office.reading(told, { receivedAt })]);
          break;
        case "reset":
          await two[deed.by]!.observe("seat", [
            office.reading(0, {
              unit: "requests",
              window: "daily",
              receivedAt,
              resetsAt: MONDAY + FIVE_HOURS + deed.hours * 600_000,
            }),
          ]);
          break;
        case "anchor":
          await office.setPlan(planned(deed.anchor));
      }
    }),
  );
  await close();

  const after = office.process();
  office.time.now += 1;
  told += 1;
  await after.observe("seat", [office.reading(told)]);
  const percent = await office.look(after);
  expect(percent.attributed + percent.outside).toBe(told * 1e6);
  expect(percent).toMatchObject({ provisional: 0, held: 0 });
  for (const { consumed } of percent.perKey) expect(consumed).toBeGreaterThanOrEqual(0);
  const { consumedTotal, held, perKey } = await office.look(after, 1);
  expect([consumedTotal, held]).toEqual([letIn, 0]);
  expect(letIn).toBeLessThanOrEqual(LIMIT);
  expect(perKey.reduce((sum, { consumed }) => sum + consumed, 0)).toBeLessThanOrEqual(letIn);
  await after.close();
}

/** What processes agree on while everything happens at once. */
export const agreedWindowsRaces: readonly Check<UsageStoreUnderTest>[] = [
  {
    name: "while requests, rises, resets and changes of the plan meet, nothing is lost, counted twice or let in above the limit",
    async run(subject) {
      // Each of them on a store of its own would be slow where stores are files: a crowd is one history, and long.
      const [deeds] = fc.sample(fc.array(deedsArbitrary, { minLength: 6, maxLength: 6 }), 1);
      await withNeighbour(subject, async (neighbour) =>
        expectConserved([subject.store, neighbour], deeds!.flat()),
      );
    },
  },
];

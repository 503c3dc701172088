import fc from "fast-check";
import {
  leaseGenerations,
  windowBuckets,
  type Bucket,
  type DimensionName,
  type DimensionQuestion,
  type FairShareQuestion,
  type Policy,
  type Reading,
  type WindowShape,
} from "@quota/core";

/** Short windows, so that histories cross many edges. */
export const windowShape: fc.Arbitrary<WindowShape> = fc.oneof(
  fc.record({
    slotMs: fc.integer({ min: 1, max: 50 }),
    slots: fc.integer({ min: 1, max: 5 }),
    edge: fc.constantFrom<WindowShape["edge"]>("weighted", "full"),
  }),
  fc.record({
    slotMs: fc.integer({ min: 1, max: 200 }),
    slots: fc.constant(1),
    edge: fc.constant("fixed" as const),
  }),
);

/** A moment well after the epoch, so that earlier buckets have numbers above 0. */
export const moment = fc.integer({ min: 1_000, max: 3_000 });

const amount = fc.oneof({ weight: 3, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.constant(0) });

/** The buckets that a request sees of a dimension at `now`. */
export function bucketsAt(shape: WindowShape, leaseMs: number, now: number): readonly Bucket[] {
  return [...windowBuckets(shape, now), ...leaseGenerations(leaseMs, now)];
}

/** A reading over given buckets. */
export function readingOver(buckets: readonly Bucket[]): fc.Arbitrary<Reading> {
  return fc
    .array(amount, { minLength: buckets.length, maxLength: buckets.length })
    .map((amounts) => ({ buckets, amounts }));
}

const NAMES: readonly DimensionName[] = ["requests/hourly", "tokens/5h", "usd/daily", "percent/weekly"];

/** One to four dimensions with readings in which everybody's use covers the key's, and a policy. */
export function fairShareQuestion(now: number): fc.Arbitrary<FairShareQuestion> {
  const dimension = (name: DimensionName): fc.Arbitrary<DimensionQuestion> =>
    fc
      .record({ shape: windowShape, leaseMs: fc.integer({ min: 20, max: 300 }) })
      .chain(({ shape, leaseMs }) => {
        const buckets = bucketsAt(shape, leaseMs, now);
        return fc.record({ used: readingOver(buckets), others: readingOver(buckets) });
      })
      .chain(({ used, others }) =>
        fc.record({
          limit: fc.oneof(
            { weight: 8, arbitrary: fc.integer({ min: 1, max: 300 }) },
            { weight: 1, arbitrary: fc.constant("unknown" as const) },
          ),
          cost: fc.oneof(fc.constant(0), fc.nat(30), fc.constant(1)),
          share: fc.nat(120),
          cap: fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined, freq: 3 }),
          signal: fc.option(
            fc.record({
              utilization: fc.double({ min: 0, max: 1.2, noNaN: true }),
              totalThen: fc.nat(200),
              until: fc.option(fc.integer({ min: now - 10, max: now + 500 }), { nil: undefined }),
            }),
            { nil: undefined, freq: 3 },
          ),
          used: fc.constant(used),
          total: fc.constant({
            buckets: used.buckets,
            amounts: used.amounts.map((amount, i) => amount + others.amounts[i]!),
          }),
        }),
      )
      .map(({ limit, ...rest }) => {
        const [unit, window] = name.split("/") as ["requests", "hourly"];
        return { dimension: { name, unit, window, limit }, ...rest };
      });
  return fc.record({
    policy: fc.constantFrom<Policy>("hard", "soft", "burst"),
    saturationThreshold: fc.option(fc.constantFrom(0, 0.3, 0.5, 0.8, 1), { nil: undefined }),
    dimensions: fc.subarray([...NAMES], { minLength: 1 }).chain((names) => fc.tuple(...names.map(dimension))),
  });
}

import {
  decideFairShare,
  fixedWindowAt,
  outsideOf,
  reserveBound,
  reservedPartAt,
  reservesAt,
  settledAt,
  useAt,
  type Bucket,
  type DimensionQuestion,
  type EpochMs,
  type FixedWindow,
  type GovernedPool,
  type Reading,
  type ReserveCurve,
  type ReserveLine,
  type ReserveQuestion,
} from "@quota/core";
import { fixedWindowOf, following, type DimensionMoment } from "./dimensionMoment.js";
import type { DimensionReading } from "./dimensionReading.js";

/** All reserves of a dimension, every key looked at. */
export interface DimensionReserves {
  readonly window: FixedWindow;
  /** What is held for each key, aligned with the reading's. */
  readonly left: readonly number[];
  /** All of them together. */
  readonly reserved: number;
  readonly spare: number;
  /** When a request of one grain passes that is covered by no reserve, if none would now. */
  readonly lendsAt: EpochMs | undefined;
  /** The question about one key, whose answer is exact although it looks at no other key. */
  questionOf(n: number): ReserveQuestion;
  /** The same, with every other key to be looked at: `retryAt` is exact, too. */
  fullQuestionOf(n: number | undefined): ReserveQuestion;
  /** A key's use, and everybody's, as they are counted in this window. */
  inWindow(use: Reading): Reading;
}

/**
 * Works out the reserves of a dimension: those that are kept, or those that would be if the pool were to keep them from now on. Undefined without a
 * limit.
 */
export function dimensionReserves(
  asked: {
    readonly moment: DimensionMoment;
    readonly reading: DimensionReading;
    readonly governed: GovernedPool;
    readonly i: number;
    readonly curve: ReserveCurve;
    /** As if they were not kept yet. */
    readonly asIf: boolean;
  },
  now: EpochMs,
): DimensionReserves | undefined {
  const { moment, reading, governed, i, curve, asIf } = asked;
  const { dimension, outside } = moment;
  if (dimension.limit === "unknown") return undefined;
  const kept = asIf ? undefined : moment.reserve;
  const window = fixedWindowOf(moment) ?? fixedWindowAt({ window: dimension.window, anchor: "epoch" }, now);
  const { opens, resets } = window;
  const inWindow = (use: Reading): Reading => (kept === undefined ? movedInto(window, use, now) : use);
  const total = inWindow(reading.total);
  const part = reservedPartAt(curve, window, now);
  const standings = reading.keys.map(({ apiKeyId }) => governed.standings.get(apiKeyId)!);
  const lines = reading.keys.map(({ used, spent }, n): ReserveLine => {
    const line = { share: standings[n]!.shares[i] ?? 0, kept: standings[n]!.kept[i] ?? 0 };
    const start = Math.min(reserveBound(line, part), Math.max(0, line.share - useAt(used, now)));
    return {
      ...line,
      used: inWindow(used),
      spent: kept === undefined || spent === undefined ? line.share - start : spent,
    };
  });
  const sharedOut = governed.sharedOut[i] ?? 0;
  const nobody = {
    curve,
    opens,
    resets,
    following: following(moment),
    kept: 0,
    spent: 0,
    lent: 0,
    sharedOut,
  };
  const question: DimensionQuestion & { readonly reserve: ReserveQuestion } = {
    ...{ dimension, used: 0, total, cost: 1, share: 0, outside },
    reserve: { ...nobody, others: lines },
  };
  const { others, forOthers, spare } = reservesAt(question, now);
  const left = others!;
  const lending = decideFairShare({ policy: "hard", lending: "reserve", dimensions: [question] }, now);
  const lent = dimension.limit - outsideOf({ outside, dimension }, now) - sharedOut - spare;
  return {
    window,
    left,
    reserved: forOthers,
    spare,
    lendsAt: lending.status === "refused" ? lending.retryAt : undefined,
    questionOf: (n) => ({
      ...nobody,
      kept: lines[n]!.kept,
      spent: lines[n]!.share - left[n]!,
      lent,
    }),
    fullQuestionOf: (n) => ({
      ...nobody,
      ...(n !== undefined && { kept: lines[n]!.kept, spent: lines[n]!.spent }),
      lent,
      others: lines.filter((_line, other) => other !== n),
    }),
    inWindow,
  };
}

/** What counts now, counted whole until the window's end, beside what is held. */
function movedInto({ resets }: FixedWindow, use: Reading, now: EpochMs): Reading {
  const settled: Bucket = { holds: "settled", index: 0, fadesFrom: resets, goneAt: resets };
  const held = [...use.buckets.keys()].filter((b) => use.buckets[b]!.holds === "held");
  return {
    buckets: [settled, ...held.map((b) => use.buckets[b]!)],
    amounts: [Math.round(settledAt(use, now)), ...held.map((b) => use.amounts[b]!)],
  };
}

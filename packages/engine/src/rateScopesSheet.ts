import {
  chargeRates,
  clearingMoment,
  currentBucket,
  decideRates,
  layOutRates,
  QuotaConfigError,
  ratesBounds,
  useAt,
  windowBucket,
  windowBuckets,
  type Bucket,
  type EpochMs,
  type RatePlanNode,
  type RateRefusal,
  type RateSheet,
  type Reading,
  type WindowShape,
} from "@quota/core";
import { rateCounter } from "./counterId.js";
import type { SlidingMinute } from "./rateAdmission.js";
import { MINUTE_MS } from "./ratePlanSheet.js";
import type { Counter, CounterId, Verdict } from "./usageStore.js";

/** The counters of limits that are asked side by side, in the buckets of their minute. */
export interface RateScopesSheet {
  readonly sheet: RateSheet;
  readonly shape: WindowShape;
  /** Per cell of the sheet, in order, one counter for each of the buckets. The same list for the same buckets, asked again. */
  countersOf(buckets: readonly Bucket[]): readonly Counter[];
}

export function rateScopesSheet(scopes: readonly RatePlanNode[], shape: WindowShape): RateScopesSheet {
  const sheet = layOutRates(scopes);
  let ids: readonly CounterId[] | undefined;
  let laidOutFor: readonly Bucket[] = [];
  let counters: readonly Counter[] = [];
  return {
    sheet,
    shape,
    countersOf(buckets) {
      const isSame = buckets.length === laidOutFor.length && buckets[0]?.index === laidOutFor[0]?.index;
      if (isSame) return counters;
      ids ??= sheet.cells.map((cell) => rateCounter(cell, shape.slots));
      counters = ids.flatMap((id) =>
        buckets.map(({ index }) => ({ id, bucket: index, expiresAt: keptUntil(shape, index) })),
      );
      laidOutFor = buckets;
      return counters;
    },
  };
}

/** The buckets that an admission at `now` reads. What it charges goes into the one that lies at `chargedAt`. */
export function rateBuckets(
  shape: WindowShape,
  now: EpochMs,
): { readonly buckets: readonly Bucket[]; readonly chargedAt: number } {
  if (shape.edge !== "fixed") return { buckets: windowBuckets(shape, now), chargedAt: 1 };
  return { buckets: [windowBucket(shape, currentBucket(shape.slotMs, now))], chargedAt: 0 };
}

export type RateScopesOutcome =
  | { readonly kind: "charged" }
  | { readonly kind: "refused"; readonly refusal: RateRefusal; readonly retryAt: EpochMs | undefined };

export interface RateScopesStep {
  readonly sheet: RateSheet;
  readonly buckets: readonly Bucket[];
  readonly chargedAt: number;
  readonly estimate: number;
}

/** Asks for one request on the counters of {@link RateScopesSheet.countersOf}, and charges it to the current bucket. */
export function rateScopesVerdict(
  step: RateScopesStep,
  amounts: readonly number[],
  now: EpochMs,
): Verdict<RateScopesOutcome> {
  const { sheet, buckets, chargedAt, estimate } = step;
  const readings = sheet.cells.map((_, i): Reading => ({
    buckets,
    amounts: amounts.slice(i * buckets.length, (i + 1) * buckets.length),
  }));
  const uses = readings.map((reading) => useAt(reading, now));
  const answer = decideRates({ sheet, amounts: uses, estimate });
  const additions = new Array<number>(amounts.length).fill(0);
  if (!answer.allowed) {
    const retryAt = clearsAt({ sheet, readings, estimate }, now);
    return { result: { kind: "refused", refusal: answer.refusal, retryAt }, additions };
  }
  answer.additions.forEach((addition, i) => (additions[i * buckets.length + chargedAt] = addition));
  return {
    result: { kind: "charged" },
    additions,
    // Most stores never ask.
    get holdsUpTo() {
      return ratesBounds({ sheet, amounts: uses, estimate })?.flatMap((bound, i) =>
        spread({ bound, reading: readings[i]!, use: uses[i]!, chargedAt }, now),
      );
    },
  };
}

/** Adds to one bucket, whatever the limits say. `amounts` and the answer are of that bucket alone. */
export function rateScopesCharge(
  charge: { readonly sheet: RateSheet; readonly requests: number; readonly tokens: number },
  amounts: readonly number[],
): Verdict<{ readonly kind: "charged" }> {
  const additions = chargeRates({ ...charge, amounts });
  const holdsUpTo = amounts.map(() => Infinity);
  const stops = amounts.some((amount) => amount > Number.MAX_SAFE_INTEGER - charge.tokens);
  return { result: { kind: "charged" }, additions, holdsUpTo: stops ? undefined : holdsUpTo };
}

/**
 * How a minute is cut, for people who want it to slide.
 *
 * @throws {QuotaConfigError} for slots that do not divide a minute evenly, or another edge.
 */
export function minuteShape(sliding: SlidingMinute | undefined): WindowShape {
  if (sliding === undefined) return UTC_MINUTE;
  const { slots, edge = "weighted" } = sliding;
  if (!(Number.isInteger(slots) && slots >= 1 && slots <= 60 && MINUTE_MS % slots === 0))
    throw new QuotaConfigError({
      code: "out-of-range",
      field: "sliding.slots",
      problem: `${String(slots)} slots do not divide a minute evenly.`,
      remedy: "Give 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30 or 60.",
    });
  if (!["weighted", "full"].includes(edge))
    throw new QuotaConfigError({
      code: "unknown-edge",
      field: "sliding.edge",
      problem: `${JSON.stringify(edge)} is no edge.`,
      remedy: 'Give "weighted" or "full".',
    });
  return { slotMs: MINUTE_MS / slots, slots, edge };
}

const UTC_MINUTE: WindowShape = Object.freeze({ slotMs: MINUTE_MS, slots: 1, edge: "fixed" });

/** A UTC minute is kept for another one, so that a neighbour whose clock is behind still finds it. */
function keptUntil({ slotMs, slots }: WindowShape, index: number): EpochMs {
  return (index + slots + 1) * slotMs;
}

/** How far the amounts of one cell may rise: older buckets as far as they were read, the current one up to the bound. */
function spread(
  cell: {
    readonly bound: number;
    readonly reading: Reading;
    readonly use: number;
    readonly chargedAt: number;
  },
  now: EpochMs,
): readonly number[] {
  const { bound, reading, use, chargedAt } = cell;
  if (bound === Infinity) return reading.amounts.map(() => Infinity);
  let slack = Math.max(0, Math.floor(bound - use));
  const raised = (): number[] =>
    reading.amounts.map((amount, i) => (i === chargedAt ? amount + slack : amount));
  // Where a fading bucket's part was rounded, the sum itself is asked.
  while (slack > 0 && useAt({ buckets: reading.buckets, amounts: raised() }, now) > bound) slack -= 1;
  return raised();
}

/** When every limit passes, if nobody acts; undefined where one never does. */
function clearsAt(
  asked: { readonly sheet: RateSheet; readonly readings: readonly Reading[]; readonly estimate: number },
  now: EpochMs,
): EpochMs | undefined {
  let latest = now;
  for (const [lines, requested] of [
    [asked.sheet.rpm, 1],
    [asked.sheet.tpm, asked.estimate],
  ] as const)
    for (const { used, fixed } of lines) {
      if (fixed === undefined) continue;
      const { limit } = fixed;
      const clears =
        limit === 0
          ? undefined
          : clearingMoment(
              {
                use: asked.readings[used]!,
                bound: limit - requested,
                passes: (amount) => amount + requested <= limit,
              },
              now,
            );
      if (clears === undefined) return undefined;
      latest = Math.max(latest, clears);
    }
  return latest;
}

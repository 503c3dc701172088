import {
  standingOf,
  type AmountsInGrains,
  type EpochMs,
  type Refused,
  type Standing,
  type Ungoverned,
} from "@quota/core";
import type { LivePool } from "./governedPools.js";
import { withPercentIn, type Held } from "./held.js";
import type { CounterSheet, PoolMoment } from "./poolMoment.js";

/** One request to one pool, ready to be decided on whatever the store shows. */
export interface AdmissionQuestion {
  readonly status: "question";
  readonly live: LivePool;
  readonly moment: PoolMoment;
  readonly sheet: CounterSheet;
  readonly standing: Standing;
  readonly costs: Held;
  readonly saturationThreshold: number | undefined;
}

/** Puts the question for a caller, or says that nobody governs the connection, or that its pool admits allocated keys only. */
export function admissionQuestion(
  asked: {
    readonly live: LivePool | undefined;
    readonly apiKeyId: string;
    readonly costs: AmountsInGrains;
    /** Where the pool has none of its own. */
    readonly saturationThreshold: number | undefined;
  },
  now: EpochMs,
): AdmissionQuestion | Refused | Ungoverned {
  const { live, apiKeyId, costs } = asked;
  if (live === undefined) return { status: "ungoverned", allowed: true, why: "no-pool", dimensions: [] };
  if (live.governed.plan.dimensions.length === 0)
    return { status: "ungoverned", allowed: true, why: "empty-plan", dimensions: [] };
  const moment = live.momentAt(now);
  const standing = standingOf(moment.governed, apiKeyId);
  if (standing === "not-allocated")
    return { status: "refused", allowed: false, reason: "not-allocated", dimensions: [] };
  return {
    status: "question",
    live,
    moment,
    sheet: moment.sheetOf(apiKeyId),
    standing,
    costs: withPercentIn(costs, moment),
    saturationThreshold: live.governed.pool.saturationThreshold ?? asked.saturationThreshold,
  };
}

/** The same question in the windows that are known now. */
export function laidOutAnew(
  { live, sheet, saturationThreshold }: AdmissionQuestion,
  costs: AmountsInGrains,
  now: EpochMs,
): AdmissionQuestion {
  // A key that stood in the pool a moment ago stands in it: only windows and limits have changed.
  return admissionQuestion(
    { live, apiKeyId: sheet.apiKeyId, costs, saturationThreshold },
    now,
  ) as AdmissionQuestion;
}

import { layOutRates, type RatePlan, type RatePlanNode, type RateSheet } from "@quota/core";
import { RATE_MINUTE_COUNTER, RATE_REVISION_COUNTER, rateCounter } from "./counterId.js";
import type { Counter, CounterId } from "./usageStore.js";

/** The numbers of some nodes of a rate plan, and the counters that hold them. */
export interface RatePlanSheet {
  readonly sheet: RateSheet;
  /**
   * One for each cell of the sheet, then two for the plan itself: the newest revision, and the one that this minute is kept under.
   * The same list for as long as the minute is the same.
   */
  countersAt(minute: number): readonly Counter[];
}

/** How long a UTC minute is. */
export const MINUTE_MS = 60_000;

/** From the start of its minute, so that a neighbour whose clock is behind still finds it. */
const KEPT_MS = 120_000;

/**
 * A ledger must not forget the newest revision while anybody might still hold an older plan. Nobody says when that is, so it is
 * kept until the year 9999: one number for each plan.
 */
const FOR_GOOD = Date.UTC(9999, 11, 31);

const NEWEST: Counter = { id: RATE_REVISION_COUNTER, bucket: 0, expiresAt: FOR_GOOD };

/** Lays out the counters of a path, or of any other nodes of a plan. */
export function ratePlanSheet(nodes: readonly RatePlanNode[]): RatePlanSheet {
  const sheet = layOutRates(nodes);
  let ids: readonly CounterId[] | undefined;
  let laidOutFor: number | undefined;
  let counters: readonly Counter[] = [];
  return {
    sheet,
    countersAt(minute) {
      if (minute === laidOutFor) return counters;
      ids ??= [...sheet.cells.map((cell) => rateCounter(cell, 1))];
      const expiresAt = minute * MINUTE_MS + KEPT_MS;
      counters = [
        ...ids.map((id) => ({ id, bucket: minute, expiresAt })),
        NEWEST,
        { id: RATE_MINUTE_COUNTER, bucket: minute, expiresAt },
      ];
      laidOutFor = minute;
      return counters;
    },
  };
}

/**
 * Lays out every limited node of a plan, for a rebuild, and where a path of it stands among them.
 *
 * @param path the lines of the path, in its order.
 */
export function wholePlanSheet(
  plan: RatePlan,
  path: RateSheet,
): { readonly whole: RatePlanSheet; readonly sheet: RateSheet } {
  const onPath = path.rpm.map(({ node }) => node);
  const ids = new Set(onPath.map(({ id }) => id));
  const others = [...plan.nodes.values()].filter(
    ({ id, rpm, tpm }) => !ids.has(id) && (rpm !== undefined || tpm !== undefined),
  );
  const whole = ratePlanSheet([...onPath, ...others]);
  const { cells, rpm, tpm } = whole.sheet;
  const sheet = { cells, rpm: rpm.slice(0, onPath.length), tpm: tpm.slice(0, onPath.length) };
  return { whole, sheet };
}

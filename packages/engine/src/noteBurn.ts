import type { EpochMs, Reading } from "@quota/core";
import type { BurnMeter } from "./burnMeter.js";
import type { DimensionMoment } from "./dimensionMoment.js";
import type { LedgerId } from "./usageStore.js";

/** Whoever looks at a pool sees what other processes have settled, and that nobody settles any more: both belong to how fast it goes. */
export function noteBurn(
  seen: {
    readonly burn: BurnMeter;
    readonly ledger: LedgerId;
    readonly moment: DimensionMoment;
    /** Everybody's. */
    readonly total: Reading;
  },
  now: EpochMs,
): void {
  const { burn, ledger, moment, total } = seen;
  const { dimension, everyone, settledAt } = moment;
  const counter = everyone[settledAt]!;
  burn.note({ ledger, dimension: dimension.name, counter, amount: total.amounts[settledAt]! }, now);
}

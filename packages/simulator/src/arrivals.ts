import { draws } from "./draws.js";

/** When a key's next request arrives, in milliseconds from the beginning; `Infinity` when there are no more. */
export type Arrivals = () => number;

/** How much a key sends in each slot. Lists are aligned; a rate of 0 is idle. */
export interface KeyRates {
  /** How long a slot is. */
  readonly slotMs: number;
  /** Requests per millisecond. */
  readonly perMs: Float64Array;
  readonly gapCv: Float64Array;
}

/**
 * The requests of one key: a renewal process on the clock of its rate. A gap is drawn with mean 1 and the coefficient of variation of the
 * slot that it begins in, and lasts until the rate has added up to it, over as many slots as that takes. So the mean is the rate's,
 * whatever the rate does within a gap, and a key that is idle sends nothing.
 *
 * @example
 * const next = arrivalsOf({ slotMs: 600_000, perMs: Float64Array.of(0.001), gapCv: Float64Array.of(1) }, "seed");
 * next(); // about 1000
 */
export function arrivalsOf({ slotMs, perMs, gapCv }: KeyRates, seed: string): Arrivals {
  const { gap, uniform } = draws(seed);
  let slot = 0;
  let at = 0;
  let isFirst = true;

  return () => {
    while (slot < perMs.length && perMs[slot] === 0) at = (slot += 1) * slotMs;
    if (slot >= perMs.length) return Infinity;
    // Nobody begins to look just as a request arrives.
    let wanted = gap(gapCv[slot]!) * (isFirst ? uniform() : 1);
    isFirst = false;
    while (slot < perMs.length) {
      const end = (slot + 1) * slotMs;
      const rate = perMs[slot]!;
      const room = (end - at) * rate;
      if (wanted < room) return (at += wanted / rate);
      wanted -= room;
      at = end;
      slot += 1;
    }
    return Infinity;
  };
}

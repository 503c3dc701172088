import { WINDOW_MS, type WindowName } from "@quota/core";
import { SLOT_MS, type Trace } from "./traces/trace.js";
import type { Workload } from "./workload.js";

/** The quota that a trace is played against. */
export interface QuotaTerms {
  /** Fixed windows of this length, which begin with the trace. */
  readonly window: WindowName;
  /** Requests per window. */
  readonly limit: number;
  /** What is asked for in all windows together, as a part of all their limits: the trace's rates are scaled to that. */
  readonly load: number;
  /** Of the clients in the order in which they first appear, over and over again; scaled to 100 percent together. */
  readonly weights: readonly number[];
}

/**
 * A trace as work for a pool.
 *
 * @example
 * workloadOfTrace(trace, { window: "5h", limit: 3000, load: 1, weights: [1] });
 */
export function workloadOfTrace(trace: Trace, terms: QuotaTerms, name = "trace"): Workload {
  const { window, limit, load, weights } = terms;
  const slots = 1 + trace.reduce((last, { slot }) => Math.max(last, slot), 0);
  const windows = Math.ceil((slots * SLOT_MS) / WINDOW_MS[window]);
  const whole = trace.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0) * SLOT_MS;
  const scale = (load * limit * windows) / whole;
  const rates = new Map<string, { readonly perMs: Float64Array; readonly gapCv: Float64Array }>();
  for (const { client, slot, requestsPerSecond, gapCv } of trace) {
    let rate = rates.get(client);
    if (rate === undefined)
      rates.set(client, (rate = { perMs: new Float64Array(slots), gapCv: new Float64Array(slots) }));
    rate.perMs[slot] = requestsPerSecond * scale;
    rate.gapCv[slot] = gapCv;
  }
  const percents = inPercent([...rates.keys()].map((_, i) => weights[i % weights.length]!));
  const keys = [...rates].map(([id, rate], i) => ({
    id,
    weight: percents[i]!,
    rates: { slotMs: SLOT_MS, ...rate },
  }));
  return { name, keys, window, limit, windows, incidents: [] };
}

/** Rounded down to millionths, in which weights are counted. */
function inPercent(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => Math.floor((weight / sum) * 100_000_000) / 1_000_000);
}

import type { EpochMs } from "@quota/core";

/**
 * What gateways tell each other of the deployments behind them: it helps to choose, and nothing depends on it. Lenient: where the store cannot be read,
 * nothing is known; where it cannot be written, nothing is kept. Nothing here throws.
 *
 * `describeLiveState` of @quota/conformance is this contract as tests.
 */
export interface LiveState {
  /**
   * Counts a failure; from the `allowed`th within one UTC minute on the deployment is in cooldown for `cooldownMs` from now. `allowed` below 1 has no effect.
   */
  recordFailure(
    id: string,
    terms: { readonly allowed: number; readonly cooldownMs: number },
    now: EpochMs,
  ): Promise<void>;
  /** Those of these ids that are in cooldown, and until when. */
  cooled(ids: readonly string[], now: EpochMs): Promise<ReadonlyMap<string, EpochMs>>;
  /** Keeps the newest {@link LATENCY_SAMPLES} of the last hour. What is no number of milliseconds from 0 on is dropped. */
  addLatency(id: string, ms: number, now: EpochMs): Promise<void>;
  /** The mean of each id's samples, in ms; ids without any are absent. */
  latencies(ids: readonly string[], now: EpochMs): Promise<ReadonlyMap<string, number>>;
  /** Tokens in the current UTC minute. */
  addUsage(id: string, tokens: number, now: EpochMs): Promise<void>;
  usages(ids: readonly string[], now: EpochMs): Promise<ReadonlyMap<string, number>>;
  /** Raises the requests of the current UTC minute by one; how many they are now, as far as is known. */
  hitRpm(id: string, now: EpochMs): Promise<number | undefined>;
  /** Raises the tokens of the current UTC minute by `tokens`; how many they are now, as far as is known. */
  hitTpm(id: string, tokens: number, now: EpochMs): Promise<number | undefined>;
}

/** How many samples a mean is made of, at most. */
export const LATENCY_SAMPLES = 20;

/** How long a sample counts. */
export const LATENCY_KEPT_MS = 3_600_000;

import type { WindowName } from "@quota/core";
import type { KeyRates } from "./arrivals.js";
import type { Incident } from "./incident.js";

/** What is asked of a pool, whatever its rule: who sends how much and when, of what quota, and what happens besides. Plain data. */
export interface Workload {
  readonly name: string;
  readonly keys: readonly SimulatedKey[];
  /** The quota: so many requests in each fixed window of this length. */
  readonly window: WindowName;
  readonly limit: number;
  /** How many windows are played; the last one may be cut short by the traffic. */
  readonly windows: number;
  /** In the order in which they happen. */
  readonly incidents: readonly Incident[];
}

/** A key of the pool. */
export interface SimulatedKey {
  readonly id: string;
  /** Percent of the pool. */
  readonly weight: number;
  readonly rates: KeyRates;
}

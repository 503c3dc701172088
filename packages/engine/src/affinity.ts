import type { EpochMs } from "@quota/core";

/**
 * Short-lived texts that several gateways share.
 *
 * `describeAffinity` of @quota/conformance is this contract as tests.
 */
export interface Affinity {
  /**
   * Strict: the value, or undefined where there is none.
   *
   * @throws {StoreError} when the store cannot be read.
   */
  readAffinity(key: string, now: EpochMs): Promise<string | undefined>;
  /**
   * Strict: sets the value if the one that is there is `expected` (undefined: none), in one step. One that fails does not prolong what is there.
   *
   * @returns whether it was set.
   * @throws {StoreError} when the store cannot be written.
   */
  compareAffinity(change: AffinityChange, now: EpochMs): Promise<boolean>;
  /** Lenient: the text, or undefined where there is none or it cannot be read. */
  getString(key: string, now: EpochMs): Promise<string | undefined>;
  /** Lenient: without a store, nothing happens. */
  setString(entry: Omit<AffinityChange, "expected">, now: EpochMs): Promise<void>;
}

export interface AffinityChange {
  readonly key: string;
  readonly expected: string | undefined;
  readonly value: string;
  readonly ttlMs: number;
}

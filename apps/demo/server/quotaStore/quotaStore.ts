import type { UsageStore } from "@quota/engine";
import type { OpenedRedis } from "./openedRedis.js";
import type { StoreChoice, StoreDriver } from "./storeSettings.js";
import type { StoreTrial } from "./tryStore.js";

/** Where use is counted: one store to the engine, whatever it is just now. */
export interface QuotaStore {
  readonly store: UsageStore;
  /** The server's time while Redis counts, so that all gateways agree on it; else this machine's. */
  readonly clock: { now(): number };
  status(): QuotaStoreStatus;
  /** Whether the store does a step now. Asks it, and those who ask meanwhile wait for the same answer. */
  works(): Promise<boolean>;
  /** The Redis that counts now. */
  redis(): OpenedRedis | undefined;
  /**
   * Counts elsewhere from now on, and after every later start. Live counters go along.
   *
   * @throws {StoreChangeRefused} in a sentence; then everything is as it was.
   */
  change(change: StoreChange): Promise<void>;
  /** Tries a store as {@link QuotaStore.change} would begin with it, and changes nothing. */
  test(asked: Pick<StoreChange, "driver" | "redisUrl">): Promise<StoreTrial>;
  close(): Promise<void>;
}

export interface QuotaStoreStatus {
  /** What was asked for, and who asked. */
  readonly asked: StoreChoice;
  /** What counts; `none`: requests meet `whenStoreFails` until Redis answers. */
  readonly serving: StoreDriver | "none";
  readonly state: "ok" | "degraded" | "failing";
  /** Why it is not ok, in a sentence without addresses or passwords. */
  readonly reason: string | undefined;
  /** The last failure, whether or not the store has worked since. */
  readonly lastError: { readonly at: number; readonly said: string } | undefined;
}

export interface StoreChange {
  readonly driver: StoreDriver;
  /** Left out: the one that is configured; `null`: the environment's. */
  readonly redisUrl?: string | null | undefined;
  /** `next-start`: it is only written down; nothing is carried over then. */
  readonly takesEffect: "now" | "next-start";
}

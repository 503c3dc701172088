import type {
  Allowed,
  Amounts,
  Decision,
  Deprioritized,
  EpochMs,
  KeptReading,
  Lending,
  PoolBurn,
  PoolUsage,
  ProviderReading,
  Refused,
  Unavailable,
  Ungoverned,
  Unjudged,
  WhenStoreFails,
} from "@quota/core";
import type { LendingComparison } from "./compareLending.js";
import type { PoolExplanation } from "./explainPool.js";
import type { Lease } from "./lease.js";
import type { PlanOverrides } from "./planOverrides.js";
import type { PoolDirectory } from "./poolDirectory.js";
import type { RequestSpend } from "./requestSpend.js";
import type { SignalSource } from "./signalSource.js";
import type { UsageStore } from "./usageStore.js";

/** Admits requests to shared accounts, holds what they are estimated to cost, and settles what they really did. */
export interface QuotaEngine {
  /**
   * Decides about a request and, in the same atomic step, holds its estimate. What is admitted must be settled or released,
   * once; a hold that is forgotten evaporates within two lease generations.
   *
   * @throws {InvalidAmountError} for an estimate that cannot be counted. @throws {QuotaConfigError} for an id that is not one.
   */
  admit(request: QuotaRequest): Promise<Admission>;
  /**
   * Replaces a hold by what the request really cost; a unit left out costs what was estimated. Idempotent: only the
   * first settle or release of a lease counts. While the store is away the use is remembered and added when it is back.
   *
   * @throws {InvalidAmountError} for an amount that cannot be counted: nothing is written, and the lease stays open.
   */
  settle(lease: Lease, actual?: Amounts): Promise<void>;
  /** Gives a hold back: the request cost nothing. Idempotent, as {@link QuotaEngine.settle} is. */
  release(lease: Lease): Promise<void>;
  /** What {@link QuotaEngine.admit} would answer now. Changes nothing; may lag behind by an instant. */
  preview(request: QuotaRequest): Promise<Decision>;
  /** A key's numbers as they stand, for people who only want to look: a preview of a request that costs nothing. */
  peek(caller: QuotaCaller): Promise<Decision>;
  /** Adds to a key's use and never refuses, for people who only want to count. A unit left out adds nothing. */
  consume(consumption: QuotaCaller & { readonly amounts: Amounts }): Promise<void>;
  /** What every key of a pool uses, by the functions that enforce; undefined when there is no such pool. */
  usage(poolId: string): Promise<PoolUsage | undefined>;
  /**
   * How fast a pool is used up, and how that came about, as far as this process remembers: at most an hour or so of samples, 10 s apart,
   * taken when something is settled or somebody looks. Undefined when there is no such pool.
   */
  burn(poolId: string): Promise<PoolBurn | undefined>;
  /**
   * Why a request to a pool would be answered as it would, what is held for others, and what each lending rule would say. Looks at every key;
   * changes nothing. Undefined when there is no such pool.
   *
   * @throws {InvalidAmountError} for an estimate that cannot be counted. @throws {QuotaConfigError} for an id that is not one.
   */
  explain(
    poolId: string,
    request: { readonly apiKeyId: string; readonly estimate?: Amounts | undefined },
  ): Promise<PoolExplanation | undefined>;
  /** What every key of a pool could use under its own rule, and what it could if another were chosen now. Undefined when there is no such pool. */
  compareLending(poolId: string, lending: Lending): Promise<LendingComparison | undefined>;
  /**
   * Takes in what a provider said of an account's windows, from whatever answer: see `readProviderSignals` of @quota/core. The newest
   * reading of a window counts, by when it was received; one that comes late changes nothing, and one that is repeated neither.
   *
   * A percentage that has risen is spread over the keys by their demand since it last did. Of what we count ourselves, the provider's
   * count is a lower bound: what it saw beyond ours is `outside`. And where a window resets is from then on the provider's word. While
   * the store is away, what was said is kept and counted with what is said next.
   *
   * Resolves when it is counted, or cannot be for now; no request needs to wait for that.
   *
   * @throws {InvalidInputError} for readings that are none: nothing is kept.
   */
  observe(connectionId: string, readings: readonly ProviderReading[]): Promise<void>;
  /**
   * What an open request has used so far is asked of `producedSoFar` when a reading says that a percentage has risen, so that streams
   * which are under way bear their part of it. It answers units, as the settlement does, whose word is the last; where it throws, or
   * answers what cannot be counted, that is logged, and it is not asked again. A lease that is not open is not followed.
   */
  follow(lease: Lease, producedSoFar: () => Amounts): void;
  /** The newest reading of every window of an account, also of those that no plan has. */
  signalsOf(connectionId: string): readonly KeptReading[];
  /** How the engine is doing, for health checks and metrics. */
  status(): EngineStatus;
  /**
   * Stops the renewals, waits for what is being settled, and writes what is remembered, if the store is back. What is settled
   * later is tried once. The store is the caller's to close.
   */
  close(): Promise<void>;
}

/** Who asks, and for which account. */
export interface QuotaCaller {
  readonly apiKeyId: string;
  readonly connectionId: string;
  /** Names the catalog's plan where the connection has none of its own. */
  readonly provider: string;
}

/** A caller, and what the request is estimated to cost. `requests` is 1 unless given; a unit left out counts 0 in the decision. */
export interface QuotaRequest extends QuotaCaller {
  readonly estimate?: Amounts | undefined;
  /** Whose money it spends, for budgets before the pools (`withBudgets`). Pools do not look at it. */
  readonly spend?: RequestSpend | undefined;
}

/** A decision, and a lease if it lets the request pass. */
export type Admission =
  | { readonly decision: Allowed | Deprioritized | Ungoverned | Unjudged; readonly lease: Lease }
  | { readonly decision: Refused | Unavailable; readonly lease?: undefined };

export interface QuotaEngineOptions {
  readonly store: UsageStore;
  readonly pools: Pick<PoolDirectory, "ofConnection" | "get">;
  readonly plans: Pick<PlanOverrides, "get">;
  /** Asks providers how full their windows are, while accounts are used and what is known of them is stale. */
  readonly signalSource?: SignalSource | undefined;
  /** The provider of a connection, for {@link QuotaEngine.usage}; without it, the one the last request named. */
  readonly providerOf?: ((connectionId: string) => string | undefined) | undefined;
  /** Read once per request. Never runs backwards for this engine, whatever it answers. Default: the system's. */
  readonly clock?: { now(): EpochMs } | undefined;
  readonly logger?: Logger | undefined;
  /** What becomes of requests while the store is away. Default `"allow"`: they pass unjudged. A pool may choose for itself. */
  readonly whenStoreFails?: WhenStoreFails | undefined;
  /** How many processes share the store (default 1): each has its part of a budget for outages. */
  readonly replicas?: number | undefined;
  /**
   * 0 to 1, default 0.5: the used part of the limit from which shares bind. A pool may choose for itself. A function is asked once by
   * every `admit`, `preview` and `usage`: a new answer is in force with the next of them. It must be quick; an answer out of range
   * rejects the call with a `QuotaConfigError`.
   */
  readonly saturationThreshold?: number | (() => number) | undefined;
  /** How long a lease generation is, default 600 000 ms. A hold whose process died is gone within two. */
  readonly leaseMs?: number | undefined;
}

/** Structured logging, as pino and its like do it. `scope` says who speaks, such as `quota:enforce`. */
export interface Logger {
  warn(entry: { readonly scope: string; readonly [member: string]: unknown }, message: string): void;
}

export interface EngineStatus {
  /** Leases admitted here that are neither settled nor released. */
  readonly openLeases: number;
  /** Keys whose use could not be written yet. */
  readonly remembered: number;
  /** The last failure of the store, unless it has worked since. */
  readonly storeFailure: { readonly at: EpochMs; readonly cause: unknown } | undefined;
}

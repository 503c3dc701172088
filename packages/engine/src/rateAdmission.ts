import type { EpochMs, RatePath, RatePlan, RatePlanNode, RateRefused } from "@quota/core";
import type { EngineStatus, Logger } from "./quotaEngine.js";
import type { UsageStore } from "./usageStore.js";

/**
 * Admits requests by requests and tokens per minute, and charges what they really took. It fails closed: where the store cannot
 * answer, nobody passes.
 */
export interface RateAdmission {
  /**
   * Asks a rate plan, and charges every node of the path, in one atomic step: one request and `estimate` tokens, in the current UTC
   * minute. A refusal charges nothing. An empty path passes without touching the store.
   *
   * Where the ledger knows a newer revision of the plan than this one, that is loaded first (`loadPlan`) and decides.
   *
   * @param estimate whole tokens.
   * @throws {InvalidAmountError} for an estimate that cannot be counted; nothing is written.
   * @throws {QuotaConfigError} for an id or a revision that is none, and `unknown-rate-node` where a newer plan does not have the
   *   caller's node any more.
   * @throws {RatesUnavailableError} where the store failed, or the newer plan could not be loaded.
   */
  admitRatePlan(asked: RatePlanRequest, estimate: number): Promise<RateDecision>;
  /**
   * Asks limits that stand beside each other: each scope is a root of its own, in input order, and nothing is kept for anybody. One
   * atomic step; no scopes pass without touching the store.
   *
   * @throws as {@link admitRatePlan} does.
   */
  admitRates(asked: RateScopesRequest, estimate: number): Promise<RateDecision>;
  /**
   * Charges what a request really took. Tokens above the estimate are charged to the *current* minute, whatever was admitted
   * meanwhile: they may pass the limits, and weigh on the nodes that took them. Tokens below it are given back only while
   * what they were charged to still counts. Idempotent: only the first settle or release of a lease counts.
   *
   * @param actualTokens whole tokens.
   * @throws {InvalidAmountError} for an amount that cannot be counted: nothing is written, and the lease stays open.
   * @throws {RatesUnavailableError} where the store failed. If nothing was written (`applied` is `"no"`) the lease is open again.
   * @throws {TypeError} for a lease of another rate admission.
   */
  settleRate(lease: RateLease, actualTokens: number): Promise<void>;
  /** Gives back the request and its tokens while they still count: it was never sent. Idempotent and throwing as {@link settleRate}. */
  releaseRate(lease: RateLease): Promise<void>;
  /**
   * Limits, use, what is held for children and what is left, from a node of a plan up to its root, in the current minute; for display.
   * Charges nothing, and may lag behind by an instant.
   *
   * @throws {RatesUnavailableError} where the store failed.
   */
  rateUsage(asked: RatePlanRequest): Promise<RatePlanUsage>;
  /**
   * The same of every node of a plan, in its order, in one reading of the store; for display.
   *
   * @throws {RatesUnavailableError} where the store failed.
   */
  rateTreeUsage(asked: RevisedRatePlan): Promise<RateTreeUsage>;
  /** How rate admission is doing, for health checks and metrics. */
  status(): Pick<EngineStatus, "storeFailure">;
}

/** A plan as it stood at one revision. */
export interface RevisedRatePlan {
  /** Names the tree: all its revisions share one ledger. */
  readonly id: string;
  /** A whole number from 0 that only ever rises: the plan with the larger one is the newer. */
  readonly revision: number;
  readonly plan: RatePlan;
}

/** Who asks a plan: the nodes of `path`, from `ratePathFrom`. Without it, the plan's own. */
export interface RatePlanRequest extends RevisedRatePlan {
  readonly path?: RatePath | undefined;
}

/** Limits to ask side by side. */
export interface RateScopesRequest {
  /** Names the ledger. Sets that share a scope must share it, or the scope is counted twice. */
  readonly id: string;
  /** From `plantRateScopes`. */
  readonly scopes: readonly RatePlanNode[];
  /** How the minute slides; left out, it is the UTC minute. */
  readonly sliding?: SlidingMinute | undefined;
}

/** A minute that slides, cut into slots. */
export interface SlidingMinute {
  /** 1 to 60, dividing a minute evenly; every slot is one more number to read per limit. */
  readonly slots: number;
  /** How the oldest slot counts: by the part that the minute still covers (`weighted`, the default), or whole (`full`: no true minute ever holds more than the limit). */
  readonly edge?: "weighted" | "full" | undefined;
}

export type RateDecision =
  { readonly status: "allowed"; readonly allowed: true; readonly lease: RateLease } | RateRefused;

/** What an admitted request was charged, until it is settled or released, once. Give it back to the rate admission that gave it. */
export interface RateLease {
  /** `"open"` until it is settled or released. */
  readonly state: "open" | "settled" | "released";
  /** The tokens it was charged. */
  readonly estimate: number;
  readonly admittedAt: EpochMs;
}

/** A plan's numbers in one minute, for whoever looks. */
export interface RatePlanUsage {
  /** The revision that these numbers were read under. */
  readonly revision: number;
  /** When the minute turns and every use is 0 again. */
  readonly resetsAt: EpochMs;
  /** From the asked node up to its root. */
  readonly nodes: readonly RateNodeUsage[];
  /** The most that one request at the first node would be let through with right now. */
  readonly available: { readonly requests: RateRoom; readonly tokens: RateRoom };
}

export interface RateTreeUsage {
  /** Of the plan that these numbers belong to. */
  readonly revision: number;
  /** When the minute turns and every use is 0 again. */
  readonly resetsAt: EpochMs;
  readonly nodes: readonly RateNodeUsage[];
}

export type RateRoom = number | "unlimited";

export interface RateNodeUsage {
  readonly id: string;
  readonly kind: string;
  readonly requests: RateDimensionUsage;
  readonly tokens: RateDimensionUsage;
}

export interface RateDimensionUsage {
  readonly limit: RateRoom;
  readonly used: number;
  /** What fixed nodes below have not used of their limits: kept for them. */
  readonly heldForChildren: number;
  /** What is left to everybody below who has no limit of their own: the limit less use and what is held; never below 0. */
  readonly left: RateRoom;
}

export interface RateAdmissionOptions {
  readonly store: UsageStore;
  /**
   * The plan as it stands now, of at least this revision. Asked when the ledger knows a newer revision than the one a request came
   * with. Without it such a request is answered 503 until the caller hands in the newer plan.
   */
  readonly loadPlan?: ((id: string, revision: number) => Promise<RevisedRatePlan | undefined>) | undefined;
  /** Read once per call. Never runs backwards for this admission, whatever it answers. Default: the system's. */
  readonly clock?: { now(): EpochMs } | undefined;
  readonly logger?: Logger | undefined;
  /** How long the store may take, default 2000 ms. What it admits later is given back. */
  readonly storeTimeoutMs?: number | undefined;
}

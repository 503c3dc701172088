import type { Allocation, Policy } from "./allocation.js";
import { compareDimensions, countedDimension, type Dimension, type DimensionName } from "./dimension.js";
import type { Fault } from "./fault.js";
import type { Grains } from "./grains.js";
import type { Lending } from "./lendingRule.js";
import type { Plan } from "./plan.js";
import type { Pool, PoolTerms } from "./pool.js";

/** A pool together with the plan it shares out: every share computed, once. */
export interface GovernedPool<Terms extends PoolTerms = Pool> {
  readonly pool: Terms;
  readonly plan: Plan;
  /** How idle shares are lent. */
  readonly lending: Lending;
  /** The plan's dimensions and those that caps alone make, by unit and length of window. */
  readonly dimensions: readonly Dimension[];
  readonly standings: ReadonlyMap<string, Standing>;
  /** How keys without an allocation stand; `"not-allocated"` where the pool denies them. */
  readonly unallocated: Standing | "not-allocated";
  /** Caps that name no window and whose unit the plan does not have: they cannot be held. A write that causes one is refused. */
  readonly faults: readonly Fault[];
}

/** What one key may do in a pool. Lists are aligned with the pool's dimensions. */
export interface Standing {
  readonly policy: Policy;
  /** Whole grains; undefined where the limit is unknown, so that there is nothing to share. */
  readonly shares: readonly (Grains | undefined)[];
  readonly caps: readonly (Grains | undefined)[];
}

/**
 * Shares out a plan among a pool's keys.
 *
 * A share is `limit × weight / 100` in whole grains, rounded down, computed with whole numbers (weights in millionths of a percent), since
 * 1500 × 4.6 / 100 is 68.99999999999999 in doubles. If every weight is 0, the pool is split equally.
 *
 * @example
 * const governed = governPool({ pool, plan }); // bob has 30 % of 1500 requests an hour
 * governed.standings.get("bob")?.shares; // [450]
 */
export function governPool<Terms extends PoolTerms>(question: {
  readonly pool: Terms;
  readonly plan: Plan;
}): GovernedPool<Terms> {
  const { pool, plan } = question;
  const dimensions = plan.dimensions.length === 0 ? [] : withCapDimensions(plan.dimensions, pool);
  const shareOf = sharing([...pool.allocations.values()]);
  const standings = new Map<string, Standing>();
  const faults: Fault[] = [];
  for (const [i, allocation] of [...pool.allocations.values()].entries()) {
    standings.set(allocation.apiKeyId, {
      policy: allocation.policy,
      shares: dimensions.map(({ limit }) =>
        limit === "unknown" ? undefined : shareOf(allocation.weight, limit),
      ),
      caps: dimensions.map((dimension) => capIn(dimension, allocation)),
    });
    const cap = allocation.cap;
    if (
      cap?.window === "every" &&
      plan.dimensions.length > 0 &&
      !dimensions.some((dimension) => dimension.unit === cap.unit)
    )
      faults.push({
        path: `allocations[${String(i)}].capWindow`,
        code: "cap-needs-window",
        message: `allocations[${String(i)}].capWindow is missing: the plan has no dimension in ${cap.unit}; say in which window the cap holds.`,
      });
  }
  const unallocated =
    pool.unallocated === "deny"
      ? "not-allocated"
      : ({
          policy: pool.unallocated === "allow" ? "burst" : "hard",
          shares: dimensions.map(({ limit }) => (limit === "unknown" ? undefined : 0)),
          caps: dimensions.map(() => undefined),
        } as const);
  return { pool, plan, lending: "threshold", dimensions, standings, unallocated, faults };
}

/** How a key stands in a pool, allocated or not. */
export function standingOf(governed: GovernedPool<PoolTerms>, apiKeyId: string): Standing | "not-allocated" {
  return governed.standings.get(apiKeyId) ?? governed.unallocated;
}

function withCapDimensions(planned: readonly Dimension[], pool: PoolTerms): readonly Dimension[] {
  const byName = new Map<DimensionName, Dimension>(planned.map((dimension) => [dimension.name, dimension]));
  for (const { cap } of pool.allocations.values()) {
    if (cap === undefined || cap.window === "every") continue;
    const own = countedDimension(cap.unit, cap.window);
    if (!byName.has(own.name)) byName.set(own.name, own);
  }
  return [...byName.values()].sort(compareDimensions);
}

function capIn(dimension: Dimension, { cap }: Allocation): Grains | undefined {
  if (cap?.unit !== dimension.unit) return undefined;
  return cap.window === "every" || cap.window === dimension.window ? cap.value : undefined;
}

function sharing(allocations: readonly Allocation[]): (weight: number, limit: Grains) => Grains {
  const millionths = (weight: number): bigint => BigInt(Math.round(weight * 1_000_000));
  const sum = allocations.reduce((total, { weight }) => total + millionths(weight), 0n);
  const keys = BigInt(allocations.length);
  if (sum === 0n) return (_weight, limit) => (keys === 0n ? 0 : Number(BigInt(limit) / keys));
  // Rounding each weight can lift the sum a few millionths over the whole; then the sum is the whole.
  const whole = sum > 100_000_000n ? sum : 100_000_000n;
  return (weight, limit) => Number((BigInt(limit) * millionths(weight)) / whole);
}

import type { Allocation, Policy } from "./allocation.js";
import { compareDimensions, countedDimension, type Dimension, type DimensionName } from "./dimension.js";
import type { Fault } from "./fault.js";
import type { Grains } from "./grains.js";
import type { Lending } from "./lending.js";
import type { Plan } from "./plan.js";
import type { Pool, PoolTerms } from "./pool.js";
import { WINDOW_MS } from "./window.js";

/** A pool together with the plan it shares out: every share computed, once. */
export interface GovernedPool<Terms extends PoolTerms = Pool> {
  readonly pool: Terms;
  readonly plan: Plan;
  /** How idle shares are lent. */
  readonly lending: Lending;
  /** What every decision is held against for comparison; undefined for nothing. */
  readonly shadow: Lending | undefined;
  /** The plan's dimensions and those that caps alone make, by unit and length of window. */
  readonly dimensions: readonly Dimension[];
  /** Of each dimension, all shares together; undefined where the limit is unknown. */
  readonly sharedOut: readonly (Grains | undefined)[];
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
  /** The part of a share that is never lent; undefined where there is no share. */
  readonly kept: readonly (Grains | undefined)[];
  /** The most that the key may use, by its borrowing limit; undefined for no limit. */
  readonly most: readonly (Grains | undefined)[];
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
  const planned = plan.dimensions.length === 0 ? [] : withCapDimensions(plan.dimensions, pool);
  const dimensions = pool.lending.rule === "reserve" ? planned.map(inFixedWindows) : planned;
  const shareOf = sharing([...pool.allocations.values()]);
  const standings = new Map<string, Standing>();
  const faults: Fault[] = [];
  for (const [i, allocation] of [...pool.allocations.values()].entries()) {
    const shares = dimensions.map(({ limit }) =>
      limit === "unknown" ? undefined : shareOf(allocation.weight, limit),
    );
    standings.set(allocation.apiKeyId, {
      policy: allocation.policy,
      shares,
      caps: dimensions.map((dimension) => capIn(dimension, allocation)),
      kept: dimensions.map(({ limit }, d) => keptOf(allocation, { limit, share: shares[d] })),
      most: dimensions.map(({ limit }, d) => mostOf(allocation, { limit, share: shares[d] })),
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
          kept: dimensions.map(({ limit }) => (limit === "unknown" ? undefined : 0)),
          most: dimensions.map(() => undefined),
        } as const);
  const sharedOut = dimensions.map(({ limit }, d) =>
    limit === "unknown"
      ? undefined
      : [...standings.values()].reduce((sum, { shares }) => sum + shares[d]!, 0),
  );
  const { lending, shadow } = pool;
  return { pool, plan, lending, shadow, dimensions, sharedOut, standings, unallocated, faults };
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

/** A reserve is measured by how much of its window has passed: one that rolls is laid on the epoch. */
function inFixedWindows(dimension: Dimension): Dimension {
  const { shape, window, limit, anchor } = dimension;
  if (shape.edge === "fixed" || limit === "unknown" || anchor !== undefined) return dimension;
  const fixed = { slotMs: WINDOW_MS[window], slots: 1, edge: "fixed" } as const;
  return Object.freeze({ ...dimension, shape: Object.freeze(fixed), anchor: "epoch", rolledAs: shape });
}

function keptOf({ lendingLimit }: Allocation, { limit, share }: Shared): Grains | undefined {
  if (share === undefined || limit === "unknown") return undefined;
  return lendingLimit === undefined ? 0 : Math.max(0, share - percentOf(limit, lendingLimit));
}

function mostOf({ borrowingLimit }: Allocation, { limit, share }: Shared): Grains | undefined {
  if (borrowingLimit === undefined || share === undefined || limit === "unknown") return undefined;
  return Math.min(limit, share + percentOf(limit, borrowingLimit));
}

interface Shared {
  readonly limit: Grains | "unknown";
  readonly share: Grains | undefined;
}

/** In whole grains, rounded down; weights and limits alike are counted in millionths of a percent. */
function percentOf(limit: Grains, percent: number): Grains {
  return Number((BigInt(limit) * millionths(percent)) / 100_000_000n);
}

function millionths(percent: number): bigint {
  return BigInt(Math.round(percent * 1_000_000));
}

function sharing(allocations: readonly Allocation[]): (weight: number, limit: Grains) => Grains {
  const sum = allocations.reduce((total, { weight }) => total + millionths(weight), 0n);
  const keys = BigInt(allocations.length);
  if (sum === 0n) return (_weight, limit) => (keys === 0n ? 0 : Number(BigInt(limit) / keys));
  // Rounding each weight can lift the sum a few millionths over the whole; then the sum is the whole.
  const whole = sum > 100_000_000n ? sum : 100_000_000n;
  return (weight, limit) => Number((BigInt(limit) * millionths(weight)) / whole);
}

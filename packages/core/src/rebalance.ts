/**
 * Scales weights so that they sum to `total`, each in proportion to what it was. Weights are counted in millionths of a percent, the
 * grain that shares are computed in: what is left over after rounding down goes to the largest remainders (Hamilton's method;
 * of equal ones to the earlier), so that the sum is `total` to the grain and never above it.
 *
 * Weights that are all 0 have no proportions and stay 0 (such a pool is split equally). Their order is kept.
 *
 * @param weights percent of a pool, each from 0 to 100, by API key id.
 * @param total percent of a pool, from 0 to 100.
 * @example
 * rebalance(new Map([["alice", 50], ["bob", 30], ["carol", 20]]), 80); // 40, 24, 16: room for a colleague with 20
 */
export function rebalance(weights: ReadonlyMap<string, number>, total: number): ReadonlyMap<string, number> {
  const before = [...weights].map(([key, weight]) => ({ key, grains: inGrains(weight) }));
  const sum = before.reduce((all, { grains }) => all + grains, 0n);
  const target = inGrains(total);
  if (sum === target || sum === 0n) return new Map(weights);
  const after = before.map(({ key, grains }) => ({
    key,
    grains: (grains * target) / sum,
    remainder: (grains * target) % sum,
  }));
  let left = Number(target - after.reduce((all, { grains }) => all + grains, 0n));
  for (const share of [...after].sort((a, b) => Number(b.remainder - a.remainder))) {
    if (left === 0) break;
    share.grains += 1n;
    left -= 1;
  }
  return new Map(after.map(({ key, grains }) => [key, Number(grains) / GRAINS_PER_PERCENT]));
}

const GRAINS_PER_PERCENT = 1_000_000;

function inGrains(percent: number): bigint {
  return BigInt(Math.round(percent * GRAINS_PER_PERCENT));
}

import type { GovernedPool } from "@quota/core";

/**
 * A number that stands for all shares of a pool's dimension: what is written down of reserves is reckoned with these shares, and
 * means nothing with others. 0 stands for none.
 */
export function sharesPrint({ standings }: Pick<GovernedPool, "standings">, dimension: number): number {
  let high = 0x9e3779b9;
  let low = 0x811c9dc5;
  // Two sums of 32 bits over the same text, of which 53 are kept: FNV-1a, and one that multiplies by another prime.
  for (const [apiKeyId, { shares }] of standings) {
    const text = `${apiKeyId}\u0000${String(shares[dimension])}\u0000`;
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high ^ unit, 0x85ebca6b) + low;
    }
  }
  return 1 + (high >>> 12) * 2 ** 32 + (low >>> 0);
}

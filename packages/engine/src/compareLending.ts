import { lendingSpec, type Dimension, type EpochMs, type Lending, type LendingSpec } from "@quota/core";
import { readPoolUsage, type UsageQuestion } from "./readPoolUsage.js";

/** What every key could use now under the pool's own rule, and what under another: who gains by the change, and who loses. */
export interface LendingComparison {
  readonly poolId: string;
  readonly generatedAt: EpochMs;
  readonly from: LendingSpec;
  readonly to: LendingSpec;
  readonly dimensions: readonly {
    readonly dimension: Dimension;
    readonly perKey: readonly {
      readonly apiKeyId: string;
      readonly before: KeyUnderRule;
      readonly after: KeyUnderRule;
    }[];
  }[];
}

/** What one key could use, in grains, and when it could use anything, if not now. */
export interface KeyUnderRule {
  readonly available: number | "unlimited";
  readonly retryAt: EpochMs | undefined;
}

/** Compares two rules at the numbers of this moment, as if the other one were chosen now. Changes nothing. */
export async function compareLending(
  { to, ...asked }: UsageQuestion & { readonly to: Lending },
  now: EpochMs,
): Promise<LendingComparison> {
  const before = await readPoolUsage(asked, now);
  const after = await readPoolUsage({ ...asked, lending: to }, now);
  return {
    poolId: before.poolId,
    generatedAt: now,
    from: lendingSpec(asked.live.governed.lending),
    to: lendingSpec(to),
    dimensions: before.dimensions.map(({ dimension, perKey }, i) => ({
      dimension,
      perKey: perKey.map(({ apiKeyId, available, retryAt }, n) => {
        const changed = after.dimensions[i]!.perKey[n]!;
        return {
          apiKeyId,
          before: { available, retryAt },
          after: { available: changed.available, retryAt: changed.retryAt },
        };
      }),
    })),
  };
}

import {
  fromGrains,
  type Dimension,
  type EpochMs,
  type LendingSpec,
  type Unit,
  type WindowName,
} from "@quota/core";

/** What a pool's keys could use under its own rule and under another, for the REST API. Amounts are in units. */
export function lendingPreviewJson({
  poolId,
  generatedAt,
  from,
  to,
  dimensions,
}: LendingPreview): LendingPreviewJson {
  return {
    poolId,
    generatedAt,
    from,
    to,
    dimensions: dimensions.map(({ dimension: { unit, window }, perKey }) => ({
      unit,
      window,
      perKey: perKey.map(({ apiKeyId, before, after }) => ({
        apiKeyId,
        before: ruleJson(before, unit),
        after: ruleJson(after, unit),
      })),
    })),
  };
}

/** What the engine's `compareLending` answers, in grains. */
export interface LendingPreview {
  readonly poolId: string;
  readonly generatedAt: EpochMs;
  readonly from: LendingSpec;
  readonly to: LendingSpec;
  readonly dimensions: readonly {
    readonly dimension: Pick<Dimension, "unit" | "window">;
    readonly perKey: readonly {
      readonly apiKeyId: string;
      readonly before: UnderRule;
      readonly after: UnderRule;
    }[];
  }[];
}

/** What {@link lendingPreviewJson} makes. */
export interface LendingPreviewJson extends Omit<LendingPreview, "dimensions"> {
  readonly dimensions: readonly {
    readonly unit: Unit;
    readonly window: WindowName;
    readonly perKey: readonly KeyLendingJson[];
  }[];
}

/** One key of {@link LendingPreviewJson}. */
export interface KeyLendingJson {
  readonly apiKeyId: string;
  readonly before: UnderRuleJson;
  readonly after: UnderRuleJson;
}

/** What one key could use under a rule, and from when on it could use anything, where it cannot now. */
export interface UnderRuleJson {
  readonly available: number | "unlimited";
  readonly retryAt?: EpochMs;
}

interface UnderRule {
  readonly available: number | "unlimited";
  readonly retryAt: EpochMs | undefined;
}

function ruleJson({ available, retryAt }: UnderRule, unit: Unit): UnderRuleJson {
  return {
    available: available === "unlimited" ? available : fromGrains(unit, available),
    ...(retryAt !== undefined && { retryAt }),
  };
}

import {
  compareDimensions,
  dimensionSpec,
  fromGrains,
  type Dimension,
  type DimensionName,
  type DimensionSpec,
  type GovernedPool,
  type Plan,
  type PoolUsage,
} from "@quota/core";
import { withoutUndefined } from "./withoutUndefined.js";

/** What another plan would change for the keys of a connection's pool, for the REST API. Amounts are in units. */
export function planChangeJson({ before, after, shared }: PlanChange): PlanChangeJson {
  const was = byName(before.dimensions);
  const will = byName(after.dimensions);
  const { connectionId, provider, source } = after;
  return {
    connectionId,
    provider,
    source,
    ...(shared !== undefined && { poolId: shared.before.pool.id }),
    dimensions: [...new Map([...was, ...will]).values()].sort(compareDimensions).map((dimension) => {
      const old = was.get(dimension.name);
      const change = changeOf(old, will.get(dimension.name));
      return {
        ...dimensionSpec(dimension),
        change,
        ...(change === "changed" && { before: dimensionSpec(old!) }),
        perKey: shared === undefined ? [] : changesOfKeys(dimension, shared),
      };
    }),
  };
}

export interface PlanChange {
  readonly before: Plan;
  readonly after: Plan;
  /** The pool under both plans, and what its keys use now; undefined where nobody shares the connection. */
  readonly shared?:
    | {
        readonly before: GovernedPool;
        readonly after: GovernedPool;
        readonly usage: PoolUsage | undefined;
      }
    | undefined;
}

/** What {@link planChangeJson} makes. The source is that of the plan it would be. */
export interface PlanChangeJson extends Pick<Plan, "connectionId" | "provider" | "source"> {
  readonly poolId?: string;
  readonly dimensions: readonly DimensionChangeJson[];
}

/** One dimension of {@link PlanChangeJson}: as it would be, or, if it would be gone, as it is. */
export interface DimensionChangeJson extends DimensionSpec {
  readonly change: "added" | "removed" | "changed" | "same";
  /** As it is, where it would be another. */
  readonly before?: DimensionSpec;
  readonly perKey: readonly KeyChangeJson[];
}

/** One key of {@link DimensionChangeJson}. */
export interface KeyChangeJson {
  readonly apiKeyId: string;
  /** What it uses now, settled and held; missing where the dimension is not counted yet, or the store does not answer. */
  readonly used?: number;
  /** Its share then; missing where there would be no limit. */
  readonly fairShare?: number;
  /** Its share now; missing where there is no limit. */
  readonly fairShareBefore?: number;
  /** `used − fairShare`: positive when it would be over its share; missing where one of them is. */
  readonly deficit?: number;
}

function changeOf(old: Dimension | undefined, next: Dimension | undefined): DimensionChangeJson["change"] {
  if (old === undefined) return "added";
  if (next === undefined) return "removed";
  const texts = [old, next].map((dimension) => JSON.stringify(dimensionSpec(dimension)));
  return texts[0] === texts[1] ? "same" : "changed";
}

function changesOfKeys(
  { name, unit }: Dimension,
  { before, after, usage }: NonNullable<PlanChange["shared"]>,
): readonly KeyChangeJson[] {
  const known = (amount: number | undefined): number | undefined =>
    amount === undefined ? undefined : fromGrains(unit, amount);
  const perKey = usage?.dimensions.find(({ dimension }) => dimension.name === name)?.perKey ?? [];
  const used = new Map(perKey.map(({ apiKeyId, consumed, held }) => [apiKeyId, consumed + held]));
  return [...before.standings.keys()].map((apiKeyId) => {
    const uses = used.get(apiKeyId);
    const share = shareIn(after, apiKeyId, name);
    return withoutUndefined({
      apiKeyId,
      used: known(uses),
      fairShare: known(share),
      fairShareBefore: known(shareIn(before, apiKeyId, name)),
      deficit: uses === undefined || share === undefined ? undefined : fromGrains(unit, uses - share),
    });
  });
}

function shareIn(governed: GovernedPool, apiKeyId: string, name: DimensionName): number | undefined {
  const at = governed.dimensions.findIndex((dimension) => dimension.name === name);
  return governed.standings.get(apiKeyId)?.shares[at];
}

function byName(dimensions: readonly Dimension[]): ReadonlyMap<DimensionName, Dimension> {
  return new Map(dimensions.map((dimension) => [dimension.name, dimension]));
}

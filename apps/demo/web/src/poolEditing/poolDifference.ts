import type { AllocationJson, PoolJson } from "@quota/http";

/** One thing that is another in a pool than it was; `undefined` stands for what is not there. */
export type PoolDifference = { readonly [Field in keyof Fields]: Difference<Field> }[keyof Fields];

interface Difference<Field extends keyof Fields> {
  readonly field: Field;
  /** Whose allocation it is of. */
  readonly apiKeyId?: string;
  readonly before: Fields[Field];
  readonly after: Fields[Field];
}

interface Fields {
  readonly name: string;
  readonly unallocated: PoolJson["unallocated"];
  readonly saturationThreshold: number | undefined;
  readonly whenStoreFails: PoolJson["whenStoreFails"];
  readonly lending: PoolJson["lending"] | undefined;
  readonly shadow: PoolJson["shadow"];
  readonly weight: number;
  readonly policy: AllocationJson["policy"];
  readonly cap: Pick<AllocationJson, "capValue" | "capUnit" | "capWindow"> | undefined;
  readonly lends: Pick<AllocationJson, "lend" | "lendingLimit"> | undefined;
  readonly borrowingLimit: number | undefined;
  /** The key came into the pool, or left it. */
  readonly allocation: AllocationJson | undefined;
}

/** What is another in a pool than it was, field by field: first the pool's own, then key by key. Equal pools differ in nothing. */
export function poolDifference(before: PoolJson, after: PoolJson): readonly PoolDifference[] {
  const was = byKey(before);
  const is = byKey(after);
  const keys = [...new Set([...was.keys(), ...is.keys()])];
  return [
    different("name", before.name, after.name),
    different("unallocated", before.unallocated, after.unallocated),
    different("saturationThreshold", before.saturationThreshold, after.saturationThreshold),
    different("whenStoreFails", before.whenStoreFails, after.whenStoreFails),
    different("lending", before.lending, after.lending),
    different("shadow", before.shadow, after.shadow),
    ...keys.flatMap((key) => allocationDifference(key, was.get(key), is.get(key))),
  ].filter((found) => found !== undefined);
}

function allocationDifference(
  apiKeyId: string,
  was: AllocationJson | undefined,
  is: AllocationJson | undefined,
): readonly (PoolDifference | undefined)[] {
  const found =
    was === undefined || is === undefined
      ? [different("allocation", was, is)]
      : [
          different("weight", was.weight, is.weight),
          different("policy", was.policy, is.policy),
          different("cap", capOf(was), capOf(is)),
          different("lends", lendsOf(was), lendsOf(is)),
          different("borrowingLimit", was.borrowingLimit, is.borrowingLimit),
        ];
  return found.map((one) => one && { ...one, apiKeyId });
}

function different<Field extends keyof Fields>(
  field: Field,
  before: Fields[Field],
  after: Fields[Field],
): PoolDifference | undefined {
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  return isSame ? undefined : ({ field, before, after } as PoolDifference);
}

/** In one order of members, so that equal caps are written equally. */
function capOf({ capValue, capUnit, capWindow }: AllocationJson): Fields["cap"] {
  if (capValue === undefined || capUnit === undefined) return undefined;
  return { capValue, capUnit, ...(capWindow !== undefined && { capWindow }) };
}

function lendsOf({ lend = true, lendingLimit }: AllocationJson): Fields["lends"] {
  if (!lend) return { lend };
  return lendingLimit === undefined ? undefined : { lendingLimit };
}

function byKey({ allocations }: PoolJson): ReadonlyMap<string, AllocationJson> {
  return new Map(allocations.map((allocation) => [allocation.apiKeyId, allocation]));
}

import { governPool, resolvePlan, type Dimension, type Fault, type Plan, type PoolTerms } from "@quota/core";
import { StoreError, type PlanOverrides, type PoolDirectory } from "@quota/engine";

/** Connections as the admin router needs them. */
export type Connections = readonly { readonly id: string; readonly provider: string }[];

/** Which plan each connection has, and whether a pool fits it. */
export interface PlanBook {
  /** The plan of a connection as it stands. */
  planOf(connectionId: string): Promise<Plan>;
  /** The plan of a connection if these dimensions were stored for it, or none. */
  planWith(connectionId: string, override: readonly Dimension[] | undefined): Promise<Plan>;
  providerOf(connectionId: string): Promise<string>;
  /** Whether anybody has heard of it. Always, where nobody lists the connections. */
  isKnown(connectionId: string): Promise<boolean>;
  /** The plan of every connection that is listed, has a pool or has a stored plan. */
  list(): Promise<readonly Plan[]>;
}

/** What a connection's provider is called where nobody lists the connections. */
const NO_PROVIDER = "unknown";

export function createPlanBook({
  pools,
  plans,
  connections: listed,
}: {
  readonly pools: Pick<PoolDirectory, "list">;
  readonly plans: Pick<PlanOverrides, "get" | "list">;
  readonly connections: (() => Connections | Promise<Connections>) | undefined;
}): PlanBook {
  async function connections(): Promise<Connections> {
    try {
      return (await listed?.()) ?? [];
    } catch (cause) {
      throw new StoreError("The connections cannot be listed.", { applied: "no", cause });
    }
  }

  async function known(): Promise<ReadonlyMap<string, string>> {
    const providers = new Map<string, string>();
    for (const { id, provider } of await connections()) providers.set(id, provider);
    for (const { connectionId } of await pools.list())
      if (!providers.has(connectionId)) providers.set(connectionId, NO_PROVIDER);
    for (const connectionId of (await plans.list()).keys())
      if (!providers.has(connectionId)) providers.set(connectionId, NO_PROVIDER);
    return providers;
  }

  async function providerOf(connectionId: string): Promise<string> {
    const found = (await connections()).find(({ id }) => id === connectionId);
    return found?.provider ?? NO_PROVIDER;
  }

  async function planWith(connectionId: string, override: readonly Dimension[] | undefined): Promise<Plan> {
    return resolvePlan({ connectionId, provider: await providerOf(connectionId), override });
  }

  return {
    providerOf,
    planWith,
    planOf: async (connectionId) => planWith(connectionId, await plans.get(connectionId)),
    isKnown: async (connectionId) => listed === undefined || (await known()).has(connectionId),
    async list() {
      const overrides = await plans.list();
      return [...(await known())].map(([connectionId, provider]) =>
        resolvePlan({ connectionId, provider, override: overrides.get(connectionId) }),
      );
    },
  };
}

/** What of a pool does not fit a plan: caps without a window in a unit that the plan does not have. */
export function misfits(pool: PoolTerms, plan: Plan): readonly Fault[] {
  return governPool({ pool, plan }).faults;
}

import { useMutation, useQueryClient, type UseMutationResult } from "@tanstack/react-query";
import type { PoolSpec } from "@quota/core";
import type { PoolJson } from "@quota/http";
import { poolPath } from "../api/poolPath.js";
import { readPoolsAgain } from "../api/readPoolsAgain.js";
import { request, RequestFailure } from "../api/request.js";
import { POOLS_KEY } from "../api/usePools.js";
import type { PoolPatch } from "./poolPatch.js";

export interface PoolChanges {
  readonly create: UseMutationResult<PoolJson, Error, PoolSpec>;
  /** Refused (412) when the pool is not `pool` any more; the answer has the pool as it is now. */
  readonly change: UseMutationResult<PoolJson, Error, { readonly pool: PoolJson; readonly patch: PoolPatch }>;
  /** A pool that is gone already counts as deleted. */
  readonly remove: UseMutationResult<void, Error, PoolJson>;
}

/** The writes to pools; whatever the pages show of pools is read again after one, even after one that failed. */
export function usePoolChanges(): PoolChanges {
  const queries = useQueryClient();
  const onSettled = (): void => readPoolsAgain(queries);
  const keep = (pool: PoolJson): void => {
    queries.setQueryData<readonly PoolJson[]>(POOLS_KEY, (pools) => pools && withPool(pools, pool));
  };
  return {
    create: useMutation({
      mutationFn: (spec) => request<PoolJson>("/api/quota/pools", { method: "POST", body: spec }),
      onSuccess: keep,
      onSettled,
    }),
    change: useMutation({
      mutationFn: ({ pool, patch }) =>
        request<PoolJson>(poolPath(pool.id), { method: "PATCH", body: patch, ifVersion: pool.version }),
      onSuccess: keep,
      onSettled,
    }),
    remove: useMutation({
      async mutationFn(pool) {
        try {
          await request<undefined>(poolPath(pool.id), { method: "DELETE" });
        } catch (error) {
          if (!(error instanceof RequestFailure) || error.problem.status !== 404) throw error;
        }
      },
      onSuccess: (_, { id }) => {
        queries.setQueryData<readonly PoolJson[]>(POOLS_KEY, (pools) =>
          pools?.filter((pool) => pool.id !== id),
        );
      },
      onSettled,
    }),
  };
}

function withPool(pools: readonly PoolJson[], pool: PoolJson): readonly PoolJson[] {
  return pools.some(({ id }) => id === pool.id)
    ? pools.map((other) => (other.id === pool.id ? pool : other))
    : [...pools, pool];
}

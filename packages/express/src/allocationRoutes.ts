import {
  withAllocation,
  withoutAllocation,
  type AllocationSpec,
  type Fault,
  type Pool,
  type Rebalance,
} from "@quota/core";
import { PoolConflictError } from "@quota/engine";
import { buildProblem, poolJson } from "@quota/http";
import type { Request, Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { ifMatch } from "./ifMatch.js";
import { allocationRemoval, newAllocationBody } from "./poolBodies.js";
import { poolFaults } from "./poolFaults.js";
import { readBody } from "./readBody.js";
import { sendAnswer } from "./sendAnswer.js";
import { noSuchPool, sendPool } from "./sendPool.js";

/**
 * `/pools/:id/allocations`: a colleague joins or leaves in one call. With `rebalance: "proportional"` the others are scaled in the same
 * step, so that the weights sum to what they summed to before (or to the newcomer's, where that alone is more).
 */
export function addAllocationRoutes(router: Router, { pools, planBook }: AdminParts): void {
  router.post("/pools/:id/allocations", async (request, response) => {
    const { id } = request.params;
    await inTurns(request, async (ifVersion) => {
      const pool = await pools.get(id);
      if (pool === undefined) return noSuchPool(response);
      const { apiKeyId: wanted } = (request.body ?? {}) as { readonly apiKeyId?: unknown };
      if (typeof wanted === "string" && pool.allocations.has(wanted))
        return sendAnswer(
          response,
          buildProblem({
            status: 409,
            detail: "The key has an allocation in this pool already; PATCH the pool.",
          }),
        );
      const body = await readBody(request.body, newAllocationBody, async (input) =>
        faultsOfLast(await poolFaults(poolWith(pool, joined(pool, input)), planBook), pool.allocations.size),
      );
      const changed = await pools.update(
        id,
        { allocations: joined(pool, body) },
        { ifVersion: ifVersion ?? pool.version },
      );
      if (changed === undefined) return noSuchPool(response);
      response
        .status(201)
        .location(`${request.originalUrl.split("?", 1)[0]!}/${encodeURIComponent(String(wanted))}`);
      sendPool(response, changed);
    });
  });

  router.delete("/pools/:id/allocations/:apiKeyId", async (request, response) => {
    const { id, apiKeyId } = request.params;
    const asked = await readBody(
      { ...request.query, ...(request.body as object) },
      allocationRemoval,
      () => [],
    );
    await inTurns(request, async (ifVersion) => {
      const pool = await pools.get(id);
      if (pool === undefined) return noSuchPool(response);
      if (!pool.allocations.has(apiKeyId))
        return sendAnswer(
          response,
          buildProblem({ status: 404, detail: "The key has no allocation in this pool." }),
        );
      const allocations = withoutAllocation(pool.allocations, apiKeyId, asked.rebalance);
      const changed = await pools.update(id, { allocations }, { ifVersion: ifVersion ?? pool.version });
      if (changed === undefined) return noSuchPool(response);
      response.status(204).end();
    });
  });
}

/** How often a change is computed anew because somebody else changed the pool meanwhile. */
const MAX_TURNS = 10;

/** Reads, computes and writes as one step: when the pool has changed meanwhile, all over again, unless the client named its version. */
async function inTurns(
  request: Request<never> | Request,
  step: (ifVersion: number | undefined) => Promise<void>,
): Promise<void> {
  const ifVersion = ifMatch(request);
  for (let turn = 1; ; turn += 1)
    try {
      return await step(ifVersion);
    } catch (error) {
      const isStale = error instanceof PoolConflictError && error.code === "stale";
      if (!isStale || ifVersion !== undefined || turn === MAX_TURNS) throw error;
    }
}

/** The body, checked or not, as what it asks for. */
function joined(
  { allocations }: Pool,
  { rebalance, ...newcomer }: Readonly<Record<string, unknown>>,
): readonly AllocationSpec[] {
  return withAllocation(allocations, newcomer as unknown as AllocationSpec, rebalance as Rebalance);
}

function poolWith(pool: Pool, allocations: readonly AllocationSpec[]): unknown {
  return { ...poolJson(pool), allocations };
}

/** The faults of the newcomer, by their place in the body. */
function faultsOfLast(faults: readonly Fault[], index: number): readonly Fault[] {
  const prefix = `allocations[${String(index)}].`;
  return faults.map(({ path, code, message }) => ({
    path: path === "allocations" ? "weight" : path.replace(prefix, ""),
    code,
    message: message.replaceAll(prefix, ""),
  }));
}

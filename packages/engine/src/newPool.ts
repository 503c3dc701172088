import { idFault, parsePoolTerms, type EpochMs, type Pool, type PoolSpec } from "@quota/core";
import { InvalidInputError } from "./invalidInputError.js";
import { PoolConflictError } from "./poolConflictError.js";

/**
 * A pool at the beginning of its life, as every directory makes it: parsed, frozen, version 1, a new incarnation, and an id of its own
 * unless one is asked for.
 *
 * @throws {InvalidInputError} naming every fault.
 */
export function newPool(
  { id = crypto.randomUUID(), ...spec }: PoolSpec & { readonly id?: string },
  now: EpochMs,
): Pool {
  const terms = parsePoolTerms(spec);
  const idFaults = [idFault(id, "id")].filter((fault) => fault !== undefined);
  if (!terms.ok) throw new InvalidInputError([...idFaults, ...terms.faults]);
  if (idFaults.length > 0) throw new InvalidInputError(idFaults);
  return Object.freeze({ ...terms.value, id, incarnation: crypto.randomUUID(), version: 1, createdAt: now });
}

/**
 * Refuses a new pool whose connection, or whose id, another pool has.
 *
 * @throws {PoolConflictError} with the pool that stands in the way.
 */
export function refuseTaken(
  { id, connectionId }: Pool,
  { ofConnection, ofId }: { readonly ofConnection: Pool | undefined; readonly ofId: Pool | undefined },
): void {
  if (ofConnection)
    throw new PoolConflictError(
      "connection-taken",
      ofConnection,
      `Connection ${connectionId} has pool ${ofConnection.id} already; change that one, or delete it first.`,
    );
  if (ofId) throw new PoolConflictError("id-taken", ofId, `There is a pool ${id} already; leave the id out.`);
}

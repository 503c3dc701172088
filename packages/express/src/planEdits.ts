import { idFault, parseDimensions, type Dimension, type Fault } from "@quota/core";
import { InvalidInputError, type PoolDirectory } from "@quota/engine";
import { misfits, type PlanBook } from "./planBook.js";
import { planBody } from "./poolBodies.js";
import { readBody } from "./readBody.js";

/** What a stored plan may become: the same for whoever stores it and whoever only looks at what it would do. */
export interface PlanEdits {
  /** The dimensions that a body asks for. @throws {InvalidInputError} with everything that is wrong with them. */
  replacement(connectionId: string, body: unknown): Promise<readonly Dimension[]>;
  /** The caps of the connection's pool that would be left without a window by these dimensions, or by the catalog's. */
  unheldCaps(connectionId: string, override: readonly Dimension[] | undefined): Promise<readonly Fault[]>;
}

export function createPlanEdits({
  pools,
  planBook,
}: {
  readonly pools: Pick<PoolDirectory, "ofConnection">;
  readonly planBook: PlanBook;
}): PlanEdits {
  async function unheldCaps(
    connectionId: string,
    override: readonly Dimension[] | undefined,
  ): Promise<readonly Fault[]> {
    const pool = await pools.ofConnection(connectionId);
    if (pool === undefined) return [];
    const faults = misfits(pool, await planBook.planWith(connectionId, override));
    return faults.slice(0, 1).map(({ code, message }) => ({
      path: "dimensions",
      code,
      message: `A cap of pool ${pool.id} would hold nowhere: ${message}`,
    }));
  }

  return {
    unheldCaps,
    async replacement(connectionId, body) {
      const { dimensions } = await readBody(body, planBody, async (given) => {
        const parsed = parseDimensions(given["dimensions"]);
        const faults = parsed.ok ? await unheldCaps(connectionId, parsed.value) : parsed.faults;
        const badId = idFault(connectionId, "connectionId");
        return badId === undefined ? faults : [badId, ...faults];
      });
      const parsed = parseDimensions(dimensions);
      if (!parsed.ok) throw new InvalidInputError(parsed.faults);
      return parsed.value;
    },
  };
}

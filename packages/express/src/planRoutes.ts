import { idFault, parseDimensions, type Dimension, type Fault } from "@quota/core";
import { InvalidInputError } from "@quota/engine";
import { buildProblem, planJson } from "@quota/http";
import type { Response, Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { misfits } from "./planBook.js";
import { planBody } from "./poolBodies.js";
import { readBody } from "./readBody.js";
import { sendAnswer } from "./sendAnswer.js";

/** `/plans` and `/plans/:connectionId`: what is stored here goes before the catalog. */
export function addPlanRoutes(router: Router, { pools, plans, planBook }: AdminParts): void {
  router.get(
    "/plans",
    async (_request, response) => void response.json((await planBook.list()).map(planJson)),
  );

  router.get("/plans/:connectionId", async (request, response) => {
    const { connectionId } = request.params;
    if (!(await planBook.isKnown(connectionId))) return noSuchConnection(response);
    response.json(planJson(await planBook.planOf(connectionId)));
  });

  router.put("/plans/:connectionId", async (request, response) => {
    const { connectionId } = request.params;
    if (!(await planBook.isKnown(connectionId))) return noSuchConnection(response);
    const body = await readBody(request.body, planBody, async ({ dimensions }) => {
      const parsed = parseDimensions(dimensions);
      const faults = parsed.ok ? await unheldCaps(connectionId, parsed.value) : parsed.faults;
      const badId = idFault(connectionId, "connectionId");
      return badId === undefined ? faults : [badId, ...faults];
    });
    const parsed = parseDimensions(body.dimensions);
    if (!parsed.ok) throw new InvalidInputError(parsed.faults);
    await plans.set(connectionId, parsed.value);
    response.json(planJson(await planBook.planOf(connectionId)));
  });

  router.delete("/plans/:connectionId", async (request, response) => {
    const { connectionId } = request.params;
    if ((await plans.get(connectionId)) === undefined)
      return sendAnswer(
        response,
        buildProblem({ status: 404, detail: "No plan is stored for this connection." }),
      );
    const [fault] = await unheldCaps(connectionId, undefined);
    if (fault !== undefined)
      return sendAnswer(response, buildProblem({ status: 409, detail: fault.message }));
    await plans.delete(connectionId);
    response.status(204).end();
  });

  /** The caps of the connection's pool that the plan would leave without a window. */
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
}

function noSuchConnection(response: Response): void {
  sendAnswer(response, buildProblem({ status: 404, detail: "There is no such connection." }));
}

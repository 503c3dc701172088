import type { Dimension } from "@quota/core";
import { buildProblem, planJson } from "@quota/http";
import type { Response, Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { createPlanEdits } from "./planEdits.js";
import { previewPlan } from "./previewPlan.js";
import { revertBody } from "./poolBodies.js";
import { readBody } from "./readBody.js";
import { sendAnswer } from "./sendAnswer.js";

/** `/plans` and `/plans/:connectionId`: what is stored here goes before the catalog; `/plans/:connectionId/preview`: what that would change. */
export function addPlanRoutes(router: Router, parts: AdminParts): void {
  const { plans, planBook } = parts;
  const edits = createPlanEdits(parts);

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
    await plans.set(connectionId, await edits.replacement(connectionId, request.body));
    response.json(planJson(await planBook.planOf(connectionId)));
  });

  router.delete("/plans/:connectionId", async (request, response) => {
    const { connectionId } = request.params;
    if (!(await isRevertible(connectionId, response))) return;
    await plans.delete(connectionId);
    response.status(204).end();
  });

  router.post("/plans/:connectionId/preview", async (request, response) => {
    const { connectionId } = request.params;
    const body: unknown = request.body;
    if (!(await planBook.isKnown(connectionId))) return noSuchConnection(response);
    let override: readonly Dimension[] | undefined;
    if (typeof body === "object" && body !== null && "revert" in body) {
      await readBody(body, revertBody, () => []);
      if (!(await isRevertible(connectionId, response))) return;
    } else override = await edits.replacement(connectionId, body);
    response.json(await previewPlan({ connectionId, override }, parts));
  });

  /** False when it was answered why not. */
  async function isRevertible(connectionId: string, response: Response): Promise<boolean> {
    if ((await plans.get(connectionId)) === undefined) {
      const detail = "No plan is stored for this connection.";
      sendAnswer(response, buildProblem({ status: 404, detail }));
      return false;
    }
    const [fault] = await edits.unheldCaps(connectionId, undefined);
    if (fault !== undefined) sendAnswer(response, buildProblem({ status: 409, detail: fault.message }));
    return fault === undefined;
  }
}

function noSuchConnection(response: Response): void {
  sendAnswer(response, buildProblem({ status: 404, detail: "There is no such connection." }));
}

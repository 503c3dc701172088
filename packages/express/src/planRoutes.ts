import type { Dimension, Plan } from "@quota/core";
import { buildProblem, planJson, type PlanJson } from "@quota/http";
import type { Request, Response, Router } from "express";
import type { AdminParts } from "./adminParts.js";
import { createPlanEdits } from "./planEdits.js";
import { matchesTag, planTag } from "./planTag.js";
import { previewPlan } from "./previewPlan.js";
import { revertBody } from "./poolBodies.js";
import { readBody } from "./readBody.js";
import { sendAnswer } from "./sendAnswer.js";

/** `/plans` and `/plans/:connectionId`: what is stored here goes before the catalog; `/plans/:connectionId/preview`: what that would change. */
export function addPlanRoutes(router: Router, parts: AdminParts): void {
  const { plans, planBook } = parts;
  const edits = createPlanEdits(parts);
  /** Writes, one after the other: between the look at what a plan is and its change nobody else's comes in here. */
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (write: () => Promise<void>): Promise<void> => {
    const mine = turn.then(write);
    turn = mine.catch((error: unknown) => error);
    return mine;
  };

  router.get("/plans", async (_request, response) => void response.json((await planBook.list()).map(shown)));

  router.get("/plans/:connectionId", async (request, response) => {
    const { connectionId } = request.params;
    if (!(await planBook.isKnown(connectionId))) return noSuchConnection(response);
    sendPlan(response, await planBook.planOf(connectionId));
  });

  router.put("/plans/:connectionId", async (request, response) => {
    const { connectionId } = request.params;
    if (!(await planBook.isKnown(connectionId))) return noSuchConnection(response);
    const dimensions = await edits.replacement(connectionId, request.body);
    await inTurn(async () => {
      if (!(await isAsSeen(request, response))) return;
      await plans.set(connectionId, dimensions);
      sendPlan(response, await planBook.planOf(connectionId));
    });
  });

  router.delete("/plans/:connectionId", async (request, response) => {
    const { connectionId } = request.params;
    await inTurn(async () => {
      if (!(await isAsSeen(request, response)) || !(await isRevertible(connectionId, response))) return;
      await plans.delete(connectionId);
      response.status(204).end();
    });
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
    const { before, change } = await previewPlan({ connectionId, override }, parts);
    response.set("etag", planTag(planJson(before))).json(change);
  });

  /** False when it was answered what the plan is by now. */
  async function isAsSeen({ params, headers }: PlanRequest, response: Response): Promise<boolean> {
    const ifMatch = headers["if-match"];
    if (ifMatch === undefined) return true;
    const plan = shown(await planBook.planOf(params.connectionId));
    if (matchesTag(ifMatch, plan.etag)) return true;
    const problem = buildProblem({ status: 412, detail: "The plan has been changed since it was read." });
    sendAnswer(response, {
      ...problem,
      headers: { ...problem.headers, etag: plan.etag },
      body: { ...problem.body, plan },
    });
    return false;
  }

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

type PlanRequest = Request<{ connectionId: string }>;

function shown(plan: Plan): PlanJson & { readonly etag: string } {
  const json = planJson(plan);
  return { ...json, etag: planTag(json) };
}

function sendPlan(response: Response, plan: Plan): void {
  const json = shown(plan);
  response.set("etag", json.etag).json(json);
}

function noSuchConnection(response: Response): void {
  sendAnswer(response, buildProblem({ status: 404, detail: "There is no such connection." }));
}

import express, { type Router } from "express";
import { z } from "zod";
import { notFound } from "../adminAnswers.js";
import { parsedBody } from "../parsedBody.js";
import type { Traffic } from "./createTraffic.js";

/**
 * `GET /api/demo/traffic`, `PUT /api/demo/traffic/:apiKeyId` and `POST /api/demo/traffic/reset`, behind a check of the admin token. Where a
 * gateway has no simulated clients there is no such router.
 */
export function createTrafficRouter(traffic: Traffic): Router {
  const router = express.Router();
  router.use(express.json({ limit: "64kb", strict: false, type: () => true }));
  router.get("/", async (_request, response) => {
    response.set("cache-control", "no-store").json(await traffic.state());
  });
  router.put("/:apiKeyId", (request, response) => {
    const change = parsedBody({ body: request.body, response }, clientBody(traffic.connectionIds()));
    if (change === undefined) return;
    const client = traffic.change(request.params.apiKeyId, change);
    if (client === undefined) return notFound(response, "simulated client");
    response.json(client);
  });
  router.post("/reset", async (request, response) => {
    const asked = parsedBody({ body: request.body, response }, resetBody(traffic.connectionIds()));
    if (asked === undefined) return;
    await traffic.reset(asked.connectionId);
    response.status(204).end();
  });
  return router;
}

function clientBody(connectionIds: readonly string[]) {
  return z.strictObject(
    {
      running: z.boolean("must be true or false."),
      perSecond: z.number(RATE).min(0.1, RATE).max(50, RATE).optional(),
      connectionId: oneOf(connectionIds).optional(),
    },
    "must be an object.",
  );
}

const RATE = "must be a number from 0.1 to 50, requests a second.";

function resetBody(connectionIds: readonly string[]) {
  return z.strictObject({ connectionId: oneOf(connectionIds) }, "must be an object.");
}

function oneOf(ids: readonly string[]) {
  const choice =
    ids.length === 0 ? "names none; no connection of the demo is left" : `must be one of ${ids.join(", ")}.`;
  return z.string(choice).refine((id) => ids.includes(id), choice);
}

import express, { type Router } from "express";
import { z } from "zod";
import { rangeProblem } from "../numberRange.js";
import { parsedBody } from "../parsedBody.js";
import type { SharingSettings } from "./createSharingSettings.js";
import { SHARING_NUMBERS, type SharingName } from "./sharingNumbers.js";

/**
 * `GET` and `PUT /api/settings/sharing`, behind a check of the admin token: each number with who says so. A `PUT` changes those that it names;
 * `null` gives one back to the environment, or to the default.
 */
export function createSharingRouter(sharing: SharingSettings): Router {
  const router = express.Router();
  router.use(express.json({ limit: "64kb", strict: false, type: () => true }));
  router.get("/", (_request, response) => void response.set("cache-control", "no-store").json(sharing.all()));
  router.put("/", async (request, response) => {
    const change = parsedBody({ body: request.body as unknown, response }, changeBody);
    if (change === undefined) return;
    await sharing.change(change);
    response.set("cache-control", "no-store").json(sharing.all());
  });
  return router;
}

function numberIn(name: SharingName) {
  return z
    .unknown()
    .transform((value, context): number | null | undefined => {
      if (value === null || value === undefined) return value;
      const problem = rangeProblem(value, SHARING_NUMBERS[name]);
      if (problem === undefined) return value as number;
      context.addIssue({ code: "custom", message: problem.replace(/\.$/u, ", or null to take it back.") });
      return z.NEVER;
    })
    .optional();
}

const changeBody = z.strictObject(
  {
    saturationThreshold: numberIn("saturationThreshold"),
    softDeprioritizeFactor: numberIn("softDeprioritizeFactor"),
    consumptionRetentionDays: numberIn("consumptionRetentionDays"),
  },
  "must be an object.",
);

import { sendAnswer } from "@quota/express";
import { buildBadRequest, buildProblem } from "@quota/http";
import express, { type Router } from "express";
import { z } from "zod";
import { bodyFaults } from "../bodyFaults.js";
import { parsedBody } from "../parsedBody.js";
import type { QuotaStore } from "./quotaStore.js";
import { StoreChangeRefused } from "./storeChangeRefused.js";
import { redisUrlProblem } from "./redisUrl.js";
import { STORE_DRIVERS } from "./storeSettings.js";

/**
 * `GET` and `PUT /api/settings/quota-store`, behind a check of the admin token. The address of Redis is taken and never given back: it may
 * hold a password. What cannot be done now is 409, in a sentence, and changes nothing. `POST …/test` tries a store and changes nothing either.
 */
export function createQuotaStoreRouter(quotaStore: QuotaStore): Router {
  const router = express.Router();
  router.use(express.json({ limit: "64kb", strict: false, type: () => true }));
  router.get("/", (_request, response) => void response.json(shown(quotaStore)));
  router.put("/", async (request, response) => {
    const parsed = changeBody.safeParse(request.body);
    if (!parsed.success) return sendAnswer(response, buildBadRequest(bodyFaults(parsed.error.issues)));
    try {
      await quotaStore.change(parsed.data);
    } catch (error) {
      if (!(error instanceof StoreChangeRefused)) throw error;
      return sendAnswer(response, buildProblem({ status: 409, detail: error.message }));
    }
    response.json(shown(quotaStore));
  });
  router.post("/test", async (request, response) => {
    const asked = parsedBody({ body: request.body as unknown, response }, testBody);
    if (asked === undefined) return;
    response.set("cache-control", "no-store").json(await quotaStore.test(asked));
  });
  return router;
}

const redisUrl = z.string("must be an address.").superRefine((value, context) => {
  const problem = redisUrlProblem(value);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

const store = {
  driver: z.enum(STORE_DRIVERS, 'must be "sqlite" or "redis".'),
  redisUrl: redisUrl.nullable().optional(),
};
const testBody = z.strictObject(store, "must be an object.");
const changeBody = z.strictObject(
  {
    ...store,
    takesEffect: z.enum(["now", "next-start"], 'must be "now" or "next-start".').default("now"),
  },
  "must be an object.",
);

function shown(quotaStore: QuotaStore) {
  const { asked, serving, state, reason, lastError } = quotaStore.status();
  return {
    driver: asked.driver,
    source: asked.source,
    redisUrlConfigured: asked.redisUrl !== undefined,
    serving,
    state,
    ...(reason !== undefined && { reason }),
    ...(lastError !== undefined && {
      lastError: { at: new Date(lastError.at).toISOString(), said: lastError.said },
    }),
  };
}

import { sendAnswer } from "@quota/express";
import { buildBadRequest } from "@quota/http";
import express, { type Router } from "express";
import type { Config } from "./createConfig.js";
import { parseConfig } from "./gatewayConfig.js";

export interface ConfigRouterParts {
  readonly config: Config;
  /** Everything that is kept at hand is read again. */
  readonly reload: () => Promise<void>;
}

/**
 * `GET` and `PUT /api/config`, behind a check of the admin token: everything that gateways on one store must have in common. A `PUT`
 * replaces all of it or, with 400 and every fault, nothing; the answer names the connections whose secrets are still to be set.
 */
export function createConfigRouter({ config, reload }: ConfigRouterParts): Router {
  const router = express.Router();
  router.use(express.json({ limit: "64mb", strict: false, type: () => true }));
  router.get("/", async (_request, response) => {
    response.set("cache-control", "no-store").json(await config.read());
  });
  router.put("/", async (request, response) => {
    const parsed = parseConfig(request.body as unknown);
    if (!parsed.ok) return sendAnswer(response, buildBadRequest(parsed.faults));
    await config.replace(parsed.value);
    await reload();
    const now = await config.read();
    const here = new Map(now.connections.map(({ id, secret }) => [id, secret]));
    response.json({
      connections: now.connections.length,
      keys: now.keys.length,
      pools: now.pools.length,
      plans: now.plans.length,
      secretsToSet: parsed.value.connections
        .filter(({ id, secret }) => secret === "to be set" && here.get(id) === "none")
        .map(({ id }) => id),
    });
  });
  return router;
}

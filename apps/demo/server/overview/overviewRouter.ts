import express, { type Router } from "express";
import type { Overview } from "./createOverview.js";

/** `GET /api/overview`. */
export function createOverviewRouter(overview: Overview): Router {
  const router = express.Router();
  router.get("/", async (_request, response) => {
    response.set("cache-control", "no-store").json(await overview.read());
  });
  return router;
}

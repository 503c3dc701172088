import { plantRatePlan, ratePathFrom } from "@quota/core";
import { createMemoryUsageStore, createRateAdmission, StoreError, withRatePlan } from "@quota/engine";
import { quota } from "@quota/express";
import express from "express";
import { describe, expect, test } from "vitest";
import { completion } from "./gateway.js";
import { listening } from "./listening.js";
import { quiet, team } from "./team.js";

/** The team's pool behind a rate plan: alice has 2 requests a minute of her organisation's 3; carol is not in it. */
async function ratedGateway(setup: { readonly limit?: number; readonly store?: "away" } = {}) {
  const { limit = 100 } = setup;
  const house = await team({ dimensions: [{ unit: "requests", window: "hourly", limit }] });
  const planted = plantRatePlan({
    nodes: [
      { id: "acme", kind: "organisation", rpm: 3 },
      { id: "alice", kind: "key", rpm: 2, parent: "acme" },
      { id: "bob", kind: "key", parent: "acme" },
    ],
  });
  if (!planted.ok) throw new Error(JSON.stringify(planted.faults));
  const known = { id: "gateway", revision: 1, plan: planted.plan };
  const pathOf = (id: string) => (known.plan.nodes.has(id) ? ratePathFrom(known.plan, id) : []);
  const memory = createMemoryUsageStore();
  const fails = () => Promise.reject(new StoreError("away", { applied: "no" }));
  const rates = createRateAdmission({
    store: setup.store === "away" ? { ...memory, transact: fails } : memory,
    clock: house.clock,
  });
  const engine = withRatePlan({
    engine: house.engine,
    rates,
    planOf: ({ apiKeyId }) => ({ ...known, path: pathOf(apiKeyId) }),
  });
  const app = express();
  app.use(
    express.json(),
    quota({
      engine,
      clock: house.clock,
      identify: ({ headers }) => ({
        apiKeyId: String(headers["x-api-key"]),
        connectionId: "seat",
        provider: "kimi",
      }),
    }),
    (_request, response) => void response.json(completion(77)),
  );
  const server = await listening(app);
  return {
    ...server,
    async answers(key: string, count: number) {
      const seen: (string | number)[] = [];
      for (let i = 0; i < count; i += 1) {
        const answer = await server.ask("/v1/chat/completions", { key });
        await answer.text();
        await quiet(house.engine);
        seen.push(answer.headers.get("x-quota-reason") ?? answer.status);
      }
      return seen;
    },
    async used(id: string) {
      const [node] = (await rates.rateUsage({ ...known, path: pathOf(id) })).nodes;
      return [node!.requests.used, node!.tokens.used];
    },
  };
}

describe("an engine with a rate plan before it", () => {
  test("refuses by the minute in the client's dialect, and settles the plan by what the answer took", async () => {
    const { ask, answers, used } = await ratedGateway();
    expect(await answers("alice", 3)).toEqual([200, 200, "rate_limit_rpm"]);
    expect(await answers("bob", 2)).toEqual([200, "rate_limit_rpm"]);
    expect(await used("acme")).toEqual([3, 231]);
    const refused = await ask("/v1/messages");
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
  });

  test("keeps nothing of the plan for a request that the pool refuses", async () => {
    const { answers, used } = await ratedGateway({ limit: 1 });
    expect(await answers("alice", 4)).toEqual([200, ...Array<string>(3).fill("quota_pool_exhausted")]);
    expect(await used("acme")).toEqual([1, 77]);
  });

  test("answers 503 where rates cannot be judged, and lets pass whoever has no limit", async () => {
    const { answers } = await ratedGateway({ store: "away" });
    expect(await answers("alice", 1)).toEqual(["quota_unavailable"]);
    expect(await answers("carol", 1)).toEqual([200]);
  });
});

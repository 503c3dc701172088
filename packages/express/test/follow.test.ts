import type { ProviderReading } from "@quota/core";
import { withRatePlan } from "@quota/engine";
import type { Response } from "express";
import { once } from "node:events";
import { expect, test } from "vitest";
import { quota } from "@quota/express";
import express from "express";
import { completion, gateway, piece } from "./gateway.js";
import { listening, moment } from "./listening.js";
import { quiet, team } from "./team.js";

const PERCENT = [{ unit: "percent", window: "5h", limit: 100 }] as const;

/** The provider's percentage, as it was read at a moment. */
const reading = (percent: number, receivedAt: number): ProviderReading => ({
  provider: "kimi",
  unit: "percent",
  window: "5h",
  utilization: percent / 100,
  resetsAt: Date.UTC(2026, 0, 5, 15),
  receivedAt,
  source: "test",
});

async function partsOf({ engine }: Awaited<ReturnType<typeof team>>) {
  const { perKey, outside } = (await engine.usage("team"))!.dimensions[0]!;
  const parts = perKey.map(({ apiKeyId, consumed }) => [apiKeyId, consumed / 1e6] as const);
  return { ...Object.fromEntries(parts), outside: outside / 1e6 };
}

test("a stream that is under way bears its part of a percentage that rises, and no more of it when it settles", async () => {
  const { comes, come } = moment<Response>();
  const house = await gateway(
    (request, response) => {
      if (request.path === "/stream") come(response);
      else response.json(completion(40));
    },
    { dimensions: PERCENT },
  );
  await house.engine.observe("seat", [reading(0, house.time.now)]);
  const streaming = house.begin("/stream");
  const response = await comes;
  response.type("text/event-stream").write(piece("x".repeat(4000)));
  const { answer } = await streaming;
  await once(answer, "data");
  house.time.now += 1000;
  await house.engine.observe("seat", [reading(8, house.time.now)]);
  expect(await partsOf(house)).toEqual({ alice: 8, bob: 0, carol: 0, outside: 0 });

  answer.resume();
  response.end();
  await quiet(house.engine);
  house.time.now += 1000;
  await house.engine.observe("seat", [reading(12, house.time.now)]);
  expect(await partsOf(house)).toMatchObject({ alice: 8 });
});

test("a stream is followed through a rate plan, too", async () => {
  const house = await team({ dimensions: PERCENT });
  const followed: unknown[] = [];
  const engine = { ...house.engine, follow: (...told: unknown[]) => void followed.push(told[0]) };
  const rated = withRatePlan({ engine, rates: NO_RATES, planOf: () => undefined });
  const app = express().use(
    quota({
      engine: rated,
      identify: () => ({ apiKeyId: "alice", connectionId: "seat", provider: "kimi" }),
    }),
    (_request, response) => void response.json(completion(40)),
  );
  expect((await (await listening(app)).ask()).status).toBe(200);
  expect(followed).toMatchObject([{ apiKeyId: "alice", connectionId: "seat" }]);
});

const NO_RATES = {
  admitRatePlan: () => Promise.reject(new Error("Nobody asks.")),
  settleRate: () => Promise.reject(new Error("Nobody asks.")),
  releaseRate: () => Promise.reject(new Error("Nobody asks.")),
};

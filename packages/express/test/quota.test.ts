import express, { type RequestHandler } from "express";
import { describe, expect, test } from "vitest";
import { quota, type QuotaOptions } from "@quota/express";
import { listening } from "./listening.js";
import { books, team } from "./team.js";

async function gateway(
  handler: RequestHandler,
  { options = {}, ...setup }: Parameters<typeof team>[0] & { readonly options?: Partial<QuotaOptions> } = {},
) {
  const house = await team(setup);
  const app = express();
  app.use(
    express.json(),
    quota({
      engine: house.engine,
      clock: house.clock,
      identify: ({ headers }) =>
        typeof headers["x-api-key"] === "string"
          ? { apiKeyId: headers["x-api-key"], connectionId: "seat", provider: "kimi" }
          : undefined,
      ...options,
    }),
    handler,
  );
  return { ...house, ...(await listening(app)) };
}

describe("a request that is let in", () => {
  test("is counted once and told what is left", async () => {
    const { ask, engine } = await gateway((_request, response) => void response.json({ ok: true }));
    const answer = await ask();
    expect(await answer.json()).toEqual({ ok: true });
    expect(answer.headers.get("ratelimit-policy")).toMatch(/^"hourly-requests";q=50;/);
    expect(answer.headers.get("ratelimit")).toMatch(/^"hourly-requests";r=49;t=\d+$/);
    expect(await books(engine)).toEqual({ consumed: 1, held: 0 });
  });
});

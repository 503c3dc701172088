import { quota, type QuotaOptions } from "@quota/express";
import express, { type RequestHandler } from "express";
import { listening } from "./listening.js";
import { team } from "./team.js";

/** A real server: the middleware over the team's pool, then the handlers. Whoever sends `x-api-key` is known. */
export async function gateway(
  handler: RequestHandler,
  {
    options = {},
    before = [],
    ...setup
  }: Parameters<typeof team>[0] & {
    readonly options?: Partial<QuotaOptions>;
    readonly before?: readonly RequestHandler[];
  } = {},
) {
  const house = await team(setup);
  const app = express();
  for (const early of before) app.use(early);
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

/** An answer as a provider gives it. */
export const completion = (tokens: number) => ({
  choices: [{ message: { role: "assistant", content: "Hello there" }, finish_reason: "stop" }],
  usage: { prompt_tokens: tokens - 2, completion_tokens: 2, total_tokens: tokens },
});

/** One piece of an OpenAI stream. */
export const piece = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

export const TOKENS = [{ unit: "tokens", window: "5h", limit: 100_000 }] as const;

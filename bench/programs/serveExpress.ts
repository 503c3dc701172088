// An Express app in a process of its own, whose processor time can be asked for. Which middleware it has is its argument.
import { createMemoryUsageStore } from "@quota/engine";
import { quota } from "@quota/express";
import express, { type RequestHandler } from "express";
import { rateLimit } from "express-rate-limit";
import type { AddressInfo } from "node:net";
import { createTeam, requestBy, TWO_DIMENSIONS } from "../team.js";

const KEYS = 100;
const keyOf = (headers: { readonly authorization?: string | undefined }): string =>
  headers.authorization!.slice("Bearer ".length);

const middleware: Readonly<Record<string, () => Promise<RequestHandler | undefined>>> = {
  empty: () => Promise.resolve(undefined),
  "express-rate-limit": () =>
    Promise.resolve(
      rateLimit({
        windowMs: 3_600_000,
        limit: 2_000_000_000,
        standardHeaders: "draft-8",
        legacyHeaders: false,
        keyGenerator: (request) => keyOf(request.headers),
      }),
    ),
  "quota-1": () => ours(1),
  "quota-2": () => ours(2),
};

const app = express();
const handler = await middleware[process.argv[2]!]!();
if (handler) app.use(handler);
app.post("/v1/chat/completions", (_request, response) => {
  response.json(ANSWER);
});
const server = app.listen(0, "127.0.0.1", () =>
  process.send!({ port: (server.address() as AddressInfo).port }),
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send!({ microseconds: user + system });
});

async function ours(dimensions: 1 | 2): Promise<RequestHandler> {
  const { engine } = await createTeam({
    store: createMemoryUsageStore(),
    keys: KEYS,
    dimensions: TWO_DIMENSIONS.slice(0, dimensions),
  });
  return quota({
    engine,
    identify: (request) => requestBy(keyOf(request.headers)),
    estimate: () => (dimensions === 1 ? { requests: 1 } : { requests: 1, tokens: 1200 }),
  });
}

const ANSWER = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_767_000_000,
  model: "any-model",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Good morning. What is to be done?" },
      finish_reason: "stop",
    },
  ],
  usage: { prompt_tokens: 900, completion_tokens: 9, total_tokens: 909 },
};

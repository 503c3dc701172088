// The least a gateway can be: an Express app that passes one route on to an upstream, with undici, and knows nothing.
import express from "express";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { Agent, request as send } from "undici";

const upstream = process.argv[2]!;
const dispatcher = new Agent();
const app = express();
app.post(
  "/v1/chat/completions",
  express.raw({ type: () => true, limit: "20mb" }),
  async (request, response) => {
    const answer = await send(`${upstream}${request.url}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer sk-upstream" },
      body: request.body as Buffer,
      dispatcher,
    });
    response.status(answer.statusCode);
    for (const name of ["content-type", "content-length"])
      if (answer.headers[name] !== undefined) response.setHeader(name, answer.headers[name]);
    // The head leaves with the first bytes, as the gateway's does: one of its own would cost a packet more.
    await pipeline(answer.body, response);
  },
);
const server = app.listen(0, "127.0.0.1", () =>
  process.send!({ port: (server.address() as AddressInfo).port }),
);

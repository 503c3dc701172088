// A gateway in Express: one line of middleware shares the account, and settles when the answer has been sent.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { parseDimensions } from "@quota/core";
import {
  createMemoryPlanOverrides,
  createMemoryPoolDirectory,
  createMemoryUsageStore,
  createQuotaEngine,
  type QuotaEngine,
} from "@quota/engine";
import { quota } from "@quota/express";
import express, { type Express } from "express";
import { isMain } from "./isMain.js";

/** The app: who asks is read from the bearer token; what it cost is read from the answer's `usage`. */
export function gatewayApp(engine: QuotaEngine): Express {
  const app = express();
  app.use(
    "/v1",
    express.json(),
    quota({
      engine,
      identify: (request) => {
        const [, apiKeyId] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
        return apiKeyId === undefined
          ? undefined
          : { apiKeyId, connectionId: "team-seat", provider: "openai" };
      },
    }),
  );
  // Where a real gateway would forward the request to the provider.
  app.post("/v1/chat/completions", (_request, response) => {
    const message = { role: "assistant", content: "hello" };
    response.json({
      choices: [{ message }],
      usage: { prompt_tokens: 100, completion_tokens: 300, total_tokens: 400 },
    });
  });
  return app;
}

/** An answer is settled after its last byte has gone, without making anybody wait. This example does, to print exact numbers. */
async function settled(engine: QuotaEngine): Promise<void> {
  do await setImmediate();
  while (engine.status().openLeases > 0);
}

export async function main(say: (line: string) => void): Promise<void> {
  const pools = createMemoryPoolDirectory();
  const plans = createMemoryPlanOverrides();
  const engine = createQuotaEngine({ store: createMemoryUsageStore(), pools, plans });
  const dimensions = parseDimensions([{ unit: "tokens", window: "5h", limit: 4000 }]);
  if (!dimensions.ok) throw new Error("the plan is right");
  await plans.set("team-seat", dimensions.value);
  const allocations = [
    { apiKeyId: "alice", weight: 50 },
    { apiKeyId: "bob", weight: 50 },
  ];
  const pool = await pools.create({ connectionId: "team-seat", name: "Team", allocations }, Date.now());

  const server = gatewayApp(engine).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = (apiKey: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(port)}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model: "any", max_tokens: 400, messages: [{ role: "user", content: "hello" }] }),
    });
  try {
    for (let turn = 1; turn <= 6; turn += 1) {
      const answer = await ask("bob");
      const { error } = (await answer.json()) as { error?: { code: string } };
      await settled(engine);
      say(`bob, turn ${String(turn)}: ${String(answer.status)}${error ? ` ${error.code}` : ""}`);
    }
    say(`alice: ${String((await ask("alice")).status)}`);
    say(`nobody: ${String((await fetch(`http://127.0.0.1:${String(port)}/v1/chat/completions`)).status)}`);
    await settled(engine);
    const usage = await engine.usage(pool.id);
    for (const { apiKeyId, consumed } of usage?.dimensions[0]?.perKey ?? [])
      say(`${apiKeyId} has used ${String(consumed)} tokens`);
  } finally {
    server.close();
    server.closeAllConnections();
    await engine.close();
  }
}

if (isMain(import.meta.url)) await main(console.log);

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";
import type { RecordedEvent, RecordedExchange, RecordedTurn } from "../server/simulator/recordedExchange.js";

const TOKENS = [{ unit: "tokens", window: "hourly", limit: 10_000_000 }] as const;

function recorded(name: string): readonly RecordedExchange[] {
  const text = readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8");
  return (JSON.parse(text) as RecordedTurn).exchanges;
}

/** Sends a recorded request through the gateway with a key of the gateway's in the place of the client's. */
async function replay(gateway: TestGateway, { name, request }: RecordedExchange): Promise<Response> {
  return await fetch(`${gateway.url}${request.path}${request.query ?? ""}`, {
    method: request.method,
    headers: { ...request.headers, authorization: "Bearer sk-demo-alice", "x-simulate-replay": name },
    body: JSON.stringify(request.body),
  });
}

/** What the provider sent: data as JSON, by its events. */
function sent({ answer }: RecordedExchange): readonly unknown[] {
  return (answer.events ?? []).map(({ data }: RecordedEvent) => data);
}

function received(stream: string): readonly unknown[] {
  return [...stream.matchAll(/^data: (.*)$/gmu)].map(([, data]): unknown =>
    data === "[DONE]" ? data : JSON.parse(data!),
  );
}

async function used(gateway: TestGateway) {
  await gateway.quiet();
  const [dimension] = (await gateway.usage()).dimensions;
  return { consumedTotal: dimension!.consumedTotal, held: dimension!.held };
}

/** Header names that speak of the owner's account. */
const OWNERS = /^(anthropic-ratelimit-|anthropic-organization-id|x-codex-)/u;

describe("a recorded turn of Claude Code", () => {
  const [countTokens, turn] = recorded("claude-code-turn") as [RecordedExchange, RecordedExchange];

  test("counts its tokens for nothing, then streams word for word, and is charged what the provider says", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(TOKENS);
    gateway.provider.configure({ replay: [countTokens, turn] });

    const counted = await replay(gateway, countTokens);
    expect(await counted.json()).toEqual(countTokens.answer.body);
    expect(await used(gateway)).toEqual({ consumedTotal: 0, held: 0 });

    const streamed = await replay(gateway, turn);
    expect(streamed.status).toBe(200);
    expect(received(await streamed.text())).toEqual(sent(turn));
    for (const answer of [counted, streamed])
      expect([...answer.headers.keys()].filter((name) => OWNERS.test(name))).toEqual([]);
    expect(streamed.headers.get("ratelimit")).toContain("r=");

    const usages = sent(turn).flatMap((data) => {
      const { message, usage } = data as { message?: { usage: Usage }; usage?: Usage };
      return [message?.usage ?? usage ?? {}];
    });
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } =
      Object.assign({}, ...usages) as Required<Usage>;
    const total = input_tokens + cache_read_input_tokens + cache_creation_input_tokens + output_tokens;
    expect(total).toBeGreaterThan(10_000);
    expect(await used(gateway)).toEqual({ consumedTotal: total, held: 0 });
  });

  test("reaches the provider with its own headers, but for the key", async () => {
    const gateway = await startTestGateway();
    gateway.provider.configure({ replay: [turn] });
    await (await replay(gateway, turn)).text();
    const [request] = gateway.provider.state().lastRequests.slice(-1);
    const { authorization, "accept-encoding": encoding, ...own } = turn.request.headers;
    expect([authorization, encoding]).not.toContain(undefined);
    expect(request!.headers).toMatchObject(own);
    expect(request!.headers["authorization"]).toBe("Bearer sk-simulated-account");
    expect(JSON.parse(request!.body)).toEqual(turn.request.body);
    expect(request!.query.replace(/^\?/u, "")).toBe("beta=true");
  });
});

describe("a recorded turn of Codex", () => {
  const [turn, followUp, usageLimit] = recorded("codex-turn") as [
    RecordedExchange,
    RecordedExchange,
    RecordedExchange,
  ];

  test("streams word for word, follow-up and all, and is charged what the provider says", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(TOKENS);
    gateway.provider.configure({ replay: [turn, followUp] });
    let total = 0;
    for (const exchange of [turn, followUp]) {
      const answer = await replay(gateway, exchange);
      expect(answer.status).toBe(200);
      expect([...answer.headers.keys()].filter((name) => OWNERS.test(name))).toEqual([]);
      expect(received(await answer.text())).toEqual(sent(exchange));
      const last = sent(exchange).at(-1) as { response: { usage: { total_tokens: number } } };
      total += last.response.usage.total_tokens;
    }
    expect(await used(gateway)).toEqual({ consumedTotal: total, held: 0 });
  });

  test("hears of a spent account, but not of its plan, and pays nothing for that", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(TOKENS);
    gateway.provider.configure({ replay: [usageLimit] });
    const answer = await replay(gateway, usageLimit);
    expect(answer.status).toBe(429);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      error: { type: "usage_limit_reached", resets_in_seconds: expect.closeTo(13_873, -1) as number },
    });
    expect(text).not.toMatch(/plan_type|plus|promo/u);
    expect(answer.headers.get("x-quota-reason")).toBe("upstream_rate_limited");
    expect([...answer.headers.keys()].filter((name) => OWNERS.test(name))).toEqual([]);
    expect(await used(gateway)).toEqual({ consumedTotal: 0, held: 0 });
  });

  test("hears of a spent share as usage_limit_reached, with the moment it opens", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ unit: "requests", window: "hourly", limit: 2 }]);
    gateway.provider.configure({ replay: [turn] });
    await (await replay(gateway, turn)).text();
    await gateway.quiet();
    const refused = await replay(gateway, turn);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-quota-reason")).toBe("quota_fair_share");
    expect(await refused.json()).toMatchObject({
      error: {
        type: "usage_limit_reached",
        resets_at: expect.any(Number),
        resets_in_seconds: expect.any(Number),
      },
    });
  });
});

interface Usage {
  readonly input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens?: number;
}

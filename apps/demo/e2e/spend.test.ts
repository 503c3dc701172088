import { parseModelPrices, priceTokens, usdText, type ModelPrices, type SpentTokens } from "@quota/core";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const PRICE = { model: "m", input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 };
const PRICES = (parseModelPrices(PRICE) as { readonly value: ModelPrices }).value;
const NOTHING: SpentTokens = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0 };

interface Spend {
  readonly total: {
    readonly costUsd: string;
    readonly hotUsd: string | null;
    readonly requests: number;
    readonly unpriced: number;
  };
  readonly groups: readonly {
    readonly group: string | null;
    readonly costUsd: string;
    readonly requests: number;
    readonly tokens: { readonly input: number; readonly cachedInput: number; readonly output: number };
  }[];
}

async function priced(): Promise<TestGateway> {
  const gateway = await startTestGateway();
  expect((await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices: [PRICE] })).status).toBe(200);
  return gateway;
}

/** What the ledger has when nothing is under way any more. */
async function spend(gateway: TestGateway, query = "groupBy=key"): Promise<Spend> {
  await gateway.quiet();
  expect((await gateway.admin("POST", "/api/spend/queue", { action: "retry" })).status).toBe(200);
  return (await (await gateway.admin("GET", `/api/spend?${query}`)).json()) as Spend;
}

/** The last usage that an answer says, as each dialect writes it. */
function usageIn(text: string): SpentTokens {
  const documents = text.startsWith("{")
    ? [text]
    : [...text.matchAll(/^data: (\{.*\})$/gmu)].map(([, json]) => json!);
  const usage: Record<string, unknown> = {};
  for (const json of documents) {
    const {
      usage: own,
      response,
      message,
    } = JSON.parse(json) as Record<string, { usage?: object } | undefined>;
    Object.assign(usage, own, response?.usage, message?.usage);
  }
  const details = (usage["prompt_tokens_details"] ?? usage["input_tokens_details"]) as
    { readonly cached_tokens?: number } | undefined;
  const isAnthropic = "cache_read_input_tokens" in usage;
  const cachedInput = Number(details?.cached_tokens ?? usage["cache_read_input_tokens"] ?? 0);
  const cacheWrite = Number(usage["cache_creation_input_tokens"] ?? 0);
  const prompt = Number(usage["prompt_tokens"] ?? usage["input_tokens"]);
  return {
    ...NOTHING,
    input: isAnthropic ? prompt : prompt - cachedInput,
    cachedInput,
    cacheWrite,
    output: Number(usage["completion_tokens"] ?? usage["output_tokens"] ?? 0),
  };
}

const message = [{ role: "user", content: "Say hi" }];
const CALLS: readonly [string, string, Record<string, unknown>][] = [
  ["a chat completion", "/v1/chat/completions", { messages: message }],
  [
    "a chat stream that asks for usage",
    "/v1/chat/completions",
    { messages: message, stream: true, stream_options: { include_usage: true } },
  ],
  ["a response", "/v1/responses", { input: "Say hi" }],
  ["a stream of a response", "/v1/responses", { input: "Say hi", stream: true }],
  ["a message", "/v1/messages", { max_tokens: 100, messages: message }],
  ["a stream of a message", "/v1/messages", { max_tokens: 100, messages: message, stream: true }],
];

describe("what an answer cost", () => {
  test("is one event, to the nano-dollar, in every dialect, JSON and streams", async () => {
    const gateway = await priced();
    let sum = 0;
    for (const [sentence, path, body] of CALLS) {
      const before = await spend(gateway);
      const answer = await gateway.ask("alice", { path, body: { model: "m", ...body } });
      const cost = priceTokens(usageIn(await answer.text()), PRICES);
      expect(cost, sentence).toBeGreaterThan(0);
      sum += cost;
      const after = await spend(gateway);
      expect(after.total, sentence).toEqual({
        costUsd: usdText(sum),
        hotUsd: "0",
        requests: before.total.requests + 1,
        unpriced: 0,
      });
    }
  });

  test("is there when the client has the whole answer, though the ledger has it later", async () => {
    const gateway = await priced();
    await (await gateway.ask("alice")).text();
    const { total } = (await (await gateway.admin("GET", "/api/spend")).json()) as Spend;
    expect(Number(total.costUsd) + Number(total.hotUsd)).toBeGreaterThan(0);
  });

  test("of a stream whose usage the gateway asked for is the same, and the client does not see that chunk", async () => {
    const gateway = await priced();
    const answer = await gateway.ask("alice", { body: { model: "m", messages: message, stream: true } });
    expect(await answer.text()).not.toContain("prompt_tokens");
    const { groups } = await spend(gateway);
    const { input, output } = groups[0]!.tokens;
    expect(groups[0]!.costUsd).toBe(usdText(priceTokens({ ...NOTHING, input, output }, PRICES)));
  });

  test("of a stream that the client leaves is what was produced", async () => {
    const gateway = await priced();
    gateway.provider.configure({ pause: "mid-stream", answerTokens: 1_000, chunks: 100 });
    const leave = new AbortController();
    const answer = await gateway.ask("alice", {
      body: { model: "m", messages: message, stream: true },
      signal: leave.signal,
    });
    await answer.body!.getReader().read();
    await gateway.provider.until((state) => state.pausedAnswers === 1);
    leave.abort();
    await gateway.provider.until((state) => state.openRequests === 0);
    const { groups } = await spend(gateway);
    expect(groups).toHaveLength(1);
    expect(groups[0]!.tokens.output).toBeGreaterThan(100);
    expect(groups[0]!.tokens.output).toBeLessThan(1_000);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('quota_spend_events_total{outcome="client-left"} 1');
  });

  test("is nothing where the upstream failed", async () => {
    const gateway = await priced();
    for (const failure of ["status-400", "status-429", "status-500", "reset"] as const) {
      gateway.provider.configure({ failure });
      await (await gateway.ask("alice")).text();
    }
    expect((await spend(gateway)).total).toEqual({ costUsd: "0", hotUsd: "0", requests: 0, unpriced: 0 });
  });

  test("is told as unpriced where nobody knows what the model costs", async () => {
    const gateway = await startTestGateway();
    await (await gateway.ask("alice")).text();
    const { total, groups } = await spend(gateway, "groupBy=model");
    expect(total).toEqual({ costUsd: "0", hotUsd: "0", requests: 1, unpriced: 1 });
    expect(groups.map(({ group }) => group)).toEqual(["m"]);
  });

  test("counts in a pool that shares dollars", async () => {
    const gateway = await priced();
    await gateway.plan([{ unit: "usd", window: "hourly", limit: 5 }]);
    await (await gateway.ask("alice")).text();
    const { groups } = await spend(gateway);
    const [dimension] = (await gateway.usage()).dimensions;
    expect(dimension!.consumedTotal).toBeCloseTo(Number(groups[0]!.costUsd), 9);
  });
});

describe("who pays", () => {
  test("is the key, its team and organisation, the user and the project that the request names", async () => {
    const gateway = await priced();
    await gateway.admin("POST", "/api/orgs", { id: "acme" });
    await gateway.admin("POST", "/api/teams", { id: "red", orgId: "acme" });
    await gateway.admin("PATCH", "/api/keys/alice", { teamId: "red" });
    const body = { model: "m", messages: message, user: "u1" };
    await (await gateway.ask("alice", { body, headers: { "x-quota-project": "moon" } })).text();
    for (const [grouping, payer] of [
      ["key", "alice"],
      ["team", "red"],
      ["organisation", "acme"],
      ["user", "u1"],
      ["project", "moon"],
      ["day", "2026-01-15"],
    ] as const) {
      const { groups } = await spend(gateway, `groupBy=${grouping}`);
      expect(groups.map(({ group, requests }) => [group, requests])).toEqual([[payer, 1]]);
    }
  });

  test("stays the key when its secret is changed; the header says what it has spent", async () => {
    const gateway = await priced();
    const first = await gateway.ask("alice");
    expect(first.headers.get("x-litellm-key-spend")).toBe("0");
    await first.text();
    const { groups } = await spend(gateway);
    const { secret } = (await (await gateway.admin("POST", "/api/keys/alice/rotate")).json()) as {
      secret: string;
    };
    const second = await gateway.ask(secret);
    expect(second.headers.get("x-litellm-key-spend")).toBe(groups[0]!.costUsd);
    await second.text();
  });

  test("is charged for each of two answers to which the provider gave one id", async () => {
    const gateway = await startTestGateway();
    const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };
    const baseUrl = await startProvider({ id: "chatcmpl-1", choices: [], usage });
    const connection = { id: "other", provider: "openai", baseUrl, prices: [PRICE] };
    expect((await gateway.admin("POST", "/api/connections", connection)).status).toBe(201);
    for (let i = 0; i < 2; i++)
      await (await gateway.ask("alice", { headers: { "x-quota-connection": "other" } })).text();
    expect((await spend(gateway)).total).toEqual({
      costUsd: "0.00012",
      hotUsd: "0",
      requests: 2,
      unpriced: 0,
    });
  });
});

describe("prices of a connection", () => {
  test("go before the list, any model's after those of its name, and are gone with null", async () => {
    const gateway = await startTestGateway();
    const costOf = async (model: string): Promise<number> => {
      const before = await spend(gateway);
      const body = { model, messages: message };
      await (await gateway.ask("alice", { body })).text();
      return Number((await spend(gateway)).total.costUsd) - Number(before.total.costUsd);
    };
    const listed = await costOf("kimi-k2-0905-preview");
    expect(listed).toBeGreaterThan(0);
    const free = { model: "*", input: 0, output: 0 };
    await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices: [PRICE, free] });
    expect(await costOf("kimi-k2-0905-preview")).toBe(0);
    expect(await costOf("m")).toBeGreaterThan(0);
    await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices: null });
    expect(await costOf("kimi-k2-0905-preview")).toBeCloseTo(listed, 9);
  });

  test("are refused with every fault, and nothing is written", async () => {
    const gateway = await startTestGateway();
    const prices = [
      { model: "m", input: -1, output: 1e-10 },
      { model: "n", input: 1, output: 1, cheap: true },
      { model: "n" },
    ];
    const answer = await gateway.admin("PATCH", "/api/connections/kimi-demo", { prices });
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { readonly errors: readonly { readonly path: string }[] };
    expect(errors.map(({ path }) => path)).toEqual(
      expect.arrayContaining(["prices[1].cheap", "prices[2].input", "prices[2].output"]),
    );
    const { prices: kept } = (await (await gateway.admin("GET", "/api/connections/kimi-demo")).json()) as {
      prices: unknown;
    };
    expect(kept).toEqual([]);
  });
});

test("a connection tells how long it takes, what it is used, and that it fails", async () => {
  const gateway = await priced();
  await (await gateway.ask("alice")).text();
  await gateway.quiet();
  interface Live {
    readonly cooldownUntil?: string;
    readonly latencyMs?: number;
    readonly tokensThisMinute: number;
  }
  const live = async (): Promise<Live> => {
    const connections = (await (await gateway.admin("GET", "/api/connections")).json()) as {
      id: string;
      live: Live;
    }[];
    return connections.find(({ id }) => id === "kimi-demo")!.live;
  };
  await expect.poll(live).toMatchObject({ latencyMs: expect.any(Number), tokensThisMinute: 30 });
  gateway.provider.configure({ failure: "status-500" });
  for (let i = 0; i < 3; i++) await (await gateway.ask("alice")).text();
  await expect.poll(live).toMatchObject({ cooldownUntil: "2026-01-15T12:05:30.000Z" });
});

test("until the first moment that a date can name nothing was spent", async () => {
  const gateway = await startTestGateway();
  const answer = await gateway.admin("GET", "/api/spend?to=-271821-04-20T00:00:00Z");
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ from: "-271821-04-20T00:00:00.000Z", groups: [] });
});

test("a model's name that is no Unicode, or is cut within a character, is the same in the queue and in the ledger", async () => {
  const gateway = await startTestGateway();
  const body = { messages: message };
  await (await gateway.ask("alice", { body: { ...body, model: "\ud800x" } })).text();
  await (await gateway.ask("alice", { body: { ...body, model: `${"x".repeat(255)}😀` } })).text();
  const { groups } = await spend(gateway, "groupBy=model");
  expect(groups.map(({ group }) => group).sort()).toEqual([`${"x".repeat(255)}\ufffd`, "\ufffdx"]);
});

/** A provider that answers always the same. */
async function startProvider(answer: unknown): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
}

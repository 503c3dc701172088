import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

/** Of it alice has 50 %, bob 30 %, carol 20 %. */
const SEAT = [
  { unit: "requests", window: "5h", limit: 200 },
  { unit: "requests", window: "weekly", limit: 2_000 },
] as const;
const CODEX = { originator: "codex_cli_rs", "user-agent": "codex_cli_rs/0.104.0" };
const hello = [{ role: "user" as const, content: "Say hi, please." }];

async function seat(): Promise<TestGateway> {
  const gateway = await startTestGateway();
  await gateway.plan(SEAT);
  return gateway;
}

function clientsOf({ url }: TestGateway) {
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: "sk-demo-alice", maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: "sk-demo-alice", maxRetries: 0 }),
  };
}

function rateHeaders(headers: Headers): Record<string, string> {
  const rates = [...headers].filter(([name]) => /^(?:x-codex|anthropic-ratelimit|x-ratelimit)-/u.test(name));
  return Object.fromEntries(rates);
}

describe("the share of a key, where its client looks for the account's limits", () => {
  test("Codex sees two windows of its own, and no plan or credits", async () => {
    const gateway = await seat();
    gateway.provider.configure({ rateLimitHeaders: "codex", headerCase: "pascal" });
    for (let i = 0; i < 9; i += 1) await (await gateway.ask("alice")).text();
    await gateway.quiet();
    const answer = await gateway.ask("alice", { path: "/v1/responses", headers: CODEX });
    // These eight and no others: how the client reads them is tested with @quota/http.
    expect(rateHeaders(answer.headers)).toEqual({
      "x-codex-primary-used-percent": "10",
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-after-seconds": expect.stringMatching(/^\d{1,5}$/u) as string,
      "x-codex-primary-reset-at": expect.stringMatching(/^17\d{8}$/u) as string,
      "x-codex-secondary-used-percent": "1",
      "x-codex-secondary-window-minutes": "10080",
      "x-codex-secondary-reset-after-seconds": expect.stringMatching(/^\d{1,6}$/u) as string,
      "x-codex-secondary-reset-at": expect.stringMatching(/^17\d{8}$/u) as string,
    });
  });

  test("Codex ends its turn at a spent share as at a spent plan, and shows which window it was", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ ...SEAT[0], limit: 2 }, SEAT[1]]);
    const ask = () => gateway.ask("alice", { path: "/v1/responses", headers: CODEX });
    expect((await ask()).status).toBe(200);
    await gateway.quiet();
    const refused = await ask();
    expect(refused.status).toBe(429);
    const { error } = (await refused.json()) as { error: { type: string; resets_at: number } };
    expect(error.type).toBe("usage_limit_reached");
    expect(error).not.toHaveProperty("plan_type");
    expect(rateHeaders(refused.headers)).toMatchObject({
      "x-codex-primary-used-percent": "100",
      "x-codex-primary-reset-at": String(error.resets_at),
      "x-codex-secondary-used-percent": "0",
    });
  });

  test("the official clients hand on the key's numbers in the headers that they know", async () => {
    const gateway = await seat();
    const { openai, anthropic } = clientsOf(gateway);
    gateway.provider.configure({ rateLimitHeaders: "openai" });
    const chat = await openai.chat.completions.create({ model: "m", messages: hello }).withResponse();
    expect(rateHeaders(chat.response.headers)).toEqual({
      "x-ratelimit-limit-requests": "100",
      "x-ratelimit-remaining-requests": "99",
      "x-ratelimit-reset-requests": expect.stringMatching(/^(?:\d+h)?\d+m\d+s$/u) as string,
    });
    const question = { model: "m", max_tokens: 50, messages: hello };
    gateway.provider.configure({ rateLimitHeaders: "anthropic-unified" });
    const subscription = await anthropic.messages.create(question).withResponse();
    expect(rateHeaders(subscription.response.headers)).toMatchObject({
      "anthropic-ratelimit-unified-status": "allowed",
      "anthropic-ratelimit-unified-5h-utilization": "0.02",
      "anthropic-ratelimit-unified-7d-utilization": "0",
    });
    gateway.provider.configure({ rateLimitHeaders: "anthropic-api" });
    const metered = await anthropic.messages.create(question).withResponse();
    expect(Object.keys(rateHeaders(metered.response.headers))).toEqual([
      "anthropic-ratelimit-requests-limit",
      "anthropic-ratelimit-requests-remaining",
      "anthropic-ratelimit-requests-reset",
    ]);
    expect(metered.response.headers.get("anthropic-ratelimit-requests-remaining")).toBe("97");
  });
});

describe("a provider that refuses the account", () => {
  const OWNERS = { plan_type: "pro", message: "organization org-owner is out of credits ($0.12)" };
  /** An answer of the provider's in its own words. */
  const says = (path: string, status: number, error: object, headers: Record<string, string> = {}) => ({
    replay: [
      {
        name: "refusal",
        request: { method: "POST", path, headers: {}, body: {} },
        answer: {
          status,
          headers: { "content-type": "application/json", "x-codex-plan-type": "pro", ...headers },
          body: { type: "error", error: { ...OWNERS, ...error } },
        },
      },
    ],
  });

  test("tells the openai client when to come back, in words of the gateway", async () => {
    const gateway = await seat();
    gateway.provider.configure(says("/v1/chat/completions", 429, {}, { "retry-after": "4" }));
    const error = (await clientsOf(gateway)
      .openai.chat.completions.create({ model: "m", messages: hello })
      .catch((failure: unknown) => failure)) as InstanceType<typeof OpenAI.APIError>;
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ status: 429, code: "upstream_rate_limited", type: "rate_limit_error" });
    expect(error.headers?.get("retry-after")).toMatch(/^[45]$/u);
    expect(error.headers?.get("x-should-retry")).toBeNull();
    expect(JSON.stringify([error.error, [...error.headers!]])).not.toMatch(/pro\b|org-owner|0\.12/u);
    await gateway.quiet();
    expect((await gateway.usage()).dimensions[0]).toMatchObject({ consumedTotal: 0, held: 0 });
  });

  test("does not put the Anthropic client to sleep for thirty days", async () => {
    const gateway = await seat();
    gateway.provider.configure(says("/v1/messages", 429, {}, { "retry-after": "2592000" }));
    const { url } = gateway;
    let sent = 0;
    const anthropic = new Anthropic({
      baseURL: url,
      apiKey: "sk-demo-alice",
      fetch: (...asked) => ((sent += 1), fetch(...asked)),
    });
    const error = (await anthropic.messages
      .create({ model: "m", max_tokens: 50, messages: hello })
      .catch((failure: unknown) => failure)) as InstanceType<typeof Anthropic.APIError>;
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(error.headers?.get("x-should-retry")).toBe("false");
    expect(JSON.stringify(error.error)).not.toMatch(/org-owner|0\.12/u);
    expect(sent).toBe(1);
  });

  const others: [status: number, told: number, code: string][] = [
    [401, 502, "upstream_unauthorized"],
    [402, 429, "upstream_rate_limited"],
    [403, 403, "upstream_forbidden"],
  ];
  test.each(others)(
    "with %i is told as %i, %s, and in no dialect with the provider's words",
    async (status, told, code) => {
      const gateway = await seat();
      for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"]) {
        gateway.provider.configure(says(path, status, {}));
        const answer = await gateway.ask("alice", { path, headers: path.endsWith("responses") ? CODEX : {} });
        expect([answer.status, answer.headers.get("x-quota-reason")]).toEqual([told, code]);
        expect(await answer.text()).not.toMatch(/\bpro\b|org-owner|0\.12/u);
        expect(answer.headers.get("x-codex-plan-type")).toBeNull();
      }
    },
  );

  test("with a body of any length, or none that is JSON, is told all the same", async () => {
    const gateway = await seat();
    for (const body of ["x".repeat(1_000_000), "<html>429</html>", ""]) {
      const { replay } = says("/v1/responses", 429, {});
      gateway.provider.configure({ replay: [{ ...replay[0]!, answer: { ...replay[0]!.answer, body } }] });
      const answer = await gateway.ask("alice", { path: "/v1/responses" });
      expect([answer.status, await answer.json()]).toMatchObject([
        429,
        { error: { code: "upstream_rate_limited" } },
      ]);
    }
  });
});

test("alice cannot tell who used what: the same fullness, from others or more of them, looks the same", async () => {
  const looks: unknown[] = [];
  // 21 and 20 of 200 are both 10 %; alice has used 2 by then.
  for (const others of [{ bob: 19 }, { bob: 4, carol: 14 }]) {
    const gateway = await seat();
    for (const [key, times] of Object.entries({ alice: 1, ...others }))
      for (let i = 0; i < times; i += 1) await (await gateway.ask(key)).text();
    await gateway.quiet();
    const answer = await gateway.ask("alice");
    const { ratelimit, "ratelimit-policy": policy } = Object.fromEntries(answer.headers);
    await answer.text();
    await gateway.quiet();
    const usage = await fetch(`${gateway.url}/v1/usage`, { headers: { "x-api-key": "sk-demo-alice" } });
    const [own] = (await usage.json()) as unknown[];
    looks.push({ ratelimit, policy, rates: rateHeaders(answer.headers), own });
  }
  expect(looks[0]).toMatchObject({ own: { dimensions: [{ globalUsedPercent: 0.1, used: 2 }, {}] } });
  expect(looks[1]).toEqual(looks[0]);
});

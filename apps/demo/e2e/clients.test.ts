import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { collected } from "../test/collected.js";
import { startTestGateway, type TestGateway } from "../test/startTestGateway.js";

const hello = [{ role: "user" as const, content: "Say hi, please." }];
const FOUR = [{ unit: "requests", window: "hourly", limit: 4 }] as const;

function clientsOf({ url }: TestGateway, key = "sk-demo-alice") {
  let sent = 0;
  const counted: typeof fetch = (...request) => {
    sent += 1;
    return fetch(...request);
  };
  return {
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch: counted }),
    anthropic: new Anthropic({ baseURL: url, apiKey: key, fetch: counted }),
    sent: () => sent,
  };
}

async function used(gateway: TestGateway): Promise<{ readonly consumed: number; readonly held: number }> {
  await gateway.quiet();
  const [dimension] = (await gateway.usage()).dimensions;
  return { consumed: dimension!.consumedTotal, held: dimension!.held };
}

describe("the official openai client", () => {
  test("reads a chat completion, and its tokens are counted", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ unit: "tokens", window: "hourly", limit: 1_000_000 }]);
    const answer = await clientsOf(gateway).openai.chat.completions.create({
      model: "kimi",
      messages: hello,
    });
    expect(answer.choices[0]?.message.content).toContain("Say hi, please.");
    expect(await used(gateway)).toEqual({ consumed: answer.usage?.total_tokens, held: 0 });
  });

  test("streams; usage is counted, and shown only to a client that asked for it", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ unit: "tokens", window: "hourly", limit: 1_000_000 }]);
    const { openai } = clientsOf(gateway);
    const whole = await openai.chat.completions.create({ model: "kimi", messages: hello });
    const streamed = async (options: object) =>
      await collected(
        await openai.chat.completions.create({ model: "kimi", messages: hello, stream: true, ...options }),
      );
    const plain = await streamed({});
    expect(plain.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("")).toBe(
      whole.choices[0]?.message.content,
    );
    expect(plain.every((chunk) => chunk.choices.length === 1 && chunk.usage == null)).toBe(true);
    const asking = await streamed({ stream_options: { include_usage: true } });
    expect(asking.at(-1)?.usage).toEqual(whole.usage);
    expect(await used(gateway)).toEqual({ consumed: 3 * whole.usage!.total_tokens, held: 0 });
  });

  test("talks to the Responses API, streaming and not, to embeddings, and lists models", async () => {
    const gateway = await startTestGateway();
    const { openai } = clientsOf(gateway);
    const whole = await openai.responses.create({ model: "gpt", input: "Say hi" });
    expect(whole.output_text).toContain("Say hi");
    const events = await collected(
      await openai.responses.create({ model: "gpt", input: "Say hi", stream: true }),
    );
    expect(events.at(-1)?.type).toBe("response.completed");
    const { data } = await openai.embeddings.create({ model: "embed", input: "Say hi" });
    expect(data[0]?.embedding.length).toBeGreaterThan(0);
    expect((await openai.models.list()).data.length).toBeGreaterThan(0);
    expect(await used(gateway)).toEqual({ consumed: 3, held: 0 });
  });

  test("is refused with a RateLimitError and a code, and asks exactly once when the wait is long", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(FOUR);
    const { openai, sent } = clientsOf(gateway);
    for (let i = 0; i < 2; i += 1) await openai.chat.completions.create({ model: "kimi", messages: hello });
    await gateway.quiet();
    const error = await openai.chat.completions
      .create({ model: "kimi", messages: hello })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({ status: 429, code: "quota_fair_share" });
    expect(
      Number((error as InstanceType<typeof OpenAI.APIError>).headers?.get("retry-after")),
    ).toBeGreaterThan(60);
    expect(sent()).toBe(3);
  });

  test("with a key that nobody knows is told so, in its own words", async () => {
    const gateway = await startTestGateway();
    const { openai } = clientsOf(gateway, "sk-nobody");
    const error = await openai.chat.completions
      .create({ model: "kimi", messages: hello })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(gateway.provider.state().requests.seen).toBe(0);
  });
});

describe("the official Anthropic client", () => {
  test("reads a message, and a stream of the same words; both are counted", async () => {
    const gateway = await startTestGateway();
    await gateway.plan([{ unit: "tokens", window: "hourly", limit: 1_000_000 }]);
    const { anthropic } = clientsOf(gateway);
    const question = { model: "claude", max_tokens: 500, messages: hello };
    const whole = await anthropic.messages.create(question);
    const streamed = await anthropic.messages.stream(question).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    const total = whole.usage.input_tokens + whole.usage.output_tokens;
    expect(await used(gateway)).toEqual({ consumed: 2 * total, held: 0 });
  });

  test("counts tokens for nothing", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(FOUR);
    const { anthropic } = clientsOf(gateway);
    for (let i = 0; i < 10; i += 1)
      expect(
        (await anthropic.messages.countTokens({ model: "claude", messages: hello })).input_tokens,
      ).toBeGreaterThan(0);
    expect(await used(gateway)).toEqual({ consumed: 0, held: 0 });
  });

  test("is refused with a RateLimitError of its dialect, and asks exactly once when the wait is long", async () => {
    const gateway = await startTestGateway();
    await gateway.plan(FOUR);
    const { anthropic, sent } = clientsOf(gateway);
    const ask = () => anthropic.messages.create({ model: "claude", max_tokens: 50, messages: hello });
    for (let i = 0; i < 2; i += 1) await ask();
    await gateway.quiet();
    const error = await ask().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Anthropic.RateLimitError);
    expect(error).toMatchObject({ status: 429, error: { error: { type: "rate_limit_error" } } });
    expect((error as InstanceType<typeof Anthropic.APIError>).headers?.get("x-quota-reason")).toBe(
      "quota_fair_share",
    );
    expect(sent()).toBe(3);
  });

  test("with a key that nobody knows is told so, in its own words", async () => {
    const gateway = await startTestGateway();
    const { anthropic } = clientsOf(gateway, "sk-nobody");
    const error = await anthropic.messages
      .create({ model: "claude", max_tokens: 50, messages: hello })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect(error).toMatchObject({ error: { type: "error", error: { type: "authentication_error" } } });
  });
});

test("a short wait is held, not refused: a request is admitted as soon as those before it have ended", async () => {
  const gateway = await startTestGateway({ settings: { waitUpToMs: 600_000 } });
  await gateway.plan(FOUR);
  gateway.provider.configure({ pause: "before-answer" });
  const leave = new AbortController();
  const before = [1, 2].map(() => gateway.ask("alice", { signal: leave.signal }));
  await gateway.provider.until((state) => state.pausedAnswers === 2);
  const waiting = gateway.ask("alice");
  leave.abort();
  for (const asked of before) await expect(asked).rejects.toThrow();
  await gateway.provider.until((state) => state.requests.aborted === 2 && state.pausedAnswers === 1);
  gateway.provider.configure({ pause: "none" });
  expect((await waiting).status).toBe(200);
  expect(await used(gateway)).toEqual({ consumed: 1, held: 0 });
});
